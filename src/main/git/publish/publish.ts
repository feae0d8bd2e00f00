/** Runs Git commands that the user approved verbatim, and reads the settings that a proposal depends on. */
import type { RunGit } from '../command/run-git.ts'
import { line } from '../command/run-git.ts'

interface PushAddress {
  /** The address that Git pushes `origin` to; null if there is no such remote. */
  url: string | null
  /** Settings of the repository that could send a push elsewhere, or run a program for it. */
  settings: string[]
}

/**
 * Settings that redirect a push. Trusted in the user's own configuration; in a repository's, an agent may have set
 * them.
 */
const redirecting = String.raw`^(url|credential|http|https|protocol)\.|^core\.(sshcommand|askpass|gitproxy)$`

/** Reads where a push to `origin` would go. Uses no network. Throws GitError. */
export async function pushAddress(git: RunGit, dir: string): Promise<PushAddress> {
  const asked = ['config', '--show-scope', '--includes', '--name-only', '--null', '--get-regexp']
  const found = await git([...asked, redirecting], { cwd: dir, okExitCodes: [0, 1] })
  const words = found.stdout.toString().split('\0').filter(Boolean)
  const settings = words.filter((_, at) => /^(local|worktree)$/.test(words[at - 1] ?? ''))
  const url = await git(['remote', 'get-url', '--push', 'origin'], {
    cwd: dir,
    okExitCodes: [0, 2],
  })
  return { url: url.exitCode === 0 ? line(url) : null, settings: [...new Set(settings)] }
}

/** Protocols of an approved push. `ext` and other helpers would run commands. */
const network = { GIT_ALLOW_PROTOCOL: 'https:ssh:file' }

/** Runs one approved command; hooks and signatures are off, as in every call. Throws GitError. */
export async function runApproved(
  git: RunGit,
  args: readonly string[],
  options: { cwd: string; usesNetwork: boolean; signal?: AbortSignal | undefined },
): Promise<void> {
  const { cwd, usesNetwork, signal } = options
  await git(args, { cwd, signal, ...(usesNetwork && { env: network }) })
}
