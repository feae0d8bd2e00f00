/** Examines the directories below sessions/ and archive/: their owners and their content. */

import { join } from 'node:path'
import { z } from 'zod'
import { definitionsDir, scenariosDir } from '../../shared/agents/agent-specs.ts'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import {
  transcriptEntrySchema,
  transcriptsDir,
  transcriptsIndexFile,
} from '../artifacts/transcripts.ts'
import { isLeftOfMove, readJsonFile } from '../journal/index.ts'
import type { Case, Finding, Findings } from './finding.ts'
import { examineIndexes } from './indexes.ts'
import { examineTranscript } from './journals.ts'
import { guarded, isFolder, look, namesIn } from './on-disk.ts'
import { isTemporary } from './temporary.ts'

/** Examines the directories below sessions/ and archive/ that belong to a task. */
export async function* examineSessionDirs(subject: Case): Findings {
  for await (const { path, task, isIts } of sessionDirs(subject)) {
    if (!task || !isIts) continue
    subject.looked()
    yield* guarded({ path, rootId: task.rootId }, () => examineSessionDir(subject, path, task))
  }
}

/** Examines only the indexes of the session directories that are not archived. */
export async function* examineLiveIndexes(subject: Case): Findings {
  for await (const { folder, path, task, isIts } of sessionDirs(subject)) {
    if (folder !== 'sessions' || !task || !isIts) continue
    yield* guarded({ path, rootId: task.rootId }, () => examineIndexes(subject, path, task.rootId))
  }
}

/** Examines the directories that belong to no task, or to one that should have none. */
export async function* examineOrphans(subject: Case): Findings {
  for await (const { folder, path, task, isIts } of sessionDirs(subject)) {
    if (isIts) continue
    subject.looked()
    yield* guarded({ path, rootId: task?.rootId }, () => orphan(subject, folder, path, task))
  }
}

interface SessionDir {
  folder: 'sessions' | 'archive'
  path: string
  task: Task | undefined
  /** True if the task's directory belongs in this folder. */
  isIts: boolean
}

async function* sessionDirs({ layout, ledger }: Case): AsyncGenerator<SessionDir> {
  for (const folder of ['sessions', 'archive'] as const) {
    for (const name of await namesIn(layout[folder])) {
      const path = join(layout[folder], name)
      if (!(await isFolder(path)) || keptAside.test(name) || isLeftOfMove(name)) continue
      const taskId = parseTaskId(name)
      const task = taskId ? ledger.state.tasks.get(taskId) : undefined
      const isIts =
        task !== undefined && (folder === 'archive' ? isArchivedRoot : hasSessionDir)(task)
      yield { folder, path, task, isIts }
    }
  }
}

/** `<id>.older-1`: the earlier directory, kept on purpose. */
const keptAside = /^[0-9a-f-]{36}\.(older|damaged)-\d+$/

const hasSessionDir = (task: Task): boolean => !task.archived || task.workspace?.restoring === true
const isArchivedRoot = (task: Task): boolean => task.parentId === null && !hasSessionDir(task)

async function* examineSessionDir(subject: Case, dir: string, task: Task): Findings {
  const { rootId } = task
  const parts: { taskId: TaskId; dir: string; recordsMin?: number }[] = [{ taskId: task.id, dir }]
  const counts = await archivedCounts(dir)
  for (const name of await namesIn(join(dir, transcriptsDir))) {
    const taskId = parseTaskId(name)
    const payload = join(dir, transcriptsDir, name)
    if (!taskId || !(await isFolder(payload))) continue
    parts.push({ taskId, dir: payload, recordsMin: counts.get(taskId) ?? 0 })
  }
  for (const part of parts) {
    const runs = subject.ledger.state.tasks.get(part.taskId)?.runs ?? []
    const { withoutFiles } = task.importedFrom ?? {}
    const endedRuns = runs.filter((run) => run.status === 'completed').map((run) => run.run)
    yield* guarded({ path: part.dir, rootId }, () =>
      examineTranscript(subject, part.dir, { ...part, rootId, endedRuns, withoutFiles }),
    )
  }
  yield* guarded({ path: dir, rootId }, () => examineIndexes(subject, dir, rootId))
}

/**
 * Returns the count of records in each transcript when it was archived, as far as the index can be
 * read.
 */
async function archivedCounts(dir: string): Promise<Map<TaskId, number>> {
  const path = join(dir, transcriptsIndexFile)
  if (!(await look(path))?.isFile()) return new Map()
  const schema = z.object({ artifactsByChildTaskId: z.record(z.string(), transcriptEntrySchema) })
  const read = await readJsonFile(path, schema)
  if (read.kind !== 'ok') return new Map()
  const entries = Object.values(read.value.artifactsByChildTaskId)
  return new Map(entries.map((entry) => [entry.childTaskId, entry.entryCount]))
}

async function* orphan(
  subject: Case,
  folder: 'sessions' | 'archive',
  path: string,
  task: Task | undefined,
): AsyncGenerator<Finding> {
  const stats = await look(path)
  if (!stats || stats.ctimeMs >= subject.startedAtMs) return
  const whose = task
    ? `the workspace of "${task.title}" was removed`
    : 'the ledger has no such task'
  const rootId = task?.rootId
  if (folder === 'archive') {
    yield { kind: 'orphan-archive', path, detail: `${whose}; it is kept where it is`, rootId }
  } else if ((await holdsRecord(path)) || !subject.ledgerIsWhole) {
    const detail = `${whose}, and something was recorded in it; it is kept where it is`
    yield { kind: 'orphan-record', path, detail, rootId }
  } else {
    const repair = () => subject.toTrash(path)
    yield {
      kind: 'orphan-session',
      path,
      detail: `${whose}; nothing was recorded in it`,
      rootId,
      repair,
    }
  }
}

/** Reports whether the directory holds more than what is written before a task's first event. */
async function holdsRecord(dir: string): Promise<boolean> {
  const names = await namesIn(dir)
  return names.some((name) => !beforeAnyEvent.has(name) && !isTemporary(name))
}

const beforeAnyEvent = new Set([definitionsDir, scenariosDir])
