/** Agents that a test plays: a generator in the place of a session. */
import type { AgentEvent, SpeechKind } from '../../src/shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../src/shared/agents/driver/agent-place.ts'
import type {
  AgentHost,
  AgentSession,
  OpenAgent,
} from '../../src/shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../src/shared/agents/driver/tool-result.ts'
import type { ToolCallId } from '../../src/shared/records/ids.ts'

/** What a played agent is given: its place, the prompt as text, and its host. */
export interface PlayedRun extends AgentPlace {
  prompt: string
  host: AgentHost
  callTool(name: string, input: unknown, callId?: ToolCallId): Promise<ToolResult>
}

export type PlayRun = (run: PlayedRun) => AsyncIterable<AgentEvent>

/** Opens an agent that does what `play` does. `over`: what of its session is to be another. */
export const playedAgent =
  (play: PlayRun, over: Partial<AgentSession> = {}): OpenAgent =>
  async (place) => ({
    ref: null,
    cancel: async () => undefined,
    close: async () => undefined,
    run: (prompt, host) =>
      play({
        ...place,
        prompt: prompt.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        host,
        callTool: (name, input, callId) => host.callTool({ name, input, callId }),
      }),
    ...over,
  })

/** A piece of a part; each kind of speech has one part unless named. */
export const speech = (
  text: string,
  kind: SpeechKind = 'text',
  part: string = kind,
): AgentEvent & { type: 'part-delta' } => ({ type: 'part-delta', part, kind, text })

export const failing = (text: string): AgentEvent => ({
  type: 'failed',
  cause: { kind: 'said', text },
})
