/** The state that the formats share: the source, the request and the result. */
import type { ExportRequest, ExportResult } from '../../shared/contract/exports.ts'
import type { PartialMessage } from '../../shared/records/entry-types/messages.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Report } from '../../shared/records/tasks/reports.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { RawRecord, UnreadableBytes } from '../journal/index.ts'
import type { Redactor } from './redaction/redactor.ts'

interface ReportWithResults extends Report {
  /** The results that the agent reported for its plan. */
  taskResults?: unknown
}

/** The source of an export. */
export interface ExportSource {
  task(id: TaskId): Task
  /** Oldest first. */
  children(id: TaskId): Task[]
  projectName(task: Task): string
  /** In file order. */
  records(id: TaskId): AsyncIterable<RawRecord | UnreadableBytes>
  partial(id: TaskId): Promise<PartialMessage | null>
  /** Null: the blob was deleted. */
  blob(id: TaskId, sha256: string): Promise<Uint8Array | null>
  /** The report of one run, or the newest report. Null: missing or damaged. */
  report(id: TaskId, run?: number): Promise<ReportWithResults | null>
  /** A file's content before or after a change, from `file-history/`. Null: deleted, never stored, or not text. */
  fileContent(id: TaskId, sha256: string): Promise<string | null>
  /** File contents before and after changes, and patches; names are `file-history/…` and `patch/…`. */
  files(id: TaskId): AsyncIterable<{ name: string; data: Uint8Array }>
}

export interface ExportRun {
  rootId: TaskId
  request: Omit<ExportRequest, 'taskId'>
  source: ExportSource
  /** Null: nothing is masked. */
  redactor: Redactor | null
  /** Updated while the text is generated. */
  result: ExportResult
  /** The version of Shiplog. */
  version: string
  now: Date
  signal: AbortSignal | undefined
}

/** Returns the text with personal data and secrets masked, unless redaction is off. */
export const redacted = (run: ExportRun, text: string, taskId: TaskId): string =>
  run.redactor?.text(text, { taskId, seq: null }) ?? text

/** The sub-agents in the export, oldest first; empty if the request excludes them. */
export const exportedChildren = (run: ExportRun, id: TaskId): Task[] =>
  run.request.children === 'none' ? [] : run.source.children(id)
