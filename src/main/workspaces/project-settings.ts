/** What a user allows and sets for a project: its set-up, its environment and its sandbox. */
import { createHash } from 'node:crypto'
import type { KeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type { ProjectSetup } from '../../shared/contract/projects.ts'
import { refused } from '../../shared/failure.ts'
import type { ProjectId } from '../../shared/records/ids.ts'
import {
  defaultEnvironment,
  isSameEnvironment,
  type Project,
  type ProjectEnvironment,
} from '../../shared/records/projects/projects.ts'
import type { SandboxSetting } from '../../shared/records/projects/sandbox.ts'
import type { Git } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { gitRequest } from './git-request.ts'
import { readProjectConfig } from './project-config.ts'

export interface ProjectSettings {
  setup(projectId: ProjectId): Promise<ProjectSetup>
  trustSetup(projectId: ProjectId, configSha256: string): Promise<void>
  /**
   * Limits what its agents' commands may do to the system. The setting survives a move of the
   * project, because it only restricts.
   */
  setSandbox(projectId: ProjectId, sandbox: SandboxSetting): Promise<void>
  /** `shown` is the setting that the user saw. Throws FailureError if the setting has changed since. */
  setEnvironment(
    projectId: ProjectId,
    environment: ProjectEnvironment,
    shown?: ProjectEnvironment,
  ): Promise<void>
}

export function createProjectSettings(deps: {
  ledger: Ledger
  git: Git
  known: (projectId: ProjectId) => Project
  serially: KeyedMutex
}): ProjectSettings {
  const { ledger, git, known, serially } = deps

  /** Reads the configuration once, because the permission must apply to the content that was compared. */
  async function readRequests(projectId: ProjectId) {
    const project = known(projectId)
    const config = await readProjectConfig(project.dir)
    const ofGit = await gitRequest(git, project)
    const hashes = [config?.sha256, ofGit?.sha256].filter((hash) => hash !== undefined)
    const configSha256 = hashes.length > 1 ? sha256(hashes.join(' ')) : (hashes[0] ?? null)
    return { config, ofGit, configSha256 }
  }

  async function setup(projectId: ProjectId): Promise<ProjectSetup> {
    const { config, ofGit, configSha256 } = await readRequests(projectId)
    const { setup = null, copy = [], env = [] } = config ?? {}
    const asksNothing = setup === null && env.length === 0
    const isTrusted = asksNothing || ledger.state.trustedSetups.get(projectId) === config?.sha256
    return {
      setup,
      copy,
      env,
      git: ofGit && { commands: ofGit.commands, fetches: ofGit.fetches },
      configSha256,
      trusted: isTrusted && ofGit === null,
    }
  }

  /**
   * Excludes a move of the project, because a permission applies to the folder whose file was read.
   */
  const trustSetup: ProjectSettings['trustSetup'] = (projectId, shownSha256) =>
    serially(projectId, async () => {
      const { config, ofGit, configSha256 } = await readRequests(projectId)
      if (configSha256 !== shownSha256) {
        refused(
          'setup-changed',
          "The project's requests (.shiplog/project.yaml, .git/config) have changed since they were shown. Review them again.",
        )
      }
      await ledger.record(
        ...(config
          ? [{ type: 'project.setup-trusted' as const, projectId, configSha256: config.sha256 }]
          : []),
        ...(ofGit
          ? [{ type: 'project.git-config-allowed' as const, projectId, sha256: ofGit.sha256 }]
          : []),
      )
    })

  /** Serialized, because two windows may save at the same time. */
  const setEnvironment: ProjectSettings['setEnvironment'] = (projectId, environment, shown) =>
    serially(projectId, async () => {
      const { name, environment: present = defaultEnvironment } = known(projectId)
      if (shown && !isSameEnvironment(present, shown)) {
        refused(
          'settings-changed',
          `The settings of ${name} were changed elsewhere since they were shown. Review them again.`,
        )
      }
      await ledger.record({ type: 'project.environment-set', projectId, environment })
    })

  const setSandbox: ProjectSettings['setSandbox'] = (projectId, sandbox) =>
    serially(projectId, async () => {
      if (known(projectId).sandbox === sandbox) return
      await ledger.record({ type: 'project.sandbox-set', projectId, sandbox })
    })

  return { setup, trustSetup, setEnvironment, setSandbox }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
