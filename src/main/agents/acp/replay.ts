/**
 * Compares what an agent replays of a loaded session with Shiplog's record of the same session (G4). The replay is not
 * recorded again; only the differences are.
 */

import type { AgentSessionRef } from '../../../shared/agents/agent-records.ts'
import type { SessionHistory } from '../../../shared/agents/driver/agent-place.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import { isRecord, text, textOfContent } from './content.ts'
import { agentIdOf, createCallIds } from './updates/call-ids.ts'
import { callStateOf, isEnd, newCall, outputOf } from './updates/calls.ts'
import { ownToolOf } from './updates/own-tools.ts'
import { shownPathIn } from './updates/shown-paths.ts'

interface ReplayDifferences {
  /** One sentence each. */
  sentences: string[]
  /** Text, reasoning and calls that the agent has and the record lacks. */
  onlyAgent: { text: string; reasoning: string; calls: ReplayedCall[] }
}

interface ReplayedCall {
  callId: string
  title: string
  status: string
  /** The end of its output. */
  output: string
}

export interface Replay {
  add(update: unknown): void
  /** Resolves with null if the replay and the record agree. */
  differences(history: SessionHistory, ref: AgentSessionRef): Promise<ReplayDifferences | null>
}

/** Longer replays are compared by their calls only. */
const textCharsMax = 8_000_000
const shownCharsMax = 20_000
const shownCallsMax = 100
const shownOutputCharsMax = 2_000
/** Most agents cut longer outputs, each in its own way. */
const comparedOutputCharsMax = 20_000

type Call = ReturnType<typeof newCall>

export function createReplay(cwd: string, mask: Masker): Replay {
  let messageText = ''
  let isTooLong = false
  const thoughts: string[] = []
  let thoughtChars = 0
  /** The message id of the thought that the last update continued; null if it was no thought. */
  let openThoughtId: string | null = null
  const shown = shownPathIn(cwd, cwd)
  const ids = createCallIds(1)
  const calls = new Map<string, Call>()

  function add(update: unknown): void {
    if (!isRecord(update)) return
    const { sessionUpdate } = update
    if (sessionUpdate === 'agent_thought_chunk') return addThought(update)
    openThoughtId = null
    if (sessionUpdate === 'agent_message_chunk') {
      if (isTooLong) return
      messageText += textOfContent(update.content) ?? ''
      isTooLong = messageText.length > textCharsMax
    } else if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') {
      const id = text(update.toolCallId)
      if (id === null || id === '') return
      calls.set(id, callStateOf(calls.get(id) ?? newCall(ids.only(id)), update, shown))
    }
  }

  function addThought(update: Record<string, unknown>): void {
    const piece = textOfContent(update.content) ?? ''
    const id = text(update.messageId) ?? ''
    thoughtChars += piece.length
    if (thoughtChars > textCharsMax) return
    thoughts.push(id === openThoughtId ? (thoughts.pop() ?? '') + piece : piece)
    openThoughtId = id
  }

  async function differences(
    history: SessionHistory,
    ref: AgentSessionRef,
  ): Promise<ReplayDifferences | null> {
    const recorded = await readRecorded(history, ref)
    const found: ReplayDifferences = {
      sentences: [],
      onlyAgent: { text: '', reasoning: '', calls: [] },
    }
    if (!isTooLong) compareTexts(mask.text(messageText), recorded.messageText, found)
    if (thoughtChars <= textCharsMax)
      compareThoughts(thoughts.map(mask.text), recorded.reasoning, found)
    compareCalls(recorded, found)
    return found.sentences.length > 0 ? found : null
  }

  function compareCalls(
    { outcomes, outputs, starts }: Pick<Recorded, 'outcomes' | 'outputs' | 'starts'>,
    found: ReplayDifferences,
  ): void {
    const replayed = [...calls.values()].filter((call) => ownToolOf(call) === null)
    const outputIn = (call: Call) => mask.text(outputOf(call))
    const missing = replayed.filter(({ callId }) => !outcomes.has(callId))
    const nowCompleted = replayed.filter(
      ({ callId, status }) => outcomes.get(callId) === 'unknown' && status === 'completed',
    )
    const different = replayed.filter((call) => {
      const output = outputs.get(call.callId)
      return output !== undefined && isEnd(call.status) && isDifferent(outputIn(call), output)
    })
    const ids = new Set<string>(replayed.map(({ callId }) => callId))
    // Agents do not store calls that were interrupted.
    const notReplayed = [...outcomes].filter(
      ([id, outcome]) => outcome !== 'unknown' && !ids.has(id) && !starts.has(id),
    )
    const addSentence = (count: number, one: string, more: string) => {
      if (count > 0) found.sentences.push(count === 1 ? one : `${count} ${more}`)
    }
    addSentence(
      missing.length,
      'One call is in the agent’s own record only.',
      'calls are in the agent’s own record only.',
    )
    addSentence(
      nowCompleted.length,
      'One call, whose outcome is unknown here, has completed by the agent’s own record.',
      'calls, whose outcome is unknown here, have completed by the agent’s own record.',
    )
    addSentence(
      different.length,
      'One call has another output in the agent’s own record.',
      'calls have another output in the agent’s own record.',
    )
    addSentence(
      notReplayed.length,
      'One call of this record is missing in the agent’s own.',
      'calls of this record are missing in the agent’s own.',
    )
    found.onlyAgent.calls = [...missing, ...nowCompleted, ...different]
      .slice(0, shownCallsMax)
      .map((call) => ({
        callId: call.callId,
        title: call.title ?? call.name,
        status: call.status,
        output: outputIn(call).slice(-shownOutputCharsMax),
      }))
  }

  return { add, differences }
}

