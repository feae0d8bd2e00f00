/** Identifies a repository after its folder moved: by its root commits and its remote. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { line, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from './commits.ts'
import { exists } from './file-facts.ts'
import { readGitDir } from './git-dir.ts'
import { inspectProject } from './inspect.ts'
import { remoteName } from './remote-name.ts'

interface RepositoryIdentity {
  /** Ids of the root commits of HEAD, sorted; empty if unknown. */
  rootCommits: string[]
  /** The `remoteName` of the remote called `origin`, else of the first by name; null without a remote. */
  remote: string | null
  /** The folder inside the repository, with `/`; empty for the repository's own. */
  within: string
}

/** A history with more was assembled by a tool, and their list would only bloat the ledger. */
const rootCommitsMax = 32

/**
 * Returns null if nothing identifies the repository: outside Git, before the first commit, and in a
 * shallow clone without a remote. `known` are the root commits recorded before. They are kept while
 * the repository has all of them, so that an orphan branch does not change the identity and a long
 * history is read once. Uses no network. Throws GitError.
 */
export async function identifyRepository(
  git: RunGit,
  { dir, known = [] }: { dir: string; known?: readonly string[] },
): Promise<RepositoryIdentity | null> {
  const found = await inspectProject(git, dir)
  if (found.kind !== 'repository') return null
  const remote = await remoteOf(git, dir)
  const rootCommits = (await hasAll(git, dir, known)) ? [...known] : await rootsOf(git, dir)
  if (rootCommits.length === 0 && remote === null) return null
  const below = path.relative(found.topLevel, await realpath(dir))
  return { rootCommits, remote, within: below.split(path.sep).join('/') }
}

async function hasAll(git: RunGit, dir: string, commits: readonly string[]): Promise<boolean> {
  for (const commit of commits) if ((await resolveCommit(git, dir, commit)) !== commit) return false
  return commits.length > 0
}

async function rootsOf(git: RunGit, dir: string): Promise<string[]> {
  // The boundary of a shallow clone is not the real history.
  if (await isShallow(git, dir)) return []
  const count = `--max-count=${rootCommitsMax + 1}`
  const listed = await git(['rev-list', '--max-parents=0', count, 'HEAD', '--'], { cwd: dir })
  const roots = line(listed).split('\n').filter(Boolean)
  return roots.length > rootCommitsMax ? [] : roots.sort()
}

async function isShallow(git: RunGit, dir: string): Promise<boolean> {
  const found = readGitDir(dir)
  if (found !== null && !exists(path.join(found.commonDir, 'shallow'))) return false
  return line(await git(['rev-parse', '--is-shallow-repository'], { cwd: dir })) !== 'false'
}

async function remoteOf(git: RunGit, dir: string): Promise<string | null> {
  const { ownRemotes } = await git.readConfig(dir)
  const name = ownRemotes.includes('origin') ? 'origin' : ownRemotes.toSorted()[0]
  if (name === undefined) return null
  // Applies `url.<base>.insteadOf`.
  const address = await git(['ls-remote', '--get-url', '--', name], { cwd: dir })
  return remoteName(address.stdout.toString())
}
