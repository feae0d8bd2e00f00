/**
 * What an agent replays of a session that it loads, compared with Shiplog's record of the same session (G4). Nothing of
 * it is recorded again; what the two disagree about is.
 */

import type { AgentSessionRef } from '../../../shared/agents/agent-records.ts'
import type { SessionHistory } from '../../../shared/agents/driver/agent-place.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import { isRecord, text, textOfContent } from './content.ts'
import { agentIdOf, createCallIds } from './updates/call-ids.ts'
import { callStateOf, newCall } from './updates/calls.ts'
import { ownToolOf } from './updates/own-tools.ts'
import { shownPathIn } from './updates/shown-paths.ts'

interface ReplayDifferences {
  /** One sentence each. */
  sentences: string[]
  /** What only the agent has, and is not in the record otherwise. */
  onlyAgent: { text: string; calls: ReplayedCall[] }
}

interface ReplayedCall {
  callId: string
  title: string
  status: string
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

export function createReplay(cwd: string): Replay {
  let said = ''
  let isTooLong = false
  const shown = shownPathIn(cwd, cwd)
  const ids = createCallIds(1)
  const calls = new Map<string, ReturnType<typeof newCall>>()

  function add(update: unknown): void {
    if (!isRecord(update)) return
    if (update.sessionUpdate === 'agent_message_chunk') {
      if (isTooLong) return
      said += textOfContent(update.content) ?? ''
      isTooLong = said.length > textCharsMax
    } else if (
      update.sessionUpdate === 'tool_call' ||
      update.sessionUpdate === 'tool_call_update'
    ) {
      const id = text(update.toolCallId)
      if (id === null || id === '') return
      calls.set(id, callStateOf(calls.get(id) ?? newCall(ids.only(id)), update, shown))
    }
  }

  async function differences(
    history: SessionHistory,
    ref: AgentSessionRef,
  ): Promise<ReplayDifferences | null> {
    const recorded = await recordOf(history, ref)
    const found: ReplayDifferences = { sentences: [], onlyAgent: { text: '', calls: [] } }
    if (!isTooLong) compareTexts(said, recorded.said, found)
    compareCalls(recorded, found)
    return found.sentences.length > 0 ? found : null
  }

  function compareCalls(
    { outcomes, starts }: Pick<Recorded, 'outcomes' | 'starts'>,
    found: ReplayDifferences,
  ): void {
    const theirs = [...calls.values()].filter((call) => ownToolOf(call) === null)
    const missing = theirs.filter(({ callId }) => !outcomes.has(callId))
    const settled = theirs.filter(
      ({ callId, status }) => outcomes.get(callId) === 'unknown' && status === 'completed',
    )
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
      lost.length,
      'One call of this record is missing in the agent’s own.',
      'calls of this record are missing in the agent’s own.',
    )
    found.onlyAgent.calls = [...missing, ...settled]
      .slice(0, shownCallsMax)
      .map(({ callId, title, name, status }) => ({ callId, title: title ?? name, status }))
  }

  return { add, differences }
}

/** Messages are cut differently in both, and white space at their ends is lost: only what is left is compared. */
function compareTexts(theirs: string, ours: string, found: ReplayDifferences): void {
  const [there, here] = [dense(theirs), dense(ours)]
  if (there === here) return
  if (there.startsWith(here)) {
    found.sentences.push('The agent’s own record goes on with text that this one does not have.')
    found.onlyAgent.text = theirs.slice(-(there.length - here.length + 200)).slice(-shownCharsMax)
  } else if (here.startsWith(there))
    found.sentences.push('Text at the end of this record is missing in the agent’s own.')
  else {
    found.sentences.push('The agent’s own record has other text than this one.')
    found.onlyAgent.text = theirs.slice(-shownCharsMax)
  }
}

const dense = (said: string): string => said.replace(/\s+/g, '')

/** What the record has of one session of the agent. */
interface Recorded {
  said: string
  /** The outcomes of the calls that it executed. */
  outcomes: ReadonlyMap<string, string>
  /** Those of them that stand for the start of a sub-agent, which the agent announces without a call. */
  starts: ReadonlySet<string>
}

async function recordOf(history: SessionHistory, ref: AgentSessionRef): Promise<Recorded> {
  let isOfSession = false
  let said = ''
  const outcomes = new Map<string, string>()
  const starts = new Set<string>()

  function add(entry: Entry): void {
    if (entry.type === 'agent-session')
      isOfSession = entry.ref.agent === ref.agent && entry.ref.id === ref.id
    if (!isOfSession) return
    if (entry.type === 'message' && entry.role === 'assistant' && entry.status !== 'superseded')
      for (const part of entry.parts)
        if (part.type === 'text' && said.length <= textCharsMax) said += part.text
    // If several calls have one id, the agent's own record may have one.
    if (entry.type === 'tool-call' && entry.by === 'agent')
      outcomes.set(agentIdOf(entry.callId), 'unknown')
    if (entry.type === 'tool-result' && outcomes.has(agentIdOf(entry.callId)))
      outcomes.set(agentIdOf(entry.callId), entry.outcome)
    if (entry.type === 'tool-result' && isRecord(entry.detail) && entry.detail.kind === 'tasks')
      starts.add(agentIdOf(entry.callId))
  }

  for await (const entry of history.entries('all')) add(entry)
  return { said, outcomes, starts }
}
