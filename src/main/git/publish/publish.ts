/** Runs Git commands that the user approved verbatim, and reads the settings that a proposal depends on. */
import { join } from 'node:path'
import { line, type RunGit } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { exists } from '../repository/file-facts.ts'

interface PushAddress {
  /** The address that Git pushes `origin` to; null if there is no such remote. */
  url: string | null
  /** Whether the address is a folder: a push to it runs that repository's hooks. */
  isFolder: boolean
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
  const found = await git(['remote', 'get-url', '--push', 'origin'], {
    cwd: dir,
    okExitCodes: [0, 2],
  })
  const url = found.exitCode === 0 ? line(found) : null
  const settings = (await ownSettings(git, dir, redirecting)).concat(
    // Settings of a remote apply to an address that is its name.
    (await ownSettings(git, dir, String.raw`^remote\.`)).filter((key) =>
      key.startsWith(`remote.${url}.`),
    ),
    await namedFiles(git, dir, url),
  )
  return { url, isFolder: url !== null && isFolder(url), settings: [...new Set(settings)] }
}

/** Returns the files in which older versions of Git kept a remote, and which are still read for one of that name. */
async function namedFiles(git: RunGit, dir: string, url: string | null): Promise<string[]> {
  const commonDir = url === null || /[/\\]/.test(url) ? null : await commonDirOf(git, dir)
  if (commonDir === null) return []
  return ['remotes', 'branches']
    .filter((folder) => exists(join(commonDir, folder, url ?? '')))
    .map((folder) => `.git/${folder}/${url}`)
}

/** Returns the names of the repository's own settings that match. */
async function ownSettings(git: RunGit, dir: string, pattern: string): Promise<string[]> {
  const asked = ['config', '--show-scope', '--includes', '--name-only', '--null', '--get-regexp']
  const found = await git([...asked, pattern], { cwd: dir, okExitCodes: [0, 1] })
  const words = found.stdout.toString().split('\0').filter(Boolean)
  return words.filter((_, at) => /^(local|worktree)$/.test(words[at - 1] ?? ''))
}

/** Git takes an address for a folder unless it has a scheme, or a host with a colon before the first slash. */
const isFolder = (url: string): boolean =>
  /^file:/i.test(url) || /^[a-z]:[\\/]/i.test(url) || !/^[^/]*:/.test(url)

/** Protocols of an approved push. `ext` and other helpers would run commands. */
const network = { GIT_ALLOW_PROTOCOL: 'https:ssh:file' }
/**
 * Nothing else is pushed than what was shown, no program is run to sign the push, and no option tells the server to do
 * more: some hosts merge for one. An empty option clears the list.
 */
const onlyThis = ['push.gpgSign=false', 'push.followTags=false', 'push.pushOption=']
/** No one could end a push to a server that never answers. Of http only, but on every system. */
const notForEver = ['http.lowSpeedLimit=1', 'http.lowSpeedTime=900']
const pushing = [...onlyThis, ...notForEver].flatMap((setting) => ['-c', setting])

/** Runs one approved command; hooks and signatures are off, as in every call. Throws GitError. */
export async function runApproved(
  git: RunGit,
  args: readonly string[],
  options: { cwd: string; usesNetwork: boolean; signal?: AbortSignal | undefined },
): Promise<void> {
  const { cwd, usesNetwork, signal } = options
  if (usesNetwork)
    await git([...pushing, ...args], { cwd, signal, env: network, waitsForServer: true })
  else await git(args, { cwd, signal })
}
