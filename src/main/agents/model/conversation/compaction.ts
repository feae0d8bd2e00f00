/**
 * Builds the compacted form of a conversation that no longer fits into the model's context: a summary by the model, the
 * current state of its work, and its last turns verbatim. The record keeps the whole conversation. Pure.
 */
import type { PlanItem } from '../../../../shared/agents/agent-records.ts'
import {
  type ConversationItem,
  type ImagePart,
  type TurnCall,
  textOf,
  type UserItem,
} from './conversation.ts'
import { imageTokens, tokensOf } from './conversation-size.ts'

/** The start of a turn: its index in the conversation, and the lowest seq that its first entry may have. */
export interface TurnStart {
  index: number
  seq: number
}

/** The last turns that are kept verbatim: enough to continue the current work. */
const keptTurnsMax = 2
/** Share of the limit that kept turns may take. */
const keptShare = 0.25

/** Returns the first turn that is kept; null if the whole conversation is summarised. At least one item is. */
export function keptFrom(
  conversation: readonly ConversationItem[],
  starts: readonly TurnStart[],
  limitTokens: number,
): TurnStart | null {
  const fits = starts
    .slice(-keptTurnsMax)
    .filter(
      ({ index }) =>
        index > 0 &&
        index < conversation.length &&
        tokensOf(conversation.slice(index)) <= limitTokens * keptShare,
    )
  return fits[0] ?? null
}

export const summaryWanted = `[This conversation is about to be replaced by a summary, because it no longer fits into your context. Write that summary now, for yourself: you will have nothing else of this conversation. Call no tools; answer with text only. Under these headings:

## Task
What you were asked to do, with every requirement, and what the user said since that still holds.
## Done
What you changed, in which files, and what you found out: names, paths, commands that work, values.
## State
What works, what fails with its exact error, what was tried in vain and why.
## Next
What you were doing just now, and the steps that are left.]`

/** The system prompt for a model that summarises the conversation as text. */
export const summaryInstructions =
  'You summarise a conversation between a user and a coding agent, for the agent to go on with: it will have nothing else.'

/** Shortens a long text to its beginning and its end. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`
}

/**
 * Returns the conversation as one text of about `charsMax` characters; of a longer one the beginning and the end. Each
 * part has at most about `partCharsMax` characters.
 */
export function conversationText(
  items: readonly ConversationItem[],
  { partCharsMax, charsMax }: { partCharsMax: number; charsMax: number },
): string {
  const parts = items.flatMap((item) =>
    item.type === 'user'
      ? item.parts.map((part) => `${item.ours ? 'Shiplog' : 'Person'}: ${textOf([part])}`)
      : item.parts.map((part) => {
          if (part.type === 'call') return callText(part, partCharsMax)
          return part.type === 'text' ? `Agent: ${part.text}` : ''
        }),
  )
  const texts = parts.filter((text) => text !== '').map((text) => cut(text, partCharsMax))
  return cut(texts.join('\n\n'), charsMax)
}

function callText({ name, input, result }: TurnCall, charsMax: number): string {
  const outcome = result ? `${result.outcome}: ${result.output}` : 'unknown outcome'
  return `Agent called ${name} ${cut(JSON.stringify(input ?? null), charsMax)}\nResult, ${cut(outcome, charsMax)}`
}

/** Longer prompts are repeated with their beginning and end only. */
const promptCharsMax = 8_000

/**
 * Returns the items that are sent verbatim beside the summary: the user's prompts after the last turn, or the last
 * prompt if there are none, and Shiplog's messages after that turn.
 */
export function carriedOver(replaced: readonly ConversationItem[]): {
  prompts: UserItem[]
  notes: UserItem[]
} {
  const since = replaced.slice(replaced.findLastIndex(({ type }) => type === 'turn') + 1)
  const unanswered = since.filter(isPrompt)
  const last = replaced.filter(isPrompt).slice(-1)
  return {
    prompts: unanswered.length > 0 ? unanswered : last,
    notes: since.filter(isUser).filter(({ ours }) => ours === 'note' || ours === 'resume'),
  }
}

const isUser = (item: ConversationItem): item is UserItem => item.type === 'user'
const isPrompt = (item: ConversationItem): item is UserItem =>
  item.type === 'user' && item.ours === undefined

