import type { FoundSession } from '../adapter.ts'
import { firstRecords } from '../folders.ts'
import { asRecord, records, text, titleOf } from '../values.ts'
import { isPromptEvent, isUserPrompt, looksInjected } from './prompts.ts'

/** Reads first lines only; see `ImportAdapter`. */
export async function firstCodexPrompt({ files }: FoundSession): Promise<string | null> {
  const own = files.find(({ role }) => role === 'session')
  if (!own) return null
  const first = await firstRecords(own.path, (record) => promptOf(record) !== null)
  return first.map(promptOf).find((one) => one !== null) ?? null
}

/** Null: not a prompt of a user. */
function promptOf(record: Record<string, unknown>): string | null {
  const payload = asRecord(record.payload)
  if (isPromptEvent(payload)) return said([payload.message])
  if (payload.type !== 'message' || payload.role !== 'user') return null
  if (!(isUserPrompt(payload) ?? !looksInjected(payload))) return null
  return said(records(payload.content).map((part) => part.text))
}

function said(values: readonly unknown[]): string | null {
  const first = values.map(text).find((one) => one !== null && one.trim() !== '')
  return (first && titleOf(first)) || null
}
