/** Classifies an update without reading its content. Pure. */
import { isRecord, textOfContent } from '../content.ts'

/** The agent itself speaks, thinks or calls a tool. */
export function isSpeechOrCall(update: unknown): boolean {
  if (!isRecord(update)) return false
  const { sessionUpdate, content } = update
  if (sessionUpdate === 'tool_call') return true
  const speaks = sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk'
  return speaks && textOfContent(content) !== ''
}

/** False: it describes the interface of a session, or counts what it used. */
export const saysSomething = (update: unknown): boolean =>
  !isRecord(update) || !sidelines.has(String(update.sessionUpdate))

const sidelines: ReadonlySet<string> = new Set([
  'usage_update',
  'session_info_update',
  'config_option_update',
  'available_commands_update',
  'current_mode_update',
])
