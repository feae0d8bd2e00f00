/** What the scripted agent plays: what it can do, and the steps of each of its prompts. */

export interface AgentScript {
  /** `agentCapabilities` of its answer to `initialize`. */
  capabilities?: object
  modes?: { currentModeId: string; availableModes: { id: string; name: string }[] }
  configOptions?: object[]
  /** Where it answers -32000, as real agents do that nobody signed in to. */
  signedOut?: 'session/new' | 'session/prompt'
  /** Those of its answer to `initialize`. After `authenticate` with the id of the first it is signed in, as a file says. */
  authMethods?: { id: string; name: string; type?: string; _meta?: object }[]
  /** Ends its process there, or is silent. */
  diesAt?: string
  silentAt?: string
  /** Steps for each `session/prompt` of the process; the last ones are repeated. */
  prompts: Step[][]
  /** The same of a sub-agent that Shiplog started. Absent: as `prompts`. */
  childPrompts?: Step[][]
  /** Sent between `session/load` and its answer. `of`: a sub-agent, in whose session it is sent. */
  replay?: (object & { of?: string })[]
  /** Writes each update and question to the log once it was sent. */
  logsSent?: true
  /** Its process goes on when its input ends. */
  staysAtEnd?: true
  /** Connects to none of the servers that it is given. */
  ignoresMcp?: true
  /** Its own store has none of its sessions. */
  forgets?: boolean
}

export type Step =
  /** A `session/update`. `of`: another session than that of the prompt. */
  | { update: object; of?: string }
  /** A request for permission; the next steps are those of the answer, if they are given. */
  | { ask: object; of?: string; options?: string[]; allowed?: Step[]; rejected?: Step[] }
  /** The answer of the prompt. */
  | { end: object }
  | { error: { code: number; message: string; data?: unknown } }
  /** Plays on once the prompt is cancelled, and answers `cancelled` without an `end`. */
  | { untilCancelled: true }
  /** Plays on once this other session is cancelled. */
  | { untilOtherCancelled: string }
  /** Calls a tool of the server `shiplog`, and writes the result to the log. `callId`: sent with it, as Codex does. */
  | { mcp: { tool: string; input: Record<string, unknown>; callId?: string } }
  | { never: true }
  | { exit: number }
  | { stderr: string }
  /** Written to standard output as it is. */
  | { line: string }
  | { lineOfBytes: number }
  /** So many pieces of text. */
  | { flood: number }
  /** So many pieces of text, one in so many milliseconds. */
  | { stream: number; everyMs: number }
  /** Writes `waits` to the log, and plays on once this file is there. */
  | { untilFile: string }
  /** Starts a process that outlives its parent, in a group of its own, and writes its id to the log. */
  | { leaves: true }
  /** Sent when the prompt was answered. `of`: another session. */
  | { late: object; of?: string }
  /** Plays these when the prompt was answered. */
  | { after: Step[] }

export const textChunk = (text: string, messageId?: string): Step => ({
  update: {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
    ...(messageId !== undefined && { messageId }),
  },
})

export const thought = (text: string): Step => ({
  update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } },
})

export const call = (toolCallId: string, more: object): Step => ({
  update: { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...more },
})

export const callUpdate = (toolCallId: string, more: object): Step => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId, ...more },
})

/** What the session of a parent, or of the sub-agent `of`, says about a sub-agent of its own. */
export const subAgent = (sessionId: string, more: object, of?: string): Step => ({
  update: { sessionUpdate: 'subagent_update', sessionId, ...more },
  ...(of !== undefined && { of }),
})

/** The same step in the session of a sub-agent. */
export const inside = (of: string, step: Step): Step => ({ ...step, of }) as Step

export const ended = (more: object = {}): Step => ({
  end: {
    stopReason: 'end_turn',
    usage: { totalTokens: 30, inputTokens: 20, outputTokens: 10 },
    ...more,
  },
})
