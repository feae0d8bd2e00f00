/**
 * Limits and messages of a run: whether its next turn may begin, and with which messages of the
 * user (Q2, Q3).
 */
import type { AgentHost } from '../../shared/agents/driver/agent-session.ts'
import type { Masker } from '../../shared/agents/driver/masker.ts'
import type { PromptPart } from '../../shared/agents/driver/prompt-parts.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import type { PromptId, RunId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { WaitingPrompt } from '../../shared/records/tasks/waiting-prompts.ts'
import type { Usage } from '../../shared/records/usage.ts'
import type { Session } from '../sessions/session.ts'
import { givenPrompt, type Prompt, promptParts } from './first-prompt.ts'

export interface RunLimits {
  /**
   * Resolves once a turn may begin. Rejects with the cause if the run has to end, or with the
   * signal's reason.
   */
  beforeTurn(signal: AbortSignal): Promise<void>
  /** Reports whether the user asked to wrap up: the next turn is the last one. */
  isWrappingUp(): boolean
  /** Consumes the user's request for a summary of the conversation; resolves with false if there is none. */
  takeCompaction(): Promise<boolean>
  /** Returns the user's messages to the running agent that were not delivered yet, oldest first. */
  messages(): Pick<WaitingPrompt, 'id' | 'prompt' | 'images'>[]
  /**
   * Records a message with `record`, then its delivery. Resolves with false, recording nothing, if
   * it was withdrawn.
   */
  deliver(promptId: PromptId, record: () => Promise<void>): Promise<boolean>
  /** Called with the run's total usage so far. If `measured` is absent, `usage.complete` applies to both fields. */
  used(usage: Usage, measured?: Measured): void
}

/** Reports whether every complete turn reported its cost and its tokens. */
export interface Measured {
  usd: boolean
  tokens: boolean
}

/** The fields of a recorded message to the agent. */
interface MessagePlace {
  task: Pick<Task, 'id'>
  /** Absolute. */
  cwd: string
  clock: () => number
  gitBranch: () => Promise<string | null>
}

/**
 * Returns the entry of a message to the agent, from the user unless `by` is set. `promptId` identifies a message that
 * was sent while the agent ran.
 */
export async function messageTo(
  { task, cwd, clock, gitBranch }: MessagePlace,
  runId: RunId,
  prompt: Prompt,
  { promptId, by }: { promptId?: PromptId; by?: 'shiplog' } = {},
): Promise<EntryBody> {
  return {
    type: 'message',
    role: 'user',
    parts: promptParts(prompt),
    cwd,
    timestamp: new Date(clock()).toISOString(),
    gitBranch: await gitBranch(),
    sessionId: task.id,
    runId,
    turn: null,
    status: 'complete',
    ...(promptId && { promptId }),
    ...(by && { by }),
  }
}

/**
 * The agent's request to its host between two turns. Messages are durable before they are
 * delivered.
 */
export function createTurnBoundary(options: {
  task: Pick<Task, 'id' | 'parentId'>
  runId: RunId
  session: Pick<Session, 'append' | 'state' | 'readBlob' | 'lastSeq'>
  limits: RunLimits
  secrets: Masker
  signal: AbortSignal
  place: () => MessagePlace
}): Pick<AgentHost, 'nextTurn' | 'messages'> {
  const { task, runId, session, limits, secrets, signal } = options
  let isLast = false

  async function messages(): Promise<PromptPart[][]> {
    const said: PromptPart[][] = []
    for (const { id, prompt, images = [] } of limits.messages()) {
      const message = { text: secrets.text(prompt), images }
      await limits.deliver(id, async () => {
        // A crash between the two writes left it in the session but not delivered in the ledger.
        // The agent's history has it.
        if ((await session.state()).steered.includes(id)) return
        await session.append(await messageTo(options.place(), runId, message, { promptId: id }))
        said.push(await givenPrompt(message, session))
      })
    }
    return said
  }

  async function nextTurn(): ReturnType<AgentHost['nextTurn']> {
    await limits.beforeTurn(signal)
    signal.throwIfAborted()
    const fromSeq = session.lastSeq + 1
    const said = await messages()
    let note: string | null = null
    if (limits.isWrappingUp() && !isLast) {
      isLast = true
      note = task.parentId === null ? wrapUpRoot : wrapUpSubAgent
      const words = { text: note, images: [] }
      await session.append(await messageTo(options.place(), runId, words, { by: 'shiplog' }))
    }
    return { messages: said, note, isLast, fromSeq, compact: await limits.takeCompaction() }
  }

  return { nextTurn, messages }
}

const wrapUpRoot =
  'Wrap up now: this is your last turn, and no call but agent_report is made. Say what you did and found, what you checked, and what is left.'
const wrapUpSubAgent =
  'Wrap up now: this is your last turn, and no other call is made. Call agent_report with what you did and found, what you checked, and what is left.'
