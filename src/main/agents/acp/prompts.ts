/** The texts that Shiplog adds to the user's prompt for an installed agent. */
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { PromptPart } from '../../../shared/agents/driver/prompt-parts.ts'
import { describeToolCall } from '../../../shared/projections/tool-calls/describe-tool-call.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { AcpAgent } from './acp-agent.ts'
import type { Started } from './start-session.ts'

export const continueText = 'Continue.'
export const reportWanted =
  'You stopped without a report. Call the tool agent_report of the MCP server shiplog now: what you did and found, what you checked, and what is left.'

/** Converts a prompt to content blocks of the protocol. */
export function promptBlocks(parts: readonly PromptPart[], takesImages: boolean): object[] {
  return parts.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    return takesImages
      ? { type: 'image', mimeType: part.mediaType, data: Buffer.from(part.data).toString('base64') }
      : { type: 'text', text: `[An image (${part.mediaType}), which you can't be shown.]` }
  })
}

/** Returns the first parts of a run's first prompt: its role, the history that its own store lacks, and what changed. */
export async function resumeNotes({
  agent,
  place,
  started,
  hasTools,
}: {
  agent: AcpAgent
  place: AgentPlace
  started: Pick<Started, 'isNew'>
  hasTools: boolean
}): Promise<PromptPart[]> {
  const notes: string[] = []
  const past = await readPast(place, started.isNew)
  if (started.isNew) {
    if (agent.instructions !== '') notes.push(agent.instructions)
    if (place.mustReport === true && hasTools) notes.push(reportLater)
    if (past.transcript !== '') notes.push(`${transcriptNote}\n\n${past.transcript}`)
  }
  if (past.unknown.length > 0) notes.push(unknownNote(past.unknown))
  const changes = place.changesSinceStop ?? []
  if (changes.length > 0)
    notes.push(['Since you stopped, this changed:', ...changes.map(asItem)].join('\n'))
  return notes.map((text) => ({ type: 'text', text }))
}

const reportLater =
  'You are a sub-agent. When you are done, call the tool agent_report of the MCP server shiplog: what you did and found, what you checked, and what is left. Only that report reaches the agent that started you.'
const transcriptNote =
  'This conversation began earlier. Below is its record: go on from there, and do not do again what is done.'

const asItem = (text: string): string => `- ${text}`

const unknownNote = (calls: readonly string[]): string =>
  [
    'Your work was interrupted while these calls ran. Their outcome is unknown: they may have taken effect. Do not repeat them before you have checked what they did.',
    ...calls.map(asItem),
  ].join('\n')

interface Past {
  /** Empty if there is no history. */
  transcript: string
  /** The calls of the last run that were interrupted, one line each. */
  unknown: string[]
}

/** About 15,000 tokens: the beginning holds the assignment, the end the current state. */
const transcriptCharsMax = 60_000
const outputCharsMax = 400
const callCharsMax = 300
/** More would not be read. */
const unknownMax = 20

/** Reads the history once, keeping a bounded part of it in memory. Without `wholeHistory`, only the unfinished part. */
async function readPast({ history }: AgentPlace, wholeHistory: boolean): Promise<Past> {
  let first = ''
  let rest: string[] = []
  let restChars = 0
  let isCut = false
  const calls = new Map<string, string>()
  const turn = createTurnLines()
  let unknown: string[] = []

  function add(line: string): void {
    if (first.length === 0) {
      first = line.slice(0, transcriptCharsMax / 3)
      return
    }
    rest.push(line)
    restChars += line.length + 1
    if (restChars <= transcriptCharsMax) return
    isCut = true
    rest = rest.slice(-Math.max(1, Math.floor(rest.length / 2)))
    restChars = rest.reduce((sum, one) => sum + one.length + 1, 0)
    if (restChars <= transcriptCharsMax) return
    rest = [rest.join('\n').slice(-transcriptCharsMax / 2)]
    restChars = rest[0]?.length ?? 0
  }

  for await (const entry of history.entries(wholeHistory ? 'all' : 'unfinished')) {
    for (const line of linesOf(entry, calls, turn)) add(line)
    if (entry.type === 'run-start') unknown = []
    if (entry.type === 'tool-result' && entry.outcome === 'unknown' && unknown.length < unknownMax)
      unknown.push(calls.get(entry.callId) ?? entry.name)
    if (entry.type === 'tool-result') calls.delete(entry.callId)
  }
  for (const line of turn.takeUnplaced()) add(line)
  // A crash leaves calls without a result.
  for (const call of calls.values()) if (unknown.length < unknownMax) unknown.push(call)
  const lines = [first, ...(isCut ? ['[…]'] : []), ...rest]
  return { transcript: lines.filter(Boolean).join('\n'), unknown }
}

type TurnLines = ReturnType<typeof createTurnLines>

/** The record has a turn's calls before its message, which defines their places between its texts. */
function createTurnLines() {
  const results = new Map<string, string>()

  /** Returns the lines of calls that no message placed, and forgets them. */
  function takeUnplaced(): string[] {
    const lines = [...results.values()]
    results.clear()
    return lines
  }

  function linesOfMessage({ role, parts }: Extract<Entry, { type: 'message' }>): string[] {
    const who = role === 'user' ? 'User' : 'You'
    const lines = role === 'user' ? takeUnplaced() : []
    let texts: string[] = []
    const endText = () => {
      const text = texts.join('\n').trim()
      if (text !== '') lines.push(`${who}: ${text}`)
      texts = []
    }
    for (const part of parts) {
      if (part.type === 'text') texts.push(part.text)
      const result = part.type === 'tool-call' ? results.get(part.callId) : undefined
      if (part.type !== 'tool-call' || result === undefined) continue
      endText()
      lines.push(result)
      results.delete(part.callId)
    }
    endText()
    return lines
  }

  return {
    addResult: (callId: string, line: string) => void results.set(callId, line),
    linesOfMessage,
    takeUnplaced,
  }
}

function linesOf(entry: Entry, calls: Map<string, string>, turn: TurnLines): string[] {
  switch (entry.type) {
    case 'message':
      return entry.status === 'superseded' ? [] : turn.linesOfMessage(entry)
    case 'tool-call': {
      const described = entry.title ?? describeToolCall(entry.name, entry.input)
      calls.set(entry.callId, described.slice(0, callCharsMax))
      return []
    }
    case 'tool-result': {
      const call = calls.get(entry.callId) ?? entry.name
      const output = entry.output.trim().slice(0, outputCharsMax)
      turn.addResult(entry.callId, `[${call}: ${entry.outcome}] ${output}`.trim())
      return []
    }
    case 'compaction':
      return [...turn.takeUnplaced(), `Summary of the conversation so far: ${entry.summary}`]
    case 'run-end':
      return turn.takeUnplaced()
    default:
      return []
  }
}
