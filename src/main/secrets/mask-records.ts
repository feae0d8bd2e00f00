/**
 * Masks known secrets in entries and ledger events before they are written (K3). Masks texts but
 * not ids, paths and other fields that are used for lookups.
 */
import type { Masker } from '../../shared/agents/driver/masker.ts'
import { assertNever } from '../../shared/assert-never.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import type { LedgerEvent } from '../../shared/records/ledger.ts'

export function maskEntry(mask: Masker, entry: EntryBody): EntryBody {
  switch (entry.type) {
    case 'message':
      return {
        ...entry,
        parts: entry.parts.map((part) =>
          'text' in part ? { ...part, text: mask.text(part.text) } : part,
        ),
      }
    case 'tool-call':
      return { ...entry, ...mask.value({ input: entry.input, title: entry.title }) }
    case 'tool-result':
      return { ...entry, ...mask.value({ output: entry.output, detail: entry.detail }) }
    case 'title':
      return { ...entry, title: mask.text(entry.title) }
    case 'set-up':
      return { ...entry, command: mask.text(entry.command) }
    case 'summary':
      return { ...entry, text: mask.text(entry.text) }
    case 'snapshot-failed':
      return { ...entry, reason: mask.text(entry.reason) }
    case 'pr-link':
      return { ...entry, url: mask.text(entry.url) }
    case 'run-end':
      return { ...entry, cause: mask.value(entry.cause) }
    case 'resume':
      return { ...entry, drift: mask.value(entry.drift) }
    case 'permission':
      return {
        ...entry,
        question: mask.text(entry.question),
        options: mask.value(entry.options),
        answer: mask.value(entry.answer),
      }
    case 'plan':
      return { ...entry, items: mask.value(entry.items) }
    case 'compaction':
      return { ...entry, summary: mask.text(entry.summary) }
    case 'retrying':
      return { ...entry, cause: mask.value(entry.cause) }
    case 'foreign':
      return { ...entry, content: mask.value(entry.content) }
    case 'run-start':
    case 'agent-session':
    case 'fork-start':
    case 'fork-end':
    case 'worktree-state':
    case 'file-history-snapshot':
    case 'attribution-snapshot':
    case 'workspace-snapshot':
    case 'unknown':
      return entry
    default:
      return assertNever(entry)
  }
}

/** The fields of ledger events with text of a user, an agent or a command. */
const textFields = ['title', 'prompt', 'text', 'lineText', 'cause', 'pending', 'plan'] as const

export function maskEvent(mask: Masker, event: LedgerEvent): LedgerEvent {
  const fields: Record<string, unknown> = event
  const masked = textFields.flatMap((field) =>
    field in fields ? [[field, mask.value(fields[field])] as const] : [],
  )
  return { ...event, ...Object.fromEntries(masked) }
}
