/**
 * What an agent replays of a session that it loads, compared with Shiplog's record of the same session (G4). Nothing of
 * it is recorded again; what the two disagree about is.
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
  /** What only the agent has, and is not in the record otherwise. */
  onlyAgent: { text: string; reasoning: string; calls: ReplayedCall[] }
}

interface ReplayedCall {
  callId: string
  title: string
  status: string
  /** Its end. */
  output: string
}

export interface Replay {
  add(update: unknown): void
  /** Null: they agree. */
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
  let said = ''
  let isTooLong = false
  const thoughts: string[] = []
  let thoughtChars = 0
  /** The thought that the last piece was a part of; null: it was none of a thought. */
  let thought: string | null = null
  const shown = shownPathIn(cwd, cwd)
  const ids = createCallIds(1)
  const calls = new Map<string, Call>()

  function add(update: unknown): void {
    if (!isRecord(update)) return
    const { sessionUpdate } = update
    if (sessionUpdate === 'agent_thought_chunk') return addThought(update)
    thought = null
    if (sessionUpdate === 'agent_message_chunk') {
      if (isTooLong) return
      said += textOfContent(update.content) ?? ''
      isTooLong = said.length > textCharsMax
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
    thoughts.push(id === thought ? (thoughts.pop() ?? '') + piece : piece)
    thought = id
  }

  async function differences(
    history: SessionHistory,
    ref: AgentSessionRef,
  ): Promise<ReplayDifferences | null> {
    const recorded = await recordOf(history, ref)
    const found: ReplayDifferences = {
      sentences: [],
      onlyAgent: { text: '', reasoning: '', calls: [] },
    }
    if (!isTooLong) compareTexts(mask.text(said), recorded.said, found)
    if (thoughtChars <= textCharsMax)
      compareThoughts(thoughts.map(mask.text), recorded.thought, found)
    compareCalls(recorded, found)
    return found.sentences.length > 0 ? found : null
  }

  function compareCalls(
    { outcomes, outputs, starts }: Pick<Recorded, 'outcomes' | 'outputs' | 'starts'>,
    found: ReplayDifferences,
  ): void {
    const theirs = [...calls.values()].filter((call) => ownToolOf(call) === null)
    const outputIn = (call: Call) => mask.text(outputOf(call))
    const missing = theirs.filter(({ callId }) => !outcomes.has(callId))
    const settled = theirs.filter(
      ({ callId, status }) => outcomes.get(callId) === 'unknown' && status === 'completed',
    )
    const others = theirs.filter((call) => {
      const output = outputs.get(call.callId)
      return output !== undefined && isEnd(call.status) && isOther(outputIn(call), output)
    })
    const ids = new Set<string>(theirs.map(({ callId }) => callId))
    // Agents leave out calls that were cut off.
    const lost = [...outcomes].filter(
      ([id, outcome]) => outcome !== 'unknown' && !ids.has(id) && !starts.has(id),
    )
    const says = (count: number, one: string, more: string) => {
      if (count > 0) found.sentences.push(count === 1 ? one : `${count} ${more}`)
    }
    says(
      missing.length,
      'One call is in the agent’s own record only.',
      'calls are in the agent’s own record only.',
    )
    says(
      settled.length,
      'One call, whose outcome is unknown here, has completed by the agent’s own record.',
      'calls, whose outcome is unknown here, have completed by the agent’s own record.',
    )
    says(
      others.length,
      'One call has another output in the agent’s own record.',
      'calls have another output in the agent’s own record.',
    )
    says(
      lost.length,
      'One call of this record is missing in the agent’s own.',
      'calls of this record are missing in the agent’s own.',
    )
    found.onlyAgent.calls = [...missing, ...settled, ...others]
      .slice(0, shownCallsMax)
      .map((call) => ({
        ...{ callId: call.callId, title: call.title ?? call.name, status: call.status },
        output: outputIn(call).slice(-shownOutputCharsMax),
      }))
  }

  return { add, differences }
}

/** Messages are cut differently in both, and white space at their ends is lost: only what is left is compared. */
function compareTexts(theirs: string, ours: string, found: ReplayDifferences): void {
  const [there, here] = [dense(theirs), dense(ours)]
  if (there === here) return
  if (there.startsWith(here)) {
    found.sentences.push('The agent’s own record continues with text that this one does not have.')
    found.onlyAgent.text = theirs.slice(-(there.length - here.length + 200)).slice(-shownCharsMax)
  } else if (here.startsWith(there))
    found.sentences.push('Text at the end of this record is missing in the agent’s own.')
  else {
    found.sentences.push('The agent’s own record has other text than this one.')
    found.onlyAgent.text = theirs.slice(-shownCharsMax)
  }
}

/** Agents keep a part of their reasoning, or none: each thought that they have is looked for in the record. */
function compareThoughts(theirs: string[], ours: string, found: ReplayDifferences): void {
  const here = dense(ours)
  const missing = theirs.filter((thought) => !here.includes(dense(thought)))
  if (missing.length === 0) return
  found.sentences.push('The agent’s own record has reasoning that this one does not have.')
  found.onlyAgent.reasoning = missing.join('\n\n').slice(-shownCharsMax)
}

/** Agents leave out a part of an output in their own record, or put a text around it: the rest has to be the same. */
function isOther(theirs: string, ours: string): boolean {
  const [there, here] = [dense(theirs), dense(ours)]
  return !there.includes(here) && !here.includes(there)
}

const dense = (said: string): string => said.replace(/\s+/g, '')

/** What the record has of one session of the agent. */
interface Recorded {
  said: string
  thought: string
  /** The outcomes of the calls that it executed. */
  outcomes: ReadonlyMap<string, string>
  /** Their outputs, without those of unknown outcome and long ones, which the record or the agent may have cut. */
  outputs: ReadonlyMap<string, string>
  /** Those of them that stand for the start of a sub-agent, which the agent announces without a call. */
  starts: ReadonlySet<string>
}

async function recordOf(history: SessionHistory, ref: AgentSessionRef): Promise<Recorded> {
  let isOfSession = false
  let said = ''
  let thought = ''
  const outcomes = new Map<string, string>()
  const outputs = new Map<string, string>()
  const starts = new Set<string>()

  function add(entry: Entry): void {
    if (entry.type === 'agent-session')
      isOfSession = entry.ref.agent === ref.agent && entry.ref.id === ref.id
    if (!isOfSession) return
    if (entry.type === 'message' && entry.role === 'assistant' && entry.status !== 'superseded')
      for (const part of entry.parts)
        if (part.type === 'text' && said.length <= textCharsMax) said += part.text
        else if (part.type === 'reasoning' && thought.length <= textCharsMax) thought += part.text
    // If several calls have one id, the agent's own record may have one.
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
  return { said, thought, outcomes, outputs, starts }
}
