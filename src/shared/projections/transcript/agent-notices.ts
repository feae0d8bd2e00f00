/** Notices of installed agents for the user. */
import type { Entry } from '../../records/entries.ts'

/** Returns the notice in a foreign entry of an installed agent (ACP): its title and description; null if it has none. */
export function noticeOf({ source, content }: Extract<Entry, { type: 'foreign' }>) {
  if (!source.startsWith('acp:') || content === null || typeof content !== 'object') return null
  const { sessionUpdate, title, description, severity, replay, unanswerable } = content as Record<
    string,
    unknown
  >
  if (replay !== undefined) return replayNotice(replay)
  if (unanswerable !== undefined) return refusalNotice(unanswerable)
  if (sessionUpdate !== 'notice' || typeof title !== 'string' || title.trim() === '') return null
  const more = typeof description === 'string' && description !== '' ? `\n${description}` : ''
  const isWarning = severity === 'warning' || severity === 'error'
  return { about: isWarning ? 'agent-warning' : 'agent-notice', text: title + more } as const
}

/** States that an agent asked for a permission that could not be given for one call alone. */
function refusalNotice(request: unknown) {
  const { toolCall } = (request ?? {}) as { toolCall?: { title?: unknown } }
  const what = typeof toolCall?.title === 'string' ? ` “${toolCall.title}”` : ' something'
  return {
    about: 'agent-warning',
    text: `The agent asked to do${what} and offered no way to allow that once, so it was refused. Shiplog never allows anything for always in the agent itself.`,
  } as const
}

/** Describes how the agent's own record of a loaded session differs from Shiplog's. */
function replayNotice(replay: unknown) {
  const { sentences, onlyAgent } = (replay ?? {}) as {
    sentences?: unknown
    onlyAgent?: { text?: unknown; calls?: unknown }
  }
  if (!Array.isArray(sentences)) return null
  const calls = Array.isArray(onlyAgent?.calls) ? onlyAgent.calls : []
  const lines = [
    sentences.join(' '),
    ...calls.map((call) => `${call?.title} (${call?.status})`),
    ...(typeof onlyAgent?.text === 'string' && onlyAgent.text !== '' ? [onlyAgent.text] : []),
  ]
  return { about: 'agent-warning', text: lines.join('\n') } as const
}
