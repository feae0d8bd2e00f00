/** Converts one entry to the item that shows it. Entries that several items share are in `fold-turns.ts`. */

import type { PermissionAnswer } from '../../agents/agent-records.ts'
import { assertNever } from '../../assert-never.ts'
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import { formatRunSandbox } from '../../records/projects/sandbox.ts'
import { permissionText } from '../../text/permission-text.ts'
import { noticeOf } from './agent-notices.ts'
import type { NoteSubject, TranscriptItem } from './transcript-items.ts'
import { imageRefOf } from './turn-blocks.ts'

/** What every item has from its entry. */
interface ItemPlace {
  key: string
  seq: number
  at: string
}

type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>

/** The entries that each become one item, independently of earlier entries. */
type SingleItemEntry =
  | EntryOf<
      'run-start' | 'run-end' | 'resume' | 'worktree-state' | 'pr-link' | 'set-up' | 'summary'
    >
  | EntryOf<'plan' | 'foreign' | 'retrying' | 'agent-session' | 'fork-start' | 'fork-end'>
  | EntryOf<'snapshot-failed' | 'unknown'>
  | (EntryOf<'permission'> & { answer: PermissionAnswer })

export function itemOf(entry: SingleItemEntry, place: ItemPlace): TranscriptItem {
  switch (entry.type) {
    case 'run-start':
      return { kind: 'run-start', ...place, run: entry.run, reason: entry.reason }
    case 'run-end': {
      const { run, status, cause } = entry
      return { kind: 'run-end', ...place, run, status, cause }
    }
    case 'resume':
      return { kind: 'resume', ...place, drift: entry.drift }
    case 'worktree-state': {
      const { worktreePath: path = null, worktreeBranch: branch = null } =
        entry.worktreeSession ?? {}
      return { kind: 'worktree', ...place, path, branch }
    }
    case 'pr-link':
      return { kind: 'pr-link', ...place, url: entry.url }
    case 'set-up':
      return setUpNote(entry, place)
    case 'summary':
      return { kind: 'summary', ...place, text: entry.text }
    case 'plan':
      return { kind: 'plan', ...place, items: entry.items }
    case 'foreign': {
      const notice = noticeOf(entry)
      if (notice) return { kind: 'note', ...place, ...notice }
      return { kind: 'foreign', ...place, source: entry.source, content: entry.content }
    }
    case 'permission':
      return note('permission', permissionText(entry.question, entry.answer), place)
    case 'retrying': {
      const { turn, cause, untilMs } = entry
      return { kind: 'retry', ...place, turn, cause, untilMs }
    }
    case 'agent-session':
      return note('agent-session', `Session ${entry.ref.id} of ${entry.ref.agent}`, place)
    case 'fork-start':
      return { kind: 'fork', ...place, edge: 'start' }
    case 'fork-end':
      return { kind: 'fork', ...place, edge: 'end' }
    case 'snapshot-failed':
      return note('snapshot-failed', `The files could not be recorded here: ${entry.reason}`, place)
    case 'unknown':
      return { kind: 'unknown', ...place, entry }
    default:
      return assertNever(entry)
  }
}

/** Returns the item of a message to the agent: a prompt, or a note if Shiplog sent it. */
export function promptItem(entry: MessageEntry, place: ItemPlace): TranscriptItem {
  const text = entry.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (entry.by === 'shiplog') return note('message', `Shiplog told the agent: ${text}`, place)
  return {
    kind: 'prompt',
    ...place,
    text,
    images: entry.parts.flatMap((part) => (part.type === 'image' ? [imageRefOf(part)] : [])),
    toRunning: entry.promptId !== undefined,
    at: entry.timestamp,
    cwd: entry.cwd,
    gitBranch: entry.gitBranch,
  }
}

/** Returns notes about the variables withheld from the agents of a run, and about their sandbox. */
export function notesOfRun(
  { withheld, sandbox }: EntryOf<'run-start'>,
  place: ItemPlace,
): TranscriptItem[] {
  const { key } = place
  const notes: TranscriptItem[] = []
  if (withheld?.length) {
    const text = `Withheld from the agents: ${withheld.join(', ')}`
    notes.push(note('withheld', text, { ...place, key: `${key}:withheld` }))
  }
  if (sandbox)
    notes.push(note('sandbox', formatRunSandbox(sandbox), { ...place, key: `${key}:sandbox` }))
  return notes
}

function setUpNote({ changed, command }: EntryOf<'set-up'>, place: ItemPlace): TranscriptItem {
  const [first = ''] = command.split('\n', 1)
  if (changed.length === 0) return note('set-up', `Set up with ${first}`, place)
  const text = `Set-up was not run: agents changed ${changed.join(', ')} since it was allowed. An agent can run it like any other command.`
  return note('set-up-skipped', text, place)
}

const note = (about: NoteSubject, text: string, place: ItemPlace): TranscriptItem => ({
  kind: 'note',
  ...place,
  about,
  text,
})
