/** What a project's own Git configuration asks for and the person has not allowed yet (K8). */
import type { Project } from '../../shared/tasks.ts'
import type { Git, RepositoryConfig } from '../git/index.ts'

interface GitRequest {
  /** `key = value`, one a line. */
  commands: string
  fetches: RepositoryConfig['fetches']
  sha256: string
}

/**
 * Null when there is nothing to ask. What a partial clone would fetch is asked only where something of the
 * checked-out commit is missing: until then nobody needs it.
 */
export async function gitRequest(git: Git, project: Project): Promise<GitRequest | null> {
  if (!project.git) return null
  // A folder that is gone, or no repository any more, is for whoever starts in it to find.
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
 * Commands that the configuration names in a worktree and not in the project's folder, one a line: what an
 * `includeIf` adds for worktrees or their branches. Nobody was asked about them, so they don't run.
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
