/** `shiplog agent run`: starts or resumes a root agent, and follows it to its end. */
import type { AgentChoice } from '../../../../../shared/agents/agent-specs.ts'
import { isAgentPreset } from '../../../../../shared/agents/installed-agents.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import type { TaskId } from '../../../../../shared/records/ids.ts'
import type { Project } from '../../../../../shared/records/projects/projects.ts'
import type { Isolation } from '../../../../../shared/records/projects/workspaces.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { usageError } from '../../exit-codes.ts'
import { projectPath, readImages, readScenario } from '../../paths.ts'
import { runsAgents, withShiplog } from '../../with-shiplog.ts'
import { allowSetup, trustNewRoot } from '../trust.ts'
import { agentResume } from './agent-resume.ts'
import { type BudgetFlags, budgetOf } from './budget-flags.ts'
import { keyEnvOf } from './key-env.ts'
import { modeOf, type PermissionsFlag } from './permissions-flag.ts'
import { reportRun } from './report-run.ts'

interface AgentRunOptions extends ParsedOptions, BudgetFlags, AgentFlags {
  project?: string
  isolation?: Isolation
  maxAgents?: number
  quotaWaits?: number
  readsRecord?: boolean
  keep?: boolean
  env?: string[]
  image?: string[]
  permissions?: PermissionsFlag
  planning?: boolean
  trust?: boolean
  resume?: string
  force?: boolean
}

export function agentRun([prompt = '']: string[], given: ParsedOptions): Action {
  const options = given as AgentRunOptions
  return options.resume === undefined ? startNew(prompt, options) : resumeRun(prompt, options)
}

function resumeRun(prompt: string, options: AgentRunOptions): Action {
  const { resume: id = '', project, force = false, trust = false, maxAgents } = options
  const fixed = Object.entries(originalOptions).filter(
    ([name]) => options[name as keyof typeof originalOptions] !== undefined,
  )
  if (fixed.length > 0) {
    const names = fixed.map(([, flag]) => flag).join(' and ')
    throw usageError(
      `--resume continues with the agent's original options: omit ${names}, or start a new agent without --resume.`,
    )
  }
  const permissions = modeOf(options.permissions)
  const budget = budgetOf(options)
  return agentResume({ id, prompt, project, force, trust, maxAgents, permissions, budget })
}

const originalOptions = {
  agent: '--agent',
  command: '--command',
  agentMode: '--agent-mode',
  scenario: '--scenario',
  model: '--model',
  baseUrl: '--base-url',
  keyEnv: '--key-env',
  isolation: '--isolation',
  keep: '--keep',
  planning: '--planning',
  env: '--env',
  image: '--image',
} as const

function startNew(prompt: string, options: AgentRunOptions): Action {
  const { project: folder, keep = false } = options
  if (folder === undefined) {
    throw usageError('Name a folder with --project DIR, or an interrupted agent with --resume ID.')
  }
  if (options.force) {
    throw usageError('--force resumes despite conflicts, so it needs --resume ID.')
  }
  return async (context) => {
    const given = await chosenAgent(prompt, options, context)
    const images = await readImages(options.image ?? [], context.host.cwd)
    const dir = await projectPath(folder, context.host.cwd)
    return withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const agent = await withDefaultModel(client, given)
      const taskId = await startIn(client, dir, async (project) => {
        if (options.planning) await client.projects.createPlanning({ projectId: project.id })
        const isolation = await isolationIn(context, project, options.isolation)
        // In place, the set-up command does not run in the user's own folder.
        if (isolation === 'worktree') await allowSetup(context, session, project, options.trust)
        if (options.trust) await trustNewRoot(session, project)
        const started = await session.starting(
          () =>
            client.tasks.start({
              projectId: project.id,
              agent,
              prompt,
              images,
              isolation,
              agentsAtOnce: options.maxAgents,
              keep,
              env: options.env,
              permissions: modeOf(options.permissions),
              budget: budgetOf(options),
              quotaWaits: options.quotaWaits,
              readsRecord: options.readsRecord,
            }),
          ({ taskId }) => [taskId],
        )
        return started.taskId
      })
      return reportRun(context, session, taskId)
    })
  }
}

export interface AgentFlags {
  /** `scripted`, `model`, `acp`, a preset, or one of the user's own by its name. */
  agent?: string
  command?: string
  agentMode?: string
  model?: string
  baseUrl?: string
  keyEnv?: string
  scenario?: string
}

