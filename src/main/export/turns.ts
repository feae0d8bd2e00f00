/** The conversation of a task as prompts and turns, for formats based on messages and calls. */
import type { Entry } from '../../shared/records/entries.ts'
import type { MessageEntry } from '../../shared/records/entry-types/messages.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../shared/records/entry-types/tool-calls.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { ExportRun } from './export-run.ts'
import { readEntries } from './session-entries.ts'
import { shortened } from './transcript-items.ts'

export type Conversation =
  | { kind: 'prompt'; message: MessageEntry }
  | Turn
  /** Any other entry: an event between turns. */
  | { kind: 'other'; entry: Exclude<Entry, MessageEntry | ToolCallEntry | ToolResultEntry> }

export interface Turn {
  kind: 'turn'
  /** Null: the turn was interrupted before its message was written. */
  message: MessageEntry | null
  calls: { call: ToolCallEntry | null; result: ToolResultEntry | null }[]
}

/** In file order; a turn is placed at its message. Holds one turn in memory. */
export async function* conversation(run: ExportRun, task: Task): AsyncGenerator<Conversation> {
  let open: Turn & { of: string | null } = { kind: 'turn', message: null, calls: [], of: null }
  const take = (message: MessageEntry | null): Turn => {
    const { calls } = open
    open = { kind: 'turn', message: null, calls: [], of: null }
    return { kind: 'turn', message, calls }
  }
  for await (const read of readEntries(run, task)) {
    if (read.kind !== 'entry') continue
    const { entry, wholeOutput } = read
    switch (entry.type) {
      case 'tool-call':
        if (open.of !== null && open.of !== entry.messageUuid) yield take(null)
        open.of = entry.messageUuid
        open.calls.push({ call: entry, result: null })
        break
      case 'tool-result': {
        const whole = wholeOutput?.text ?? entry.output
        const output = run.request.outputs === 'bounded' ? shortened(whole) : whole
        const result = { ...entry, output }
        const known = open.calls.find(({ call }) => call?.callId === entry.callId)
        if (known) known.result = result
        else open.calls.push({ call: null, result })
        break
      }
      case 'message':
        if (entry.role === 'user') yield { kind: 'prompt', message: entry }
        else yield take(entry)
        break
      default:
        yield { kind: 'other', entry }
    }
  }
  if (open.calls.length > 0) yield take(null)
}

/** The text of a message's parts of one kind. */
export const textOf = ({ parts }: MessageEntry, type: 'text' | 'reasoning'): string =>
  parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n\n')