/** Messages are split differently in both, and white space at their ends is lost, so both are compared without it. */
function compareTexts(replayed: string, recorded: string, found: ReplayDifferences): void {
  const [there, here] = [withoutSpaces(replayed), withoutSpaces(recorded)]
  if (there === here) return
  if (there.startsWith(here)) {
    found.sentences.push('The agent’s own record continues with text that this one does not have.')
    found.onlyAgent.text = replayed.slice(-(there.length - here.length + 200)).slice(-shownCharsMax)
  } else if (here.startsWith(there))
    found.sentences.push('Text at the end of this record is missing in the agent’s own.')
  else {
    found.sentences.push('The agent’s own record has other text than this one.')
    found.onlyAgent.text = replayed.slice(-shownCharsMax)
  }
}

/** Agents store a part of their reasoning, or none, so only their thoughts are searched in the record. */
function compareThoughts(replayed: string[], recorded: string, found: ReplayDifferences): void {
  const here = withoutSpaces(recorded)
  const missing = replayed.filter((thought) => !here.includes(withoutSpaces(thought)))
  if (missing.length === 0) return
  found.sentences.push('The agent’s own record has reasoning that this one does not have.')
  found.onlyAgent.reasoning = missing.join('\n\n').slice(-shownCharsMax)
}

/** Reports whether neither output contains the other: agents store a part of an output, or put text around it. */
function isDifferent(replayed: string, recorded: string): boolean {
  const [there, here] = [withoutSpaces(replayed), withoutSpaces(recorded)]
  return !there.includes(here) && !here.includes(there)
}

const withoutSpaces = (content: string): string => content.replace(/\s+/g, '')

/** The record of one session of the agent. */
interface Recorded {
  messageText: string
  reasoning: string
  /** Outcomes of the calls that the agent executed, by the agent's ids, as in the next two. */
  outcomes: ReadonlyMap<string, string>
  /** Their outputs, except those of unknown outcome and long ones, which the record or the agent may have truncated. */
  outputs: ReadonlyMap<string, string>
  /** Calls that stand for the start of a sub-agent, which the agent announces without a call. */
  starts: ReadonlySet<string>
}

async function readRecorded(history: SessionHistory, ref: AgentSessionRef): Promise<Recorded> {
  let isOfSession = false
  let messageText = ''
  let reasoning = ''
  const outcomes = new Map<string, string>()
  const outputs = new Map<string, string>()
  const starts = new Set<string>()

  function add(entry: Entry): void {
    if (entry.type === 'agent-session')
      isOfSession = entry.ref.agent === ref.agent && entry.ref.id === ref.id
    if (!isOfSession) return
    if (entry.type === 'message' && entry.role === 'assistant' && entry.status !== 'superseded')
      for (const part of entry.parts)
        if (part.type === 'text' && messageText.length <= textCharsMax) messageText += part.text
        else if (part.type === 'reasoning' && reasoning.length <= textCharsMax)
          reasoning += part.text
    // The agent's own record may have only one of several calls with the same id.
    if (entry.type === 'tool-call' && entry.by === 'agent')
      outcomes.set(agentIdOf(entry.callId), 'unknown')
    if (entry.type === 'tool-result' && outcomes.has(agentIdOf(entry.callId))) {
      outcomes.set(agentIdOf(entry.callId), entry.outcome)
      if (entry.outcome !== 'unknown' && entry.output.length <= comparedOutputCharsMax)
        outputs.set(agentIdOf(entry.callId), entry.output)
      else outputs.delete(agentIdOf(entry.callId))
    }
    if (entry.type === 'tool-result' && isRecord(entry.detail) && entry.detail.kind === 'tasks')
      starts.add(agentIdOf(entry.callId))
  }

  for await (const entry of history.entries('all')) add(entry)
  return { messageText, reasoning, outcomes, outputs, starts }
}
