/**
 * The interface of every reader of other tools' logs. An adapter finds sessions by names, sizes, times and first lines,
 * and reads one as entries, in bounded memory. It never changes a file, and follows no link out of its folder (I1).
 */

import type { ExportedTask, ImportTool } from '../../../shared/records/exported-tasks.ts'
import type { EntryId, TaskId, ToolCallId } from '../../../shared/records/ids.ts'
import type { Usage } from '../../../shared/records/usage.ts'
import type { ExportLine } from '../../export/formats/shiplog-file.ts'
import type { RecordBody } from '../../journal/index.ts'

export interface SourceFile {
  /** Absolute. */
  path: string
  /** Relative to the folder of the session, with `/`. */
  name: string
  bytes: number
  /** Milliseconds since the epoch. */
  mtimeMs: number
  role: 'session' | 'sub-agent' | 'compaction' | 'beside'
  /** As the tool names the sub-agent, or the compaction. */
  agentId?: string
  /** Its `bytes`, if they have been read: of small files, between hashing and mapping them. */
  content?: Buffer
}

export interface FoundSession {
  tool: ImportTool
  /** As the tool names it: the same for all versions of its files. */
  key: string
  /** The session's own file first, if it is there. */
  files: SourceFile[]
  /** The folder that it worked in, as its first lines say; null: they don't. */
  projectDir: string | null
  /** When the tool will delete it, in milliseconds since the epoch; null: not known, or never. */
  expiresAtMs: number | null
  /** The tool's own lists leave it out. */
  isHidden: boolean
  /** Given by a person or the tool, and kept outside of the session's own files. */
  title?: string
  /**
   * The id of its first message. A session that continues in another file begins with copies there, so that both have the
   * same. Absent: not known.
   */
  opening?: string
  /** Sessions that its first lines name as those it continues from. Absent: none. */
  namedEarlier?: string[]
}

/** A session that is in the archive, and that another one continues from. */
export interface EarlierSession {
  taskId: TaskId
  /** The other one names it. */
  isNamed: boolean
  /** The seq of its last message; 0 if it has none. */
  lastSeq: number
  /** Whether it or one of its sub-agents has a message with that id. */
  has(id: string): boolean
  /** The seq of its own message with that id; null if it has none. */
  seqOf(id: string): number | null
  /** The seq of its last own message up to that time, in milliseconds since the epoch; 0 if it has none. */
  seqUntil(atMs: number): number
}

/** An entry with everything but what the journal adds. */
export type ReadEntry = RecordBody & { uuid: EntryId; parentUuid: EntryId | null; at: number }

/** An image that entries refer to, for `blobs/`. */
export interface ReadImage {
  sha256: string
  data: Buffer
}

/** What the lines of one transcript came to: `lines` = `mapped` + `foreign` + `damaged` (I2). */
export interface LineCounts {
  /** Records of the files. Two records on one line count as two, and blank lines are not counted. */
  lines: number
  /** Became entries of their own meaning. */
  mapped: number
  /** Kept verbatim. */
  foreign: number
  /** Could not be read. */
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
  /** When it was edited last, in milliseconds since the epoch. */
  atMs: number
}

/** A task of the session, read from the tool's log. */
export interface ReadTask {
  id: TaskId
  /** As the tool names it. */
  key: string
  /** Null: it is the session itself. */
  parentId: TaskId | null
  callId: ToolCallId | null
  title: string
  /** Its role. */
  agent: string
  prompt: string
  /** The folder that it began in. */
  cwd: string
  branch: string | null
  /** By its edit tools, the last edited last; what its commands wrote is not known. */
  edited: EditedFile[]
  /** Milliseconds since the epoch; null: no record has a time. */
  startedAtMs: number | null
  endedAtMs: number | null
  model: string | null
  usage: Usage
  /** Its last message, if it is a sub-agent that ended with one. */
  report: string | null
  /** False: it stopped in the middle. */
  isComplete: boolean
  counts: LineCounts
  /** Only of an export of Shiplog: its task, with the facts that other tools do not record. */
  exported?: {
    task: ExportedTask
    /** False: only its report is in the export. */
    hasTranscript: boolean
    reports: ReadReport[]
    withheld: number
  }
}

export type ReadReport = Omit<Extract<ExportLine, { shiplog: 'report' }>, 'shiplog'>

/** What belongs to a task in an export of Shiplog, and is kept as it was written. */
export type ExportedPart =
  | { kind: 'record'; bytes: Buffer; withheld: boolean }
  | { kind: 'line'; line: ExportLine }

export type ReadEvent =
  | { kind: 'entries'; task: TaskId; entries: ReadEntry[]; images: ReadImage[] }
  /** Instead of entries. */
  | { kind: 'exported'; task: TaskId; part: ExportedPart }
  | { kind: 'damage'; damage: DamagedLine }
  /** Bytes read since the last one, for the progress. */
  | { kind: 'bytes'; bytes: number }
  /**
   * The last one. Parents come before their sub-agents. `continues`: the earlier session that it continues from.
   * `isRedacted`: something was masked or left out.
   */
  | {
      kind: 'end'
      version: string
      tasks: ReadTask[]
      links: LinkCounts
      isRedacted?: boolean
      continues?: ContinuedSession | null
    }

export interface ContinuedSession {
  taskId: TaskId
  /** Its last entry that this one has a copy of. */
  seq: number
  /** Records that are copies; they count as mapped, there. */
  copies: number
}

interface LinkCounts {
  /** Sub-agents whose call is known. */
  linked: number
  /** Sub-agents of the session that no call refers to. */
  unlinked: number
  /** Sub-agents whose session is gone. */
  orphaned: number
  /** Calls that refer to a sub-agent without a transcript. */
  missing: number
}

export interface ImportAdapter {
  tool: ImportTool
  /**
   * Sessions at an absolute path: one file, a folder of sessions, or the tool's whole folder. None, if the content of the
   * file is not the tool's: by that it shows what wrote a log.
   */
  discover(path: string, signal: AbortSignal): AsyncGenerator<FoundSession>
  /** `idOf`: the id of the task that the tool names so; '' is the session itself. */
  read(
    session: FoundSession,
    context: {
      idOf(key: string): TaskId
      signal: AbortSignal
      /** Sessions here that it may continue from. Absent: none. */
      earlier?: readonly EarlierSession[]
    },
  ): AsyncGenerator<ReadEvent>
}
