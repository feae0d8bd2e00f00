/**
 * Returns commands and addresses in a project's own Git configuration that the user has not allowed
 * yet (K8).
 */
import type { Project } from '../../shared/records/projects/projects.ts'
import type { Git, RepositoryConfig } from '../git/index.ts'

interface GitRequest {
  /** `key = value`, one per line. */
  commands: string
  fetches: RepositoryConfig['fetches']
  sha256: string
}

/**
 * Returns null if no permission is needed. Fetches of a partial clone need one only if an object of
 * the checked-out commit is missing.
 */
export async function gitRequest(git: Git, project: Project): Promise<GitRequest | null> {
  if (!project.git) return null
  // The start of an agent reports a folder that is missing, or no longer a repository.
  const config = await git.repositoryConfig(project.dir).catch(() => null)
  if (config === null || project.gitConfigSha256 === config.sha256) return null
  const { commands, fetches, sha256 } = config
  if (commands.length === 0) {
    const commit = await git.head(project.dir)
    if (commit === null || !(await git.lacksObjects({ dir: project.dir, commit }))) return null
  }
  return { commands: commands.map(lineOf).join('\n'), fetches, sha256 }
}

/**
 * Returns commands that are configured in a worktree but not in the project's folder, one per line:
 * added by an `includeIf` for worktrees or their branches. The user has not allowed them, so they
 * don't run.
 */
export async function commandsOfWorktreeOnly(
  git: Git,
  { projectDir, root }: { projectDir: string; root: string },
): Promise<string[]> {
  const [known, found] = await Promise.all([projectDir, root].map(git.repositoryConfig))
  const shown = new Set(known?.commands.map(lineOf))
  return (found?.commands ?? []).map(lineOf).filter((command) => !shown.has(command))
}

const lineOf = ({ key, value }: RepositoryConfig['commands'][number]): string => `${key} = ${value}`
