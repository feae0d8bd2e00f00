/**
 * What a conversation becomes when it would not fit into the model's context any more: a summary by the model, what
 * still holds, and its last turns as they were. The record keeps all of it. Pure.
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

/** A turn of this run: where it begins in the conversation, and the seq that its first entry has at least. */
export interface TurnStart {
  index: number
  seq: number
}

/** How many of the last turns are kept unchanged: enough to continue the current work. */
const keptTurnsMax = 2
/** Share of the tokens at which a conversation is summarised. */
const keptShare = 0.25

/** The first turn that stays; null: all is summarised. Never all of the conversation. */
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
What you were asked to do, with every requirement, and what the person said since that still holds.
## Done
What you changed, in which files, and what you found out: names, paths, commands that work, values.
## State
What works, what fails with its exact error, what was tried in vain and why.
## Next
What you were doing just now, and the steps that are left.]`

/** For a model that is given the conversation as text. */
export const summaryInstructions =
  'You summarise a conversation between a person and a coding agent, for the agent to go on with: it will have nothing else.'

/** What of a long text stays: its beginning and its end. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`
}

/** The conversation as one text of at most `charsMax` characters: a longer one keeps its beginning and its end. */
export function conversationText(
  items: readonly ConversationItem[],
  { partCharsMax, charsMax }: { partCharsMax: number; charsMax: number },
): string {
  const told = items.flatMap((item) =>
    item.type === 'user'
      ? item.parts.map((part) => `${item.ours ? 'Shiplog' : 'Person'}: ${textOf([part])}`)
      : item.parts.map((part) => {
          if (part.type === 'call') return callText(part, partCharsMax)
          return part.type === 'text' ? `Agent: ${part.text}` : ''
        }),
  )
  const texts = told.filter((text) => text !== '').map((text) => cut(text, partCharsMax))
  return cut(texts.join('\n\n'), charsMax)
}

function callText({ name, input, result }: TurnCall, charsMax: number): string {
  const outcome = result ? `${result.outcome}: ${result.output}` : 'unknown outcome'
  return `Agent called ${name} ${cut(JSON.stringify(input ?? null), charsMax)}\nResult, ${cut(outcome, charsMax)}`
}

/** A longer prompt is repeated with its beginning and its end only. */
const promptCharsMax = 8_000

/**
 * What of `replaced` goes into the next request as it is: the person's prompts that no turn has answered, else the last
 * one, and Shiplog's messages since that turn.
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

/** The newest images of these prompts that leave room for a conversation of `limitTokens`, in their order. */
export function carriedImages(prompts: readonly UserItem[], limitTokens: number): ImagePart[] {
  const images = prompts.flatMap(({ parts }) => parts.filter((part) => part.type === 'image'))
  const count = Math.floor((limitTokens * keptShare) / imageTokens)
  return count > 0 ? images.slice(-count) : []
}

/**
 * The summary with what must not depend on how well the model summarised: the person's last words, the plan, commands
 * and sub-agents that may still be at work.
 */
export function wholeSummary(
  summary: string,
  {
    plan,
    prompts,
    calls,
  }: {
    plan: readonly PlanItem[]
    /** Prompts of the person that are replaced and not answered, or the last of them. */
    prompts: readonly UserItem[]
    /** In their order; others than `toRemember` do not matter. */
    calls: readonly TurnCall[]
  },
): string {
  const words = prompts.map(({ parts }) => cut(textOf(parts), promptCharsMax))
  const sections = [
    summary.trim(),
    ...(words.length > 0
      ? [`## The person's last message, word for word\n${words.join('\n\n')}`]
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

/** Calls whose ids identify running work, also after they were summarised. */
export const toRemember = ({ name, input }: TurnCall): boolean =>
  ['bash_kill', 'task', 'task_await', 'task_stop'].includes(name) ||
  (name === 'bash' && fieldOf(input, 'background') === true)

/** The same of calls of earlier runs: a command ends with its run, a sub-agent does not. */
export const outlivesRun = (call: TurnCall): boolean =>
  call.name.startsWith('task') && toRemember(call)

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

/** Started in the background, or in the foreground by a call whose outcome is not known. */
function openSubAgents(calls: readonly TurnCall[]): string[] {
  const told = calls
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
    return !isOpen || told.some((text) => saysItEnded(text, title, id)) ? [] : [`- ${title}`]
  })
}

/** As `describeTask` words it: `**title** (agent, id): status`. */
function saysItEnded(text: string, title: string, id: string | undefined): boolean {
  const line = text
    .split('\n')
    .findLast((one) => one.startsWith(`**${title}** (`) && (id === undefined || one.includes(id)))
  return line !== undefined && /: (?:completed|failed|cancelled|abandoned)\b/.test(line)
}
