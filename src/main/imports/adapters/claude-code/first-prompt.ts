import type { FoundSession } from '../adapter.ts'
import { firstRecords } from '../folders.ts'
import { asRecord, records, text, titleOf } from '../values.ts'

/** Reads first lines only; see `ImportAdapter`. */
export async function firstClaudePrompt({ files }: FoundSession): Promise<string | null> {
  const own = files.find(({ role }) => role === 'session')
  if (!own) return null
  const first = await firstRecords(own.path, (record) => promptOf(record) !== null)
  return first.map(promptOf).find((one) => one !== null) ?? null
}

/** Null: not a prompt of a user. Text that the tool adds is in tags, and a command begins with a slash. */
function promptOf({ type, isMeta, message }: Record<string, unknown>): string | null {
  if (type !== 'user' || isMeta === true) return null
  const { content } = asRecord(message)
  const said = [text(content), ...records(content).map((part) => text(part.text))]
  const prompt = said.find((one) => one !== null && !/^\s*(?:<[a-z-]+>|\/|\[Request )/.test(one))
  return (prompt && titleOf(prompt)) || null
}
