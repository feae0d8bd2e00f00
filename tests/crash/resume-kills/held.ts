/** Runs the host until its agents hold, and kills it with everything that it has started. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostOrder, HostTold } from './host.ts'

const host = join(import.meta.dirname, 'host.ts')

/** A command that is under way until `go` is there; it notes a word, and its process group, before that. */
export const hold = (dir: string, name: string): string =>
  `{ command: "echo ${name}-hold >> '${dir}/log'; echo $$ > '${dir}/held-${name}'; while [ ! -e '${dir}/go' ]; do sleep 0.1; done" }`

/** Notes a word outside of the worktrees, so that a call that ran twice shows. */
export const note = (dir: string, word: string): string =>
  `{ command: "echo ${word} >> '${dir}/log'" }`

export const wordsIn = async (dir: string): Promise<string[]> =>
  (await readFile(join(dir, 'log'), 'utf8')).trim().split('\n')

/**
 * What it told until its end. `cwd`: where it is started. `killWhenHeld`: the names of those that have to hold first; without it, it runs to its end. `histories`: a
 * file in which every run's history is noted.
 */
export async function runHost(
  order: HostOrder,
  over: { dir: string; killWhenHeld?: string[]; histories?: string; cwd?: string },
): Promise<HostTold[]> {
  const noting = over.histories ? ['--import', join(import.meta.dirname, 'note-histories.ts')] : []
  const child = spawn(process.execPath, [...noting, host, JSON.stringify(order)], {
    cwd: over.cwd,
    env: { ...process.env, SHIPLOG_TEST_HISTORIES: over.histories },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The power takes its Git along.
    detached: true,
  })
  let output = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    complaint += piece
  })
  const ended = Promise.withResolvers<number | null>()
  let lives = true
  child.on('close', (code) => {
    lives = false
    ended.resolve(code)
  })
  if (over.killWhenHeld) {
    // Commands have process groups of their own.
    const groups: number[] = []
    for (const name of over.killWhenHeld) {
      const file = join(over.dir, `held-${name}`)
      let group = 0
      while (lives && group === 0) {
        await sleep(20)
        group = Number(await readFile(file, 'utf8').catch(() => 0))
      }
      groups.push(group)
    }
    if (lives) for (const group of [child.pid ?? 0, ...groups]) process.kill(-group, 'SIGKILL')
  }
  const code = await ended.promise
  if (code !== (over.killWhenHeld ? null : 0))
    throw new Error(`it ended with ${code}: ${complaint}\n${output.slice(-2000)}`)
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as HostTold)
}
