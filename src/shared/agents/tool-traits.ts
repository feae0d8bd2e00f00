/**
 * The properties of each tool for the rest of the program. Every list, label and fold reads them
 * here; a tool without a row does not compile.
 */
import { counted } from '../text/counted.ts'
import { isToolName, type ToolName } from './tools.ts'

/** The icon of its calls. */
export type ToolIcon =
  | 'command'
  | 'read'
  | 'write'
  | 'edit'
  | 'list'
  | 'search'
  | 'web'
  | 'agents'
  | 'agent-list'
  | 'stop'
  | 'apply'
  | 'plan'
  | 'report'
  | 'question'

type ToolTraits = CommonTraits & (ReadOnlyTraits | { isReadOnly: false })

/** Several calls of such tools in a row are shown as one line. */
interface ReadOnlyTraits {
  /** It only reads. */
  isReadOnly: true
  /** Names a number of its calls in that line: `read 3 files`. */
  together: (count: number) => string
}

interface CommonTraits {
  icon: ToolIcon
  /** The files of the working directory that a call may change: none, the one it names, or any. */
  changes: 'no-files' | 'one-file' | 'any-files'
  /**
   * The treatment of a call whose result was lost in a crash. `ledger`: the ledger has the outcome,
   * so the repeated call returns it. `again`: it only waited, so it is repeated. `unknown`: it
   * is never repeated (S3).
   */
  afterCrash: 'ledger' | 'again' | 'unknown'
  /** True if its input is only recorded, so that known secrets are masked before it runs (K3). */
  writesOurRecord: boolean
  /**
   * The subject of the permission check before it runs (P1): `nothing`, because it only reads or changes only Shiplog's
   * record; its `command`; its `edit` of a file; the `set-up` of its worktree; or the `call` by name and subject.
   */
  decides: 'nothing' | 'command' | 'edit' | 'set-up' | 'call'
  /** The fields of the input that name the object of a call, the most specific first. */
  subject: readonly string[]
  /** `Running npm test`, `Ran npm test`, `Couldn’t read a.txt`. */
  verb: { now: string; done: string; failed: string }
  /** True if its output is the reports of sub-agents, in Markdown. */
  returnsReports?: true
  /** Shown if a call has no object; absent: nothing. */
  object?: string
  /** Shown before the object. */
  preposition?: string
}

const readOnly = {
  changes: 'no-files',
  afterCrash: 'unknown',
  isReadOnly: true,
  writesOurRecord: false,
  decides: 'nothing',
} as const
const times = (count: number): string => (count > 1 ? ` ${count} times` : '')
const acting = { ...readOnly, isReadOnly: false } as const

/** Tools that read the record: after a crash the recorded result is used, without another call. */
const reading = { ...readOnly, icon: 'read' } as const
const ofTask = (what: string, more: string) => ({
  together: (count: number) => `read ${counted(count, what, more)}`,
  subject: ['task'],
  verb: { now: 'Reading', done: 'Read', failed: 'Couldn’t read' },
  preposition: `${what} of`,
})

