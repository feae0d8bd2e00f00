/**
 * The interface of the readers of other tools' logs. An adapter discovers sessions by names, sizes, times and first
 * lines, and reads a session as entries in bounded memory. It never changes a file or follows a link out of its folder
 * (I1).
 */

import type { ExportedTask, ImportTool } from '../../../shared/records/exported-tasks.ts'
import type { EntryId, TaskId, ToolCallId } from '../../../shared/records/ids.ts'
import type { Usage } from '../../../shared/records/usage.ts'
import type { ExportLine } from '../../export/formats/shiplog-file.ts'
import type { RecordBody } from '../../journal/index.ts'

export interface SourceFile {
  /** Absolute. */
  path: string
  /** Relative to the session's folder, `/` as separator. */
  name: string
  bytes: number
  /** Milliseconds since the epoch. */
  mtimeMs: number
  role: 'session' | 'sub-agent' | 'compaction' | 'beside'
  /** The tool's id of the sub-agent or compaction. */
  agentId?: string
  /** The content, cached for small files between hashing and mapping. */
  content?: Buffer
}

export interface FoundSession {
  tool: ImportTool
  /** The tool's name of the session, the same for all versions of its files. */
  key: string
  /** The session's own file first, if it exists. */
  files: SourceFile[]
  /** The working directory in the first lines; null: they have none. */
  projectDir: string | null
  /** When the tool will delete it, in milliseconds since the epoch; null: unknown or never. */
  expiresAtMs: number | null
  /** The days without activity after which the tool deletes a session. Absent: unknown, or it never does. */
  keptDays?: number
  /** The tool's own lists omit the session. */
  isHidden: boolean
  /** Given by a user or the tool, and kept outside of the session's own files. */
  title?: string
  /**
   * The id of its first message. A session that continues in another file begins there with copies, so both have the
   * same id. Absent: unknown.
   */
  opening?: string
  /** Sessions that its first lines name as predecessors. Absent: none. */
  namedEarlier?: string[]
}

/** An archived session that another session may continue from. */
export interface EarlierSession {
  taskId: TaskId
  /** The continuing session names it. */
  isNamed: boolean
  /** The seq of its last message; 0 if it has none. */
  lastSeq: number
  /** Whether the session or one of its sub-agents has a message with that id. */
  has(id: string): boolean
  /** The seq of the session's own message with that id; null: none. */
  seqOf(id: string): number | null
  /** The seq of the session's own last message up to that time, in milliseconds since the epoch; 0: none. */
  seqUntil(atMs: number): number
}

/** An entry without the fields that the journal adds. */
export type ReadEntry = RecordBody & { uuid: EntryId; parentUuid: EntryId | null; at: number }

/** An image that entries refer to, for `blobs/`. */
export interface ReadImage {
  sha256: string
  data: Buffer
}

/** Counts of a transcript's records: `lines` = `mapped` + `foreign` + `damaged` (I2). */
export interface LineCounts {
  /** All records. Two records on one line count as two; blank lines are not counted. */
  lines: number
  /** Records converted to entries. */
  mapped: number
  /** Records preserved verbatim. */
  foreign: number
  /** Unreadable records. */
  damaged: number
}
export const noLines = (): LineCounts => ({ lines: 0, mapped: 0, foreign: 0, damaged: 0 })

export interface DamagedLine {
  file: string
  /** From 1. */
  line: number
  bytes: number
  reason: string
}

/** A file that a call of the session edited. */
export interface EditedFile {
  /** Absolute, on the machine of the session. */
  path: string
  /** Time of the last edit, in milliseconds since the epoch. */
  atMs: number
}

/** A task of the session, read from the tool's log. */
export interface ReadTask {
  id: TaskId
  /** The tool's name of the task. */
  key: string
  /** Null: the task is the session itself. */
  parentId: TaskId | null
  callId: ToolCallId | null
  title: string
  /** The role of the agent. */
  agent: string
  prompt: string
  /** The initial working directory. */
  cwd: string
  branch: string | null
  /** Files edited by edit tools, most recent last. Files written by commands are unknown. */
  edited: EditedFile[]
  /** Both in milliseconds since the epoch; null: no record has a time. */
  startedAtMs: number | null
  endedAtMs: number | null
  model: string | null
  usage: Usage
  /** The last message of a sub-agent that ended with one; null otherwise. */
  report: string | null
  /** False: the log ends in the middle of the work. */
  isComplete: boolean
  counts: LineCounts
  /** Only for Shiplog exports: the task with data that other tools do not record. */
  exported?: {
    task: ExportedTask
    /** False: the export has only reports. */
    hasTranscript: boolean
    reports: ReadReport[]
    withheld: number
  }
}

export type ReadReport = Omit<Extract<ExportLine, { shiplog: 'report' }>, 'shiplog'>

/** A part of a task in a Shiplog export, preserved verbatim. */
export type ExportedPart =
  | { kind: 'record'; bytes: Buffer; withheld: boolean }
  | { kind: 'line'; line: ExportLine }

export type ReadEvent =
  | { kind: 'entries'; task: TaskId; entries: ReadEntry[]; images: ReadImage[] }
  /** Emitted instead of entries for Shiplog exports. */
  | { kind: 'exported'; task: TaskId; part: ExportedPart }
  | { kind: 'damage'; damage: DamagedLine }
  /** Bytes read since the previous event, for progress. */
  | { kind: 'bytes'; bytes: number }
  /**
   * The last event. Parents precede their sub-agents. `continues`: the session that this one continues from.
   * `isRedacted`: content was masked or withheld. `withoutFiles`: contents of changed files were left out.
   */
  | {
      kind: 'end'
      version: string
      tasks: ReadTask[]
      links: LinkCounts
      isRedacted?: boolean
      withoutFiles?: boolean
      continues?: ContinuedSession | null
    }

export interface ContinuedSession {
  taskId: TaskId
  /** The seq of the last copied entry in that session. */
  seq: number
  /** Number of copied records; they were counted as mapped in that session. */
  copies: number
}

interface LinkCounts {
  /** Sub-agents with a known call. */
  linked: number
  /** Sub-agents without a call. */
  unlinked: number
  /** Sub-agents whose session file is missing. */
  orphaned: number
  /** Calls that refer to a sub-agent without a transcript. */
  missing: number
}

export interface ImportAdapter {
  tool: ImportTool
  /**
   * Yields the sessions at an absolute path: a file, a folder of sessions, or the tool's whole folder. Yields none for
   * a file of another tool, so that `discover` also detects a log's format.
   */
  discover(path: string, signal: AbortSignal): AsyncGenerator<FoundSession>
  /** The first prompt of a user in a session's first lines, shortened to a title. Null: they have none. Absent: unknown. */
  firstPrompt?(session: FoundSession): Promise<string | null>
  /**
   * Reads a session. Its modules are loaded with the first one: schemas and prices take most of the start of the thread,
   * and discovery needs neither. `idOf`: maps the tool's name of a task to its id; '' is the session itself.
   */
  read(
    session: FoundSession,
    context: {
      idOf(key: string): TaskId
      signal: AbortSignal
      /** Archived sessions that it may continue from. Absent: none. */
      earlier?: readonly EarlierSession[]
    },
  ): AsyncGenerator<ReadEvent>
}
