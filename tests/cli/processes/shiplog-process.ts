/** The built command line in processes of its own, on a data directory and projects in a temporary folder. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What `npm run build` made; another entry may be named to try one that is not built. */
const entry =
  process.env.SHIPLOG_TEST_CLI ??
  fileURLToPath(new URL('../../../out/main/cli.js', import.meta.url))

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningCli {
  ended: Promise<Ended>
  /** Resolves with all of standard error so far once it contains this; rejects if the process ends first. */
  said(text: string): Promise<string>
  /** As `said`, for standard output. */
  printed(text: string): Promise<string>
  kill(signal: NodeJS.Signals): void
  closeStdout(): void
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

/** A temporary folder with a data directory; `remove` ends what still runs and deletes it. */
export async function createSandbox() {
  if (!existsSync(entry)) throw new Error(`${entry} is not built. Run: npm run build`)
  const dir = await mkdtemp(path.join(await realpath(os.tmpdir()), 'shiplog-e2e-'))
  const dataDir = path.join(dir, 'data')
  const running = new Set<ReturnType<typeof spawn>>()
  const env = {
    ...process.env,
    SHIPLOG_DATA_DIR: dataDir,
    NO_COLOR: '1',
    DISPLAY: '',
    WAYLAND_DISPLAY: '',
    GIT_CONFIG_GLOBAL: path.join(dir, 'gitconfig'),
    GIT_CONFIG_SYSTEM: '/dev/null',
  }
  await writeFile(env.GIT_CONFIG_GLOBAL, '[user]\n\tname = Ada\n\temail = ada@example.com\n')

  function start(
    argv: string[],
    options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ): RunningCli {
    const child = spawn(process.execPath, [entry, ...argv], {
      cwd: options.cwd ?? dir,
      env: { ...env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    const stdout = watchText(child.stdout)
    const stderr = watchText(child.stderr)
    const ended = once(child, 'close').then(([code]): Ended => {
      running.delete(child)
      stdout.end()
      stderr.end()
      return { code, stdout: stdout.text(), stderr: stderr.text() }
    })
    return {
      ended,
      said: stderr.until,
      printed: stdout.until,
      kill: (signal) => child.kill(signal),
      closeStdout: () => child.stdout.destroy(),
    }
  }

  return {
    dir,
    dataDir,
    /** For who starts the command line in a way of its own. */
    entry,
    env,
    start,
    run: (...argv: string[]) => start(argv).ended,
    /** Runs with `--json`, expects exit 0, and answers the one document. */
    async json<Document>(...argv: string[]): Promise<Document> {
      const { code, stdout, stderr } = await start([...argv, '--json']).ended
      if (code !== 0) throw new Error(`shiplog ${argv.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as Document
    },
    /** A repository with one commit. */
    async repository(name: string, files: Record<string, string> = { 'README.md': '# Hello\n' }) {
      const repository = path.join(dir, name)
      for (const [file, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(repository, file)), { recursive: true })
        await writeFile(path.join(repository, file), text)
      }
      await git(repository, env, 'init', '-q', '-b', 'main')
      await git(repository, env, 'add', '-A')
      await git(repository, env, 'commit', '-qm', 'First')
      return repository
    },
    async file(name: string, text: string) {
      const file = path.join(dir, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
      return file
    },
    git: (repository: string, ...argv: string[]) => git(repository, env, ...argv),
    async remove() {
      for (const child of running) child.kill('SIGKILL')
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function git(cwd: string, env: NodeJS.ProcessEnv, ...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', argv, { cwd, env })
  return stdout.trimEnd()
}

function watchText(stream: NodeJS.ReadableStream) {
  let text = ''
  let over = false
  const waiting = new Set<() => void>()
  const look = () => {
    for (const one of waiting) one()
  }
  stream.setEncoding('utf8')
  stream.on('data', (piece: string) => {
    text += piece
    look()
  })
  return {
    text: () => text,
    end() {
      over = true
      look()
    },
    until(wanted: string): Promise<string> {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (text.includes(wanted)) resolve(text)
          else if (over) reject(new Error(`it ended without "${wanted}": ${text}`))
          else return
          waiting.delete(check)
        }
        waiting.add(check)
        check()
      })
    },
  }
}
