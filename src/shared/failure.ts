/**
 * Expected failures as named values. Services throw them inside a `FailureError`; the hosts
 * turn them into ORPC errors and exit codes. A message states what failed, where, and the remedy.
 */
import { idPrefixLengthMin } from './records/ids.ts'

/** The kind of thing that a request referred to. */
type Subject =
  | 'task'
  | 'workspace'
  | 'project'
  | 'report'
  | 'transcript'
  | 'receipt'
  | 'output'
  | 'turn'
  | 'value'
  | 'parallel group'
  | 'question'
  | 'provider'
  | 'agent'
  | 'image'
  | 'comment'
  | 'folder'
  | 'file'

export type Failure =
  /** `why`: a sentence that replaces the usual message. */
  | { kind: 'not-found'; what: Subject; id: string; why?: string }
  | { kind: 'ambiguous'; what: Subject; id: string; candidates: string[] }
  | { kind: 'out-of-scope'; what: Subject; id: string }
  | { kind: 'damaged'; what: Subject; id: string; file: string; reason: string }
  | { kind: 'invalid'; field: string; message: string }
  | { kind: 'refused'; reason: RefusalReason; message: string }

/** Why a valid request can't be executed now. */
type RefusalReason =
  | 'running'
  | 'not-running'
  | 'not-interrupted'
  | 'not-failed'
  | 'conflicts'
  | 'nothing-to-resume'
  | 'completed'
  | 'setup-not-trusted'
  | 'setup-changed'
  | 'settings-changed'
  | 'not-git'
  | 'folder-gone'
  | 'no-planning-folder'
  | 'removed'
  | 'unknown-worktree'
  /** Only a user can do it, in a window of the process that holds the data directory (K7). */
  | 'window-decides'
  | 'not-archived'
  | 'nothing-to-apply'
  | 'in-use'
  | 'nothing-to-undo'
  /** A selection of changes was made from a diff that is out of date. */
  | 'changed-since-shown'
  | 'settings-lost'
  | 'clock-ahead'
  | 'closing'
  | 'not-a-root'
  /** The agent can't start: its model has no key, or its program is not usable. */
  | 'not-set-up'
  /** A provider of models can't be reached, or gave no usable answer. */
  | 'provider-answer'
  /** The server answers, but has no list of models: it may serve one that is named. */
  | 'no-model-list'

export class FailureError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(messageOf(failure))
    this.name = 'FailureError'
    this.failure = failure
  }
}

const fail = (failure: Failure): never => {
  throw new FailureError(failure)
}

export const invalid = (field: string, message: string): never =>
  fail({ kind: 'invalid', field, message })
export const refused = (reason: RefusalReason, message: string): never =>
  fail({ kind: 'refused', reason, message })

function messageOf(failure: Failure): string {
  switch (failure.kind) {
    case 'not-found':
      if (failure.why !== undefined) return failure.why
      if (failure.what === 'parallel group') {
        return `There is no parallel group "${failure.id}", and no agent with that id; \`shiplog tasks list --all\` shows every agent`
      }
      if (nameHints[failure.what] !== undefined) {
        return `There is no ${failure.what} "${failure.id}"${nameHints[failure.what]}`
      }
      if (failure.id.length < idPrefixLengthMin) {
        return `${failure.id || 'An empty text'} is too short for an id: give at least ${idPrefixLengthMin} characters`
      }
      return `no ${failure.what} with the id ${failure.id}; ${whereIdsAre(failure.what)}`
    case 'ambiguous':
      return `${failure.id} matches more than one ${failure.what}; give more characters of one of: ${failure.candidates.join(', ')}`
    case 'out-of-scope':
      return `${failure.what} ${failure.id} is not below the requesting workspace`
    case 'damaged':
      return `the ${failure.what} of ${failure.id} can't be read (${failure.file}: ${failure.reason}); the file is kept as it is`
    case 'invalid':
    case 'refused':
      return failure.message
  }
}

/** For subjects with names or paths instead of ids, which no list of tasks shows and which may be short. */
const nameHints: Partial<Record<Subject, string>> = {
  agent: '; `shiplog agent list` shows every agent',
  provider: '; `shiplog agent setup` sets one up',
  folder: '',
  file: '',
}

function whereIdsAre(what: Subject): string {
  switch (what) {
    case 'receipt':
      return '`shiplog prune` prints its receipt, and the settings of the app list all receipts'
    case 'project':
      return '`shiplog projects list` shows every id'
    default:
      return '`shiplog tasks list --all` shows every id'
  }
}
