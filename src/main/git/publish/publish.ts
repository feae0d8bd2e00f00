/** Git commands that the user approved, word for word, and what has to be known to propose them. */
import type { RunGit } from '../command/run-git.ts'
import { line } from '../command/run-git.ts'

interface PushAddress {
  /** As Git pushes to `origin`; null: there is no such remote. */
  url: string | null
  /** Settings of the repository that could send a push elsewhere, or run a program for it. */
  settings: string[]
}

/** Set in the person's own configuration these are theirs; in a repository's, an agent may have set them. */
const redirecting = String.raw`^(url|credential|http|https|protocol)\.|^core\.(sshcommand|askpass|gitproxy)$`

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
