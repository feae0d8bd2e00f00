/**
 * Agent history: `agent-history.json` and `current-agent-id.txt` of each project, derived from the ledger. Written
 * after the ledger, at most twice a second, and never blocking: a failed write is reported and retried with the next
 * event. See FORMAT.md.
 */
import type { ProjectPlanning } from '../../../shared/contract/projects.ts'
import { FailureError } from '../../../shared/failure.ts'
import { type ProjectId, parseTaskId } from '../../../shared/records/ids.ts'
import type { LedgerRecord } from '../../../shared/records/ledger.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import { createFindings, type FindingsSource } from './findings.ts'
import { agentIdOf, type HistoryDocument, isObject } from './format.ts'
import { makePlanningFolder, planningOf } from './place.ts'
import { createHistoryWriter } from './write-history.ts'

/** A busy tree records dozens of events a second; the file's readers read it far less often. */
const writeIntervalMsDefault = 500

export interface AgentHistory {
  /** Reports whether the project's history is kept in its `.planning/`. */
  planning(projectId: ProjectId): Promise<ProjectPlanning>
  /**
   * Makes `.planning/` in the project; its history moves there with the next write. Throws FailureError if
   * the folder can't be created.
   */
  makePlanningFolder(projectId: ProjectId): Promise<void>
  /** Writes every project's history and keeps it up to date from now on. To be called after lost runs were recorded. */
  start(): void
  /** Resolves once the whole ledger is written, or the failure was reported. Never rejects. */
  flush(): Promise<void>
  /** Flushes, then unsubscribes from the ledger. */
  close(): Promise<void>
}

interface AgentHistoryDependencies extends FindingsSource {
  ledger: Ledger
  layout: DataLayout
  clock: () => number
  /** Called with problems for the user, each once. */
  onNotice: (text: string) => void
  onProblem: (text: string, error: unknown) => void
  writeIntervalMs?: number
}

export function createAgentHistory(deps: AgentHistoryDependencies): AgentHistory {
  const { writeIntervalMs = writeIntervalMsDefault } = deps
  const { state } = deps.ledger
  const findings = createFindings(deps)
  /** Keys of the problems that were reported. */
  const reported = new Set<string>()
  const write = createHistoryWriter({
    state,
    layout: deps.layout,
    startedAtMs: deps.clock(),
    findingsOf: findings.of,
    report: (key, text) => reportOnce(key, () => deps.onNotice(text)),
  })
  const changed = new Set<ProjectId>()
  let unsubscribe = () => {}
  let timer: NodeJS.Timeout | null = null
  let closing = false
  let lastWriteMs = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  let lookingUp: Promise<void> = Promise.resolve()

  function start(): void {
    unsubscribe = deps.ledger.subscribe(onRecords)
    for (const task of state.tasks.values()) changed.add(task.projectId)
    schedule()
  }

  function onRecords(records: LedgerRecord[]): void {
    for (const { event } of records) {
      const task = taskOf(event)
      if (!task) continue
      if (endsRun.has(event.type)) findings.ended(task.id)
      changed.add(task.projectId)
    }
    schedule()
  }

  function taskOf(event: LedgerRecord['event']): Task | undefined {
    if ('taskId' in event) return state.tasks.get(event.taskId)
    return 'workspaceId' in event ? state.tasks.get(event.workspaceId) : undefined
  }

  function schedule(): void {
    if (timer || closing || changed.size === 0) return
    const delayMs = Math.max(0, lastWriteMs + writeIntervalMs - performance.now())
    timer = setTimeout(() => {
      timer = null
      void writeChanged().then(schedule)
    }, delayMs)
    // Closing writes the rest; the timer need not keep the process alive.
    timer.unref()
  }

  function writeChanged(): Promise<void> {
    writing = writing.then(async () => {
      const projects = [...changed]
      changed.clear()
      for (const projectId of projects) await writeProject(projectId)
      lastWriteMs = performance.now()
    })
    return writing
  }

  async function writeProject(projectId: ProjectId): Promise<void> {
    const project = state.projects.get(projectId)
    // The project was removed from the list, so its files are left unchanged.
    if (!project) return
    try {
      const document = await write(project)
      if (document) lookUpMissing(projectId, document)
    } catch (error) {
      const text = `The agent history of ${project.name} could not be written`
      reportOnce(`failed ${projectId}`, () => deps.onProblem(text, error))
    }
  }

  /** Runs concurrently with writes, because Git is slow in a large repository. */
  function lookUpMissing(projectId: ProjectId, { entries }: HistoryDocument): void {
    for (const [agentId, own] of Map.groupBy(entries, agentIdOf)) {
      const taskId = parseTaskId(agentId)
      const entry = own.at(-1)
      if (!taskId || !isObject(entry)) continue
      const wanted = () => {
        const task = state.tasks.get(taskId)
        return task ? findings.due(task, entry, { closing }) : null
      }
      if (!wanted()) continue
      lookingUp = lookingUp.then(async () => {
        // Checked again: an earlier lookup may have found it, or the task runs again.
        const task = state.tasks.get(taskId)
        const missing = wanted()
        if (task && missing && (await findings.lookUp(task, missing))) changed.add(projectId)
        schedule()
      })
    }
  }

  function reportOnce(key: string, report: () => void): void {
    if (reported.has(key)) return
    reported.add(key)
    report()
  }

  async function flush(): Promise<void> {
    do {
      await writeChanged()
      await lookingUp
    } while (changed.size > 0)
  }

  function known(projectId: ProjectId): Project {
    const project = state.projects.get(projectId)
    if (!project) throw new FailureError({ kind: 'not-found', what: 'project', id: projectId })
    return project
  }

  async function createPlanning(projectId: ProjectId): Promise<void> {
    await makePlanningFolder(known(projectId).dir)
    changed.add(projectId)
    schedule()
  }

  return {
    planning: async (projectId) => planningOf(known(projectId).dir),
    makePlanningFolder: createPlanning,
    start,
    flush,
    async close() {
      closing = true
      if (timer) clearTimeout(timer)
      await flush()
      unsubscribe()
    },
  }
}

const endsRun = new Set<LedgerRecord['event']['type']>([
  'task.completed',
  'task.interrupted',
  'task.failed',
])
