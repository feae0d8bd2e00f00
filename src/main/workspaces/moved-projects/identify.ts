/** Identifies the repository in a project's folder, without secrets. */
import { createHash } from 'node:crypto'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type { ProjectIdentity } from '../../../shared/records/projects/project-identity.ts'
import { type Git, GitError } from '../../git/index.ts'
import { isSecret } from '../../secrets/agent-environment.ts'

/**
 * Returns null if the project is identified by its path alone. `known` is the identity recorded
 * before.
 */
type IdentifyProject = (dir: string, known?: ProjectIdentity) => Promise<ProjectIdentity | null>

export function createIdentifyProject(deps: {
  git: Git
  secrets: Pick<Masker, 'text'>
  onIgnored?: (what: string, error: unknown) => void
}): IdentifyProject {
  const { git, secrets, onIgnored } = deps

  return async (dir, known) => {
    try {
      const found = await git.identifyRepository({ dir, known: known?.rootCommits })
      return found && { ...found, remote: found.remote && withoutSecrets(found.remote) }
    } catch (error) {
      // Agents can work in the folder even if its history can't be read.
      if (!(error instanceof GitError)) throw error
      onIgnored?.(`the repository in ${dir} could not be identified`, error)
      return null
    }
  }

  /** Replaces an address with a secret by its hash; its path may contain a token too. */
  function withoutSecrets(remote: string): string {
    const parts = [remote, ...remote.split('/')]
    const isPlain = parts.every((part) => !isSecret('', part)) && secrets.text(remote) === remote
    return isPlain ? remote : `sha256:${createHash('sha256').update(remote).digest('hex')}`
  }
}
