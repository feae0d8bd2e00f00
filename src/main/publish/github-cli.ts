/** Runs the user's own installation of `gh`, with the user's own credentials. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { GithubCli } from '../../shared/contract/changes/publish.ts'
import type { Custody } from '../processes/custody.ts'

/** A pull request takes a few requests, which may be slow. */
const timeoutMs = 120_000
/** The most that is read of its output, which is an address or a message. */
const outputCharsMax = 20_000

export interface GithubCliRunner {
  /** Resolves with whether `gh` can be used for this host, such as `github.com`. */
  state(owner: string, host: string): Promise<GithubCli>
  /** Runs `gh` with exactly these arguments. */
  run(owner: string, args: readonly string[]): Promise<GhResult>
}

interface GhResult {
  /** Null if it was killed because it took too long. */
  exitCode: number | null
  stdout: string
  stderr: string
}

export function createGithubCli(deps: {
  /** Resolves with null if `gh` is not installed. */
  find: () => Promise<{ file: string; path: string } | null>
  custody: Pick<Custody, 'begin'>
  hostEnv: NodeJS.ProcessEnv
}): GithubCliRunner {
  async function run(owner: string, args: readonly string[]): Promise<GhResult> {
    const found = await deps.find()
    if (!found) return { exitCode: 127, stdout: '', stderr: 'gh is not installed.' }
    const running = await deps.custody.begin(owner, ['gh', ...args].join(' '))
    try {
      // An empty folder: in a repository, gh would run Git, and Git what its configuration names.
      const child = spawn(found.file, [...args], {
        cwd: running.dir,
        env: { ...environment(deps.hostEnv), PATH: found.path, ...running.environment },
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
        windowsHide: true,
      })
      // Subscribed before any await, because a short command may close while its process id is recorded.
      const closed = once(child, 'close') as Promise<[number | null]>
      const texts = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => {
          texts[name] = (texts[name] + text).slice(-outputCharsMax)
        })
      const started = child.pid === undefined ? undefined : running.started(child.pid)
      const [[exitCode]] = await Promise.all([closed, started])
      return { exitCode, ...texts }
    } finally {
      await running.ended()
    }
  }

  return {
    run,
    async state(owner, host) {
      if ((await deps.find()) === null)
        return { state: 'missing', reason: 'GitHub’s command line, gh, is not installed.' }
      const { exitCode, stderr, stdout } = await run(owner, ['auth', 'status', '--hostname', host])
      if (exitCode === 0) return { state: 'ready' }
      const said = (stderr || stdout).trim().split('\n')[0] ?? ''
      return exitCode === 1
        ? { state: 'signed-out', reason: `gh is not signed in to ${host}. Run: gh auth login` }
        : { state: 'failed', reason: `gh could not be used: ${said || `exit code ${exitCode}`}` }
    },
  }
}

/** Returns the user's environment without variables that select a repository, and with prompts disabled. */
function environment(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(host).filter(
    ([name]) => !/^(GIT_|SHIPLOG_)/i.test(name) && !/^(GH_REPO|GH_FORCE_TTY|GH_DEBUG)$/i.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
  }
}
