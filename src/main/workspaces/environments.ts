/** The base environments of agents' shells and set-up commands, and the secrets to mask in their output (K2, K3). */
import { agentPresets, documentedVariables } from '../../shared/agents/installed-agents.ts'
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import type { Git } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  type AgentEnvironment,
  agentEnvironment,
  type EnvironmentPolicy,
  isSecret,
} from '../secrets/agent-environment.ts'
import { secretsInEnvFiles } from '../secrets/env-files.ts'
import type { KnownSecret, LearningMasker } from '../secrets/masker.ts'
import type { Projects } from './projects.ts'

export interface Environments {
  /**
   * Returns the environment for all commands in the task's directory `dir`. Its secrets are masked
   * afterwards.
   */
  of(taskId: TaskId, dir: string): Promise<AgentEnvironment>
  /** Masks the secrets of a project from now on; called before the first prompt is written. */
  learn(projectId: ProjectId): Promise<void>
}

export function createEnvironments(deps: {
  ledger: Ledger
  git: Git
  projects: Projects
  secrets: LearningMasker
  /** The environment of Shiplog itself. */
  hostEnv: NodeJS.ProcessEnv
  /** Variables for the `git` that runs in a shell. */
  shellGit: Record<string, string>
  /** Called for a failure that has no consequences. */
  onIgnored?: (what: string, error: unknown) => void
}): Environments {
  const { git, projects, secrets, hostEnv, onIgnored } = deps
  const { state } = deps.ledger

  function learnHost(): void {
    const found: KnownSecret[] = []
    for (const [name, value] of Object.entries(hostEnv))
      if (value !== undefined && isSecret(name, value)) found.push({ name, value })
    secrets.learn(found)
  }

  async function learnIn(dir: string, copied: readonly string[]): Promise<void> {
    secrets.learn(await secretsInEnvFiles(dir, copied))
    const remotes = await git.remoteUrls(dir).catch(() => [])
    secrets.learn(
      remotes
        .filter(({ url }) => isSecret('', url))
        .map(({ name, url }) => ({
          name: `URL of the remote ${name}`,
          value: url,
          isOfProject: true,
        })),
    )
  }

  async function learn(projectId: ProjectId): Promise<void> {
    learnHost()
    const copied = await projects.setup(projectId).then(
      ({ copy }) => copy,
      () => [],
    )
    await learnIn(projects.known(projectId).dir, copied)
  }

  /** A set-up that was not allowed, or can't be read, passes on no secrets. */
  async function policyFor(taskId: TaskId): Promise<EnvironmentPolicy> {
    const task = state.tasks.get(taskId)
    if (!task) return { allowed: [], only: null }
    const setup = await projects.setup(task.projectId).catch(() => null)
    const setting = state.projects.get(task.projectId)?.environment ?? { allowed: [], only: null }
    return {
      allowed: [
        ...setting.allowed,
        ...(task.options.env ?? []),
        ...(setup?.trusted ? setup.env : []),
        // The variables that an installed agent documents for signing in.
        ...(task.spec.kind === 'acp' && task.spec.program !== 'acp'
          ? documentedVariables(agentPresets[task.spec.program], hostEnv)
          : []),
        ...(task.spec.kind === 'acp' ? (task.spec.own?.passes ?? []) : []),
      ],
      only: setting.only,
      keys: task.spec.kind === 'model' && task.spec.keyEnv ? [task.spec.keyEnv] : [],
    }
  }

  return {
    learn,
    async of(taskId, dir) {
      const task = state.tasks.get(taskId)
      if (task)
        await learn(task.projectId).catch((error) => {
          onIgnored?.(`the secrets of ${task.projectDir} could not be looked up`, error)
        })
      await learnIn(dir, [])
      const committer = await git.agentEnv(dir).catch(() => ({}))
      const gitVariables = { ...deps.shellGit, ...committer }
      return agentEnvironment(hostEnv, await policyFor(taskId), gitVariables)
    },
  }
}
