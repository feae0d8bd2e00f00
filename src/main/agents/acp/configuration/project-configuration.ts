/** Lists a project's configuration of an installed agent, so that it can be allowed before one is started there (K8). */
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'
import type { ConfigurationToAllow } from '../../../../shared/contract/agents.ts'
import type { ProjectId } from '../../../../shared/records/ids.ts'
import { type AllowedConfiguration, questionOf } from './allow-configuration.ts'
import { findConfiguration } from './find-configuration.ts'

interface ProjectConfiguration {
  /** Reads the files at each call. Throws FailureError for an unknown agent or project. */
  find(id: string, projectId: ProjectId): Promise<ConfigurationToAllow>
  /** Allows those files that still have these hashes. Durable when it resolves. */
  allow(id: string, projectId: ProjectId, sha256s: readonly string[]): Promise<void>
}

/** A worktree may have other files than the project's folder; the start of an agent asks about those. */
export function createProjectConfiguration(deps: {
  agentOf: (id: string) => { name: string; program: InstalledAgent }
  dirOf: (projectId: ProjectId) => string
  allowedIn: (projectId: ProjectId) => AllowedConfiguration
  listFiles: (dir: string) => Promise<readonly string[]>
  isRepository: (dir: string) => boolean
  isSecret: (name: string, value: string) => boolean
}): ProjectConfiguration {
  async function findUnallowed(id: string, projectId: ProjectId) {
    const { name, program } = deps.agentOf(id)
    const allowed = deps.allowedIn(projectId)
    const { files, unshowable } = await findConfiguration({
      cwd: deps.dirOf(projectId),
      program,
      listFiles: deps.listFiles,
      isRepository: deps.isRepository,
      isSecret: deps.isSecret,
    })
    return { name, files: files.filter(({ sha256 }) => !allowed.isAllowed(sha256)), unshowable }
  }

  return {
    async find(id, projectId) {
      const { name, files, unshowable } = await findUnallowed(id, projectId)
      return {
        text: files.length === 0 ? '' : questionOf(name, files),
        sha256s: files.map(({ sha256 }) => sha256),
        unshowable,
      }
    },
    async allow(id, projectId, sha256s) {
      const { files } = await findUnallowed(id, projectId)
      const shown = files.filter(({ sha256 }) => sha256s.includes(sha256))
      if (shown.length > 0)
        await deps.allowedIn(projectId).allow(shown.map(({ path, sha256 }) => ({ path, sha256 })))
    },
  }
}
