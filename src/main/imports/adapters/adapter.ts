/**
 * The interface of every reader of other tools' logs. An adapter finds sessions by names, sizes, times and first lines,
 * and reads one as entries, in bounded memory. It never changes a file, and follows no link out of its folder (I1).
 */

import type { SessionTool } from '../../../shared/records/exported-tasks.ts'
import type { EntryId, TaskId, ToolCallId } from '../../../shared/records/ids.ts'
import type { Usage } from '../../../shared/records/usage.ts'
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
}

export interface FoundSession {
  tool: SessionTool
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

/** A task of the session as it was read. */
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
  cwd: string
  branch: string | null
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
}

export type ReadEvent =
  | { kind: 'entries'; task: TaskId; entries: ReadEntry[]; images: ReadImage[] }
  | { kind: 'damage'; damage: DamagedLine }
  /** Bytes read since the last one, for the progress. */
  | { kind: 'bytes'; bytes: number }
  /** The last one. Parents come before their sub-agents. */
  | { kind: 'end'; version: string; tasks: ReadTask[]; links: LinkCounts }

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
  tool: SessionTool
  /** Its place on this machine, by the environment; null: it has none. */
  home(env: NodeJS.ProcessEnv, homeDir: string): string | null
  /** Sessions at an absolute path: one file, a folder of sessions, or the tool's whole folder. */
  discover(path: string, signal: AbortSignal): AsyncGenerator<FoundSession>
  /** `idOf`: the id of the task that the tool names so; '' is the session itself. */
  read(
    session: FoundSession,
    context: { idOf(key: string): TaskId; signal: AbortSignal },
  ): AsyncGenerator<ReadEvent>
}
