/** Resolves the arguments of `tasks resume` to a selector, and renders a plan as a command to repeat. */
import { isDefinedError } from '@orpc/client'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import { parallelGroupOf } from '../../../../shared/projections/transcript/parallel-group.ts'
import { shortId } from '../../../../shared/records/ids.ts'
import type { ResumeCandidate, ResumeSelector } from '../../../../shared/records/resume.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../../shared/text/counted.ts'
import { CliError, exitCodes, failureOf, usageError } from '../exit-codes.ts'
import { ledgerSnapshot } from '../follow/follow-trees.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { commandLines } from '../terminal/wording.ts'
import { withHint } from './error-hints.ts'

interface ResumeRequest {
  who: 'one' | 'group' | 'tree'
  /** Id of the agent, or of one in its tree or group; absent: the one that stopped last. */
  id?: string
  /** A parallel group by its name, or one of its agents. */
  group?: string
  /** Absolute: only what was started on it. */
  projectDir?: string
}

/** The request that an argument and options make. Throws a usage error if they contradict each other. */
export function requestOf(
  id: string | undefined,
  { batch, tree }: { batch?: string | true; tree?: true },
): ResumeRequest {
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

/** What a request would resume. Throws the contract's error, with alternatives; not found when nothing is interrupted. */
export async function planFor(client: ShiplogClient, asked: ResumeRequest): Promise<Plan> {
  const id = asked.id ?? asked.group
  return withHint(client, 'resume', id, async () => {
    const selector = await selectorFor(client, asked)
    return { selector, ...(await client.tasks.planResume({ selector })) }
  }).catch(async (error) => {
    throw isNothingToResume(error) ? await nothingToResume(client, asked, error) : error
  })
}

/** The error that names the reason, and lists tasks that can be resumed instead. */
async function nothingToResume(
  client: ShiplogClient,
  { who, projectDir }: ResumeRequest,
  error: unknown,
): Promise<CliError> {
  const state = await ledgerSnapshot(client)
  const interrupted = [...state.tasks.values()].filter(
    (task) =>
      task.status === 'interrupted' &&
      !task.trashed &&
      (projectDir === undefined || task.projectDir === projectDir),
  )
  const others = interrupted.filter((task) => !(task.archived || task.workspace?.removal))
  if (others.length === 0) {
    const where = projectDir === undefined ? '' : ` in ${projectDir}`
    return new CliError(
      exitCodes.notFound,
      whyNoneOf(interrupted, where),
      restoreCommands(state, interrupted),
    )
  }
  const lines = others.slice(0, namedMax).map((task): [string, string] => {
    const inGroup = who === 'group' && parallelGroupOf(state, task) !== null
    const title = safeLine(task.title)
    return inGroup
      ? [`shiplog tasks resume ${shortId(task.id)} --batch`, `the parallel group of "${title}"`]
      : [`shiplog tasks resume ${shortId(task.id)}`, `resumes "${title}"`]
  })
  const { exitCode, message } = failureOf(error)
  return new CliError(exitCode, message, [
    `${counted(others.length, 'agent is', 'agents are')} interrupted:`,
    ...commandLines(lines),
  ])
}

function whyNoneOf(interrupted: Task[], where: string): string {
  const [first, second] = interrupted
  if (!first) return `No agent is interrupted${where}: there is nothing to resume.`
  const whose = second ? `the ${interrupted.length} interrupted agents` : `"${first.title}"`
  return `No agent can be resumed${where}: the workspace${second ? 's' : ''} of ${whose} ${second ? 'were' : 'was'} removed.`
}

/** The commands that restore the tasks. An archived one is restored with its root, or alone if the root is in use. */
function restoreCommands({ tasks }: LedgerState, interrupted: Task[]): string[] {
  if (interrupted.length === 0) return []
  const ids = interrupted.map(({ id, rootId }) => (tasks.get(rootId)?.archived ? rootId : id))
  return commandLines(
    [...new Set(ids)]
      .slice(0, namedMax)
      .map((id) => [`shiplog workspaces restore ${shortId(id)}`, 'restores what can be resumed']),
  )
}

/** More scroll the message away. */
const namedMax = 5

/** Names the task or group itself: another may stop later, and what was shown must be what is resumed. */
async function selectorFor(
  client: ShiplogClient,
  { who, id, group, projectDir }: ResumeRequest,
): Promise<ResumeSelector> {
  switch (who) {
    case 'one':
      return {
        by: 'task',
        taskId: id ?? (await firstOf(client, { by: 'most-recent', projectDir })),
      }
    case 'tree':
      return {
        by: 'tree',
        taskId: id ?? (await firstOf(client, { by: 'most-recent', projectDir })),
      }
    case 'group':
      return {
        by: 'group',
        group: group ?? (await firstOf(client, { by: 'group', projectDir })),
        projectDir,
      }
  }
}

/** The first task of a plan. An empty plan is refused, so there is one. */
async function firstOf(client: ShiplogClient, selector: ResumeSelector): Promise<string> {
  const { candidates } = await client.tasks.planResume({ selector })
  return candidates[0]?.taskId ?? ''
}

const isNothingToResume = (error: unknown): boolean =>
  error instanceof Error &&
  isDefinedError(error) &&
  (error as { data?: { reason?: string } }).data?.reason === 'nothing-to-resume'

/** The command that repeats the request, to be typed. */
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
