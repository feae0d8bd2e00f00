/**
 * Returns commands and addresses in a project's own Git configuration that the user has not allowed
 * yet (K8).
 */
import type { Project } from '../../shared/records/projects/projects.ts'
import type { Git, RepositoryConfig } from '../git/index.ts'

interface GitRequest {
  /** `key = value`, one per line, then the files that they run, each its path and its text. */
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
  const { commands, scripts, fetches, sha256 } = config
  if (commands.length === 0) {
    const commit = await git.head(project.dir)
    if (commit === null || !(await git.lacksObjects({ dir: project.dir, commit }))) return null
  }
  const shown = [...commands.map(lineOf), ...scripts.map(textOf)].join('\n')
  return { commands: shown, fetches, sha256 }
}

/**
 * Returns what Git would run in a worktree but not in the project's folder, where the user allowed it: commands, one per
 * line, that an `includeIf` adds for worktrees or their branches; and the paths of scripts with another text.
 */
export async function runInWorktreeOnly(
  git: Git,
  { projectDir, root }: { projectDir: string; root: string },
): Promise<{ commands: string[]; scripts: string[] }> {
  const [known, found] = await Promise.all([projectDir, root].map(git.repositoryConfig))
  const isKnown = new Set([
    ...(known?.commands ?? []).map(lineOf),
    ...(known?.scripts ?? []).map(textOf),
  ])
  return {
    commands: (found?.commands ?? []).map(lineOf).filter((line) => !isKnown.has(line)),
    scripts: (found?.scripts ?? [])
      .filter((script) => !isKnown.has(textOf(script)))
      .map(({ path }) => path),
  }
}

const lineOf = ({ key, value }: RepositoryConfig['commands'][number]): string => `${key} = ${value}`

const textOf = ({ path, text }: RepositoryConfig['scripts'][number]): string =>
  `\n${path}:\n${text.trimEnd()}`
