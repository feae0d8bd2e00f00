/** Classifies an update without reading its content. Pure. */
import { isRecord, textOfContent } from '../content.ts'

/** Reports whether the agent itself speaks, thinks or calls a tool. */
export function isSpeechOrCall(update: unknown): boolean {
  if (!isRecord(update)) return false
  const { sessionUpdate, content } = update
  if (sessionUpdate === 'tool_call') return true
  const speaks = sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk'
  return speaks && textOfContent(content) !== ''
}

/** False for updates that only describe a session's interface or usage. */
export const hasContent = (update: unknown): boolean =>
  !isRecord(update) || !metadataUpdates.has(String(update.sessionUpdate))

const metadataUpdates: ReadonlySet<string> = new Set([
  'usage_update',
  'session_info_update',
  'config_option_update',
  'available_commands_update',
  'current_mode_update',
])
