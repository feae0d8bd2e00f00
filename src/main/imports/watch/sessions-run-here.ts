/** Detects sessions of agents that Shiplog ran in a project's own folder, which are already recorded. */
import { sep } from 'node:path'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { agentSessionEntrySchema } from '../../../shared/records/entry-types/runs.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { readLines } from '../../journal/index.ts'
import type { FoundSession } from '../adapters/adapter.ts'
import { parseJson } from '../adapters/values.ts'
import { lastOf } from '../found-sources.ts'

export function createSessionsRunHere({
  state,
  transcriptFile,
}: {
  state: LedgerState
  transcriptFile: ArchiveReader['transcriptFile']
}) {
  /** Session ids by task, valid until another run begins. */
  const known = new Map<Task['id'], { runs: number; ids: ReadonlySet<string> }>()

  async function sessionsOf({ id, runs }: Task): Promise<ReadonlySet<string>> {
    const before = known.get(id)
    // An empty result is not reused, because a new run has no session at its very beginning.
    if (before && before.runs === runs.length && before.ids.size > 0) return before.ids
    const file = await transcriptFile(id)
    const ids = file === null ? new Set<string>() : await sessionIdsIn(file)
    known.set(id, { runs: runs.length, ids })
    return ids
  }

  /** Kept until there are more tasks, because each of thousands of sessions is compared with them. */
  let inPlace: { among: number; ids: readonly Task['id'][] } = { among: 0, ids: [] }

  /** Installed agents' tasks in a project's own folder. */
  function* tasksInPlace(): Generator<Task> {
    const { tasks } = state
    if (inPlace.among !== tasks.size) {
      const ids = [...tasks.values()]
        .filter(({ imported, isolation }) => !imported && isolation === 'in-place')
        .map(({ id }) => id)
      inPlace = { among: tasks.size, ids }
    }
    for (const id of inPlace.ids) {
      const task = tasks.get(id)
      // Another run may have another kind of agent.
      if (task?.spec.kind === 'acp') yield task
    }
  }

  return async function isRunHere(session: FoundSession): Promise<boolean> {
    const { projectDir, key } = session
    if (projectDir === null) return false
    for (const task of tasksInPlace()) {
      const dir = state.projects.get(task.projectId)?.dir
      if (dir === undefined || !(projectDir === dir || projectDir.startsWith(dir + sep))) continue
      if (Date.parse(task.createdAt) > lastOf(session)) continue
      if ((await sessionsOf(task)).has(key)) return true
    }
    return false
  }
}

async function sessionIdsIn(file: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const line of readLines(file)) {
    if (!line?.includes('"agent-session"')) continue
    const entry = agentSessionEntrySchema.safeParse(parseJson(line))
    if (entry.success) ids.add(entry.data.ref.id)
  }
  return ids
}
