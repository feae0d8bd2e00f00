/** Whom a person means with the words of `tasks resume`, and the words again for what they may do next. */
import { isDefinedError } from '@orpc/client'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { ResumeCandidate, ResumeSelector } from '../../../../shared/resume.ts'
import { CliError, exitCodes, usageError } from '../exit-codes.ts'
import { commandLines } from '../terminal/wording.ts'
import { hinting } from './hints.ts'

interface Asked {
  who: 'one' | 'group' | 'tree'
  /** Of the agent, or of one in its tree or group; absent: the one that stopped last. */
  id?: string
  /** A parallel group by its name, or one of its agents. */
  group?: string
}

/** Throws a usage error for words that contradict each other. */
export function askedFor(
  id: string | undefined,
  { batch, tree }: { batch?: string | true; tree?: true },
): Asked {
  if (batch !== undefined && tree) {
    throw usageError('--batch is a parallel group and --tree a whole tree: give one of them.')
  }
  if (id !== undefined && typeof batch === 'string') {
    const ways = commandLines([
      [`shiplog tasks resume --batch ${batch}`, 'the group of that name'],
      [`shiplog tasks resume ${id} --batch`, `the group that ${id} worked in`],
    ])
    throw usageError('Give an ID or a group, not both.', ways)
  }
  if (batch !== undefined) return { who: 'group', group: batch === true ? id : batch }
  return { who: tree ? 'tree' : 'one', id }
}

export interface Plan {
  selector: ResumeSelector
  candidates: ResumeCandidate[]
}

/** Throws what the contract answers, with what can be done instead; not found when nobody is interrupted. */
export async function planFor(client: ShiplogClient, asked: Asked): Promise<Plan> {
  const id = asked.id ?? asked.group
  return hinting(client, 'resume', id, async () => {
    const selector = await selectorFor(client, asked)
    return { selector, ...(await client.tasks.planResume({ selector })) }
  }).catch((error) => {
    if (id === undefined && isNothingToResume(error)) {
      throw new CliError(exitCodes.notFound, 'No agent is interrupted: there is nothing to resume.')
    }
    throw error
  })
}

/** Named once and for all: another may stop later, and what was shown must be what is resumed. */
async function selectorFor(
  client: ShiplogClient,
  { who, id, group }: Asked,
): Promise<ResumeSelector> {
  switch (who) {
    case 'one':
      return { by: 'task', taskId: id ?? (await firstOf(client, { by: 'most-recent' })) }
    case 'tree':
      return { by: 'tree', taskId: id ?? (await firstOf(client, { by: 'most-recent' })) }
    case 'group':
      return { by: 'group', group: group ?? (await firstOf(client, { by: 'group' })) }
  }
}

/** A plan is never empty: then it is refused. */
async function firstOf(client: ShiplogClient, selector: ResumeSelector): Promise<string> {
  const { candidates } = await client.tasks.planResume({ selector })
  return candidates[0]?.taskId ?? ''
}

const isNothingToResume = (error: unknown): boolean =>
  error instanceof Error &&
  isDefinedError(error) &&
  (error as { data?: { reason?: string } }).data?.reason === 'nothing-to-resume'

/** The command that asks for the same again, to be typed. */
export function commandFor({ selector, candidates }: Plan): string {
  const [first] = candidates
  const short = first?.taskId.slice(0, 8) ?? ''
  switch (selector.by) {
    case 'tree':
      return `shiplog tasks resume ${short} --tree`
    case 'group':
      return `shiplog tasks resume ${short} --batch`
    default:
      return `shiplog tasks resume ${short}`
  }
}