/** Rejects with a usage error for contradictory flags, or if they name no agent. */
export async function chosenAgent(
  prompt: string,
  options: AgentFlags & { image?: string[] },
  context: CliContext,
): Promise<AgentChoice | UnnamedModel> {
  const { agent, model, baseUrl, keyEnv, scenario, image } = options
  const installed = agent ?? (options.command === undefined ? 'model' : 'acp')
  if (installed !== 'scripted' && installed !== 'model')
    return installedAgent(prompt, installed, options)
  if (options.command !== undefined || options.agentMode !== undefined)
    throw usageError('--command and --agent-mode belong to an installed agent: --agent acp.')
  const kind =
    agent === undefined && scenario !== undefined && model === undefined ? 'scripted' : installed
  if (kind === 'scripted') {
    if (model !== undefined || baseUrl !== undefined || keyEnv !== undefined)
      throw usageError(
        'A scenario needs no model: omit --model, --base-url and --key-env, or --agent scripted.',
      )
    if (scenario === undefined) throw usageError('Name the scenario to play with --scenario FILE.')
    return { kind, scenario: await readScenario(scenario, context.host.cwd), source: scenario }
  }
  if (model === undefined && (baseUrl !== undefined || keyEnv !== undefined))
    throw usageError('Name the model with --model PROVIDER/MODEL beside --base-url and --key-env.')
  if (scenario !== undefined)
    throw usageError('A model plays no scenario: omit --scenario, or --model.')
  if (prompt.trim() === '' && !image?.length)
    throw usageError('Say what the model is asked to do: shiplog agent run "PROMPT" --model …')
  return { kind: 'model', model, baseUrl, keyEnv: keyEnvOf(keyEnv, context) }
}

function installedAgent(
  prompt: string,
  name: string,
  options: AgentFlags & { image?: string[] },
): AgentChoice {
  const { model, baseUrl, keyEnv, scenario, image, command, agentMode: mode } = options
  if ([model, baseUrl, keyEnv, scenario].some((one) => one !== undefined))
    throw usageError(
      'An installed agent chooses its model itself: omit --model, --base-url, --key-env and --scenario.',
    )
  const isPreset = isAgentPreset(name)
  if (name === 'acp' && command === undefined)
    throw usageError('Name the command of the agent with --command, such as "copilot --acp".')
  if (name !== 'acp' && command !== undefined)
    throw usageError(`--command is for --agent acp: the command of ${name} is known.`)
  if (prompt.trim() === '' && !image?.length)
    throw usageError(`Say what the agent is asked to do: shiplog agent run "PROMPT" --agent …`)
  return {
    kind: 'acp',
    program: isPreset ? name : 'acp',
    ...(command ? { command } : isPreset ? {} : { own: name }),
    ...(mode && { mode }),
  }
}

/** A choice of the settings' default model if `model` is undefined. */
type UnnamedModel = Omit<Extract<AgentChoice, { kind: 'model' }>, 'model'> & {
  model: string | undefined
}

export async function withDefaultModel(
  client: ShiplogClient,
  given: AgentChoice | UnnamedModel,
): Promise<AgentChoice> {
  if (given.kind !== 'model') return given
  const { model, ...more } = given
  if (model !== undefined) return { ...more, model }
  const { defaultModel } = await client.models.providers()
  if (defaultModel === null)
    throw usageError(
      'There is no default model: name one with --model PROVIDER/MODEL, or a scenario to play with --scenario FILE.',
      ['  shiplog agent setup   sets a model up'],
    )
  return { ...more, model: defaultModel }
}

/** Adds the project if it is missing, and removes it again if `start` fails. */
export async function startIn(
  client: ShiplogClient,
  dir: string,
  start: (project: Project) => Promise<TaskId>,
): Promise<TaskId> {
  const known = await client.projects.list()
  const project = await client.projects.add({ dir })
  try {
    return await start(project)
  } catch (error) {
    const isNew = known.projects.every((one) => one.id !== project.id)
    if (isNew) await client.projects.remove({ projectId: project.id }).catch(() => {})
    throw error
  }
}

async function isolationIn(
  context: CliContext,
  project: Project,
  wanted: Isolation | undefined,
): Promise<Isolation> {
  if (project.git) return wanted ?? 'worktree'
  if (wanted !== 'in-place') {
    await context.warn(
      `${project.dir} is not a Git repository, so the agents work in place: in the folder itself.`,
    )
  }
  return 'in-place'
}