export const toolTraits: Readonly<Record<ToolName, ToolTraits>> = {
  bash: {
    ...acting,
    icon: 'command',
    changes: 'any-files',
    decides: 'command',
    subject: ['command'],
    // A command that failed may still have changed files.
    verb: { now: 'Running', done: 'Ran', failed: 'Ran' },
  },
  bash_output: {
    ...acting,
    icon: 'command',
    // Includes the changes that the command has made since it was started.
    changes: 'any-files',
    subject: ['id'],
    verb: { now: 'Checking', done: 'Checked', failed: 'Couldn’t check' },
    preposition: 'command',
  },
  bash_kill: {
    ...acting,
    icon: 'stop',
    changes: 'any-files',
    subject: ['id'],
    verb: { now: 'Ending', done: 'Ended', failed: 'Couldn’t end' },
    preposition: 'command',
  },
  read_file: {
    ...readOnly,
    icon: 'read',
    together: (count) => `read ${counted(count, 'file')}`,
    subject: ['path'],
    verb: { now: 'Reading', done: 'Read', failed: 'Couldn’t read' },
  },
  write_file: {
    ...acting,
    icon: 'write',
    changes: 'one-file',
    decides: 'edit',
    subject: ['path'],
    verb: { now: 'Writing', done: 'Wrote', failed: 'Couldn’t write' },
  },
  edit_file: {
    ...acting,
    icon: 'edit',
    changes: 'one-file',
    decides: 'edit',
    subject: ['path'],
    verb: { now: 'Editing', done: 'Edited', failed: 'Couldn’t edit' },
  },
  list_files: {
    ...readOnly,
    icon: 'list',
    together: (count) => `listed files${times(count)}`,
    subject: ['glob', 'path'],
    verb: { now: 'Listing', done: 'Listed', failed: 'Couldn’t list' },
    object: 'files',
  },
  search_files: {
    ...readOnly,
    icon: 'search',
    together: (count) => `searched${times(count)}`,
    subject: ['pattern'],
    verb: { now: 'Searching', done: 'Searched', failed: 'Couldn’t search' },
    preposition: 'for',
  },
  web_fetch: {
    ...acting,
    icon: 'web',
    decides: 'call',
    subject: ['url'],
    verb: { now: 'Fetching', done: 'Fetched', failed: 'Couldn’t fetch' },
  },
  task: {
    ...acting,
    icon: 'agents',
    returnsReports: true,
    afterCrash: 'ledger',
    writesOurRecord: true,
    decides: 'set-up',
    subject: ['title'],
    verb: { now: 'Starting', done: 'Started', failed: 'Couldn’t start sub-agent' },
  },
  task_await: {
    ...acting,
    icon: 'agents',
    returnsReports: true,
    afterCrash: 'ledger',
    subject: ['tasks'],
    verb: { now: 'Waiting for', done: 'Waited for', failed: 'Couldn’t wait for' },
    object: 'its tasks',
  },
  task_list: {
    ...readOnly,
    icon: 'agent-list',
    afterCrash: 'ledger',
    together: (count) => `listed tasks${times(count)}`,
    subject: [],
    verb: { now: 'Listing', done: 'Listed', failed: 'Couldn’t list' },
    object: 'its tasks',
  },
  task_stop: {
    ...acting,
    icon: 'stop',
    subject: ['task'],
    verb: { now: 'Stopping', done: 'Stopped', failed: 'Couldn’t stop' },
  },
  task_apply_patch: {
    ...acting,
    icon: 'apply',
    changes: 'any-files',
    subject: ['task'],
    verb: { now: 'Applying', done: 'Applied', failed: 'Couldn’t apply' },
    preposition: 'changes of',
  },
  update_plan: {
    ...acting,
    icon: 'plan',
    writesOurRecord: true,
    subject: [],
    verb: { now: 'Updating', done: 'Updated', failed: 'Couldn’t update' },
    object: 'its plan',
  },
  ask_person: {
    ...acting,
    icon: 'question',
    afterCrash: 'again',
    writesOurRecord: true,
    subject: ['question'],
    verb: { now: 'Asking', done: 'Asked', failed: 'Couldn’t ask' },
  },
  search_record: {
    ...reading,
    icon: 'search',
    together: (count) => `searched the record${times(count)}`,
    subject: ['query'],
    verb: { now: 'Searching', done: 'Searched', failed: 'Couldn’t search' },
    preposition: 'the record for',
  },
  read_transcript: { ...reading, ...ofTask('transcript', 'transcripts') },
  read_entry: { ...reading, ...ofTask('entry', 'entries') },
  read_report: { ...reading, ...ofTask('report', 'reports') },
  list_failures: {
    ...reading,
    together: (count) => `listed failures${times(count)}`,
    subject: ['task'],
    verb: { now: 'Listing', done: 'Listed', failed: 'Couldn’t list' },
    object: 'failures',
    preposition: 'failures of',
  },
  files_touched: {
    ...reading,
    together: (count) => `looked up changes${times(count)}`,
    subject: ['path', 'task'],
    verb: { now: 'Looking up', done: 'Looked up', failed: 'Couldn’t look up' },
    preposition: 'changes of',
  },
  agent_report: {
    ...acting,
    icon: 'report',
    afterCrash: 'ledger',
    writesOurRecord: true,
    subject: ['title'],
    verb: { now: 'Reporting', done: 'Reported', failed: 'Couldn’t report' },
  },
}

/** Returns the traits of a tool, or null for an unknown name. */
export const traitsOf = (name: string): ToolTraits | null =>
  isToolName(name) ? toolTraits[name] : null

/** Reports whether a call whose result was lost in a crash is repeated, without a second effect. */
export const isRepeatedAfterCrash = (name: string): boolean =>
  (traitsOf(name)?.afterCrash ?? 'unknown') !== 'unknown'