/** Returns the newest images of the prompts, in order, that fit into the kept share of `limitTokens`. */
export function carriedImages(prompts: readonly UserItem[], limitTokens: number): ImagePart[] {
  const images = prompts.flatMap(({ parts }) => parts.filter((part) => part.type === 'image'))
  const count = Math.floor((limitTokens * keptShare) / imageTokens)
  return count > 0 ? images.slice(-count) : []
}

/**
 * Adds to the summary what must not depend on the model's summarising: the user's last messages, the plan, commands
 * and sub-agents that may still run.
 */
export function wholeSummary(
  summary: string,
  {
    plan,
    prompts,
    calls,
  }: {
    plan: readonly PlanItem[]
    /** The user's replaced prompts without an answer, or the last of them. */
    prompts: readonly UserItem[]
    /** In order. Only those for which `isRemembered` is true matter. */
    calls: readonly TurnCall[]
  },
): string {
  const words = prompts.map(({ parts }) => cut(textOf(parts), promptCharsMax))
  const sections = [
    summary.trim(),
    ...(words.length > 0
      ? [`## The user's last message, word for word\n${words.join('\n\n')}`]
      : []),
    ...section('Your plan (update_plan changes it)', plan.map(planLine)),
    ...section(
      'Commands that you started in the background (bash_output says what they print and whether they have ended; bash_kill ends them)',
      backgroundCommands(calls),
    ),
    ...section(
      'Sub-agents whose reports you have not been given (task_list shows how they are, task_await waits for their reports)',
      openSubAgents(calls),
    ),
  ]
  return sections.join('\n\n')
}

/** Selects calls that started or ended work which may still run after they were summarised. */
export const isRemembered = ({ name, input }: TurnCall): boolean =>
  ['bash_kill', 'task', 'task_await', 'task_stop'].includes(name) ||
  (name === 'bash' && fieldOf(input, 'background') === true)

/** The same for calls of earlier runs: sub-agents continue after a run, commands end with it. */
export const outlivesRun = (call: TurnCall): boolean =>
  call.name.startsWith('task') && isRemembered(call)

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [`## ${title}\n${lines.join('\n')}`] : []

const planLine = ({ status, text }: PlanItem): string =>
  `- ${status === 'completed' ? '[x]' : status === 'in-progress' ? '[~]' : '[ ]'} ${text}`

const fieldOf = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)[name]
    : undefined

function backgroundCommands(calls: readonly TurnCall[]): string[] {
  const killed = new Set(
    calls.filter(({ name }) => name === 'bash_kill').map(({ input }) => fieldOf(input, 'id')),
  )
  return calls.flatMap(({ name, input, result }) => {
    const id = /in the background as (\w+)/.exec(result?.output ?? '')?.[1]
    if (name !== 'bash' || id === undefined || killed.has(id)) return []
    return [`- ${id}: ${cut(String(fieldOf(input, 'command')), 500)}`]
  })
}

/** Sub-agents that were started in the background, or by a call of unknown outcome, and have not ended. */
function openSubAgents(calls: readonly TurnCall[]): string[] {
  const statusTexts = calls
    .filter(({ name }) => name === 'task_await' || name === 'task_stop')
    .map(({ result }) => result?.output ?? '')
  return calls.flatMap(({ name, input, result }) => {
    const isOpen =
      name === 'task' &&
      (fieldOf(input, 'background') === true
        ? result?.outcome !== 'error'
        : (result?.outcome ?? 'unknown') === 'unknown')
    const id = /\btask ([0-9a-f]{8})/.exec(result?.output ?? '')?.[1]
    const title = String(fieldOf(input, 'title'))
    return !isOpen || statusTexts.some((text) => hasEndedIn(text, title, id)) ? [] : [`- ${title}`]
  })
}

/** Reads the lines of `describeTask`: `**title** (agent, id): status`. */
function hasEndedIn(text: string, title: string, id: string | undefined): boolean {
  const line = text
    .split('\n')
    .findLast((one) => one.startsWith(`**${title}** (`) && (id === undefined || one.includes(id)))
  return line !== undefined && /: (?:completed|failed|cancelled|abandoned)\b/.test(line)
}
