/** What the formats share: where tasks and entries come from, what was asked for, and what was counted. */
import type { ExportRequest, ExportResult } from '../../shared/contract/exports.ts'
import type { PartialMessage } from '../../shared/records/entry-types/messages.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Report } from '../../shared/records/tasks/reports.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { RawRecord, UnreadableBytes } from '../journal/index.ts'
import type { Redactor } from './redaction/redactor.ts'

interface ReportWithResults extends Report {
  /** What its agent gave with it, for its plan. */
  taskResults?: unknown
}

/** The record, as an export reads it. */
export interface ExportSource {
  task(id: TaskId): Task
  /** Oldest first. */
  children(id: TaskId): Task[]
  projectName(task: Task): string
  /** In file order. */
  records(id: TaskId): AsyncIterable<RawRecord | UnreadableBytes>
  partial(id: TaskId): Promise<PartialMessage | null>
  /** Null: it is not kept any more. */
  blob(id: TaskId, sha256: string): Promise<Uint8Array | null>
  /** The report of one run, or the newest one. Null: there is none, or it is damaged. */
  report(id: TaskId, run?: number): Promise<ReportWithResults | null>
  /** Content of a file before or after a change, from `file-history/`. Null if it was not kept or is not text. */
  fileContent(id: TaskId, sha256: string): Promise<string | null>
  /** Contents of files before and after changes, and patches; the names are `file-history/…` and `patch/…`. */
  files(id: TaskId): AsyncIterable<{ name: string; data: Uint8Array }>
}

export interface ExportRun {
  rootId: TaskId
  request: Omit<ExportRequest, 'taskId'>
  source: ExportSource
  /** Null: nothing is masked. */
  redactor: Redactor | null
  /** Counted while the text is made. */
  result: ExportResult
  /** The version of Shiplog. */
  version: string
  now: Date
  signal: AbortSignal | undefined
}

/** A text without what should not leave this machine. */
export const redacted = (run: ExportRun, text: string, taskId: TaskId): string =>
  run.redactor?.text(text, { taskId, seq: null }) ?? text

/** The sub-agents that the export holds, oldest first: none where they are left out. */
export const exportedChildren = (run: ExportRun, id: TaskId): Task[] =>
  run.request.children === 'none' ? [] : run.source.children(id)
