/** Opens a system terminal that runs a command. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** A terminal that has not failed within this time counts as opened. */
const openedMs = 1_500

/** Linux terminals with the arguments that precede a command. The system's default comes first. */
const terminals: readonly (readonly [string, ...string[]])[] = [
  ['x-terminal-emulator', '-e'],
  ['gnome-terminal', '--'],
  ['konsole', '-e'],
  ['xfce4-terminal', '-x'],
  ['kitty'],
  ['alacritty', '-e'],
  ['foot'],
  ['xterm', '-e'],
]

/**
 * Resolves with false if no terminal could be opened. It starts in the home folder: Shiplog's own may be a repository,
 * whose files the command would load. `find` resolves with a program's path, or null. The terminal
 * stays open after the command has ended.
 */
export async function openTerminal(
  command: readonly string[],
  {
    find,
    env = process.env,
    platform = process.platform,
  }: {
    find: (program: string) => Promise<string | null>
    env?: NodeJS.ProcessEnv
    platform?: NodeJS.Platform
  },
): Promise<boolean> {
  if (platform === 'darwin') {
    const dir = await mkdtemp(join(tmpdir(), 'shiplog-terminal-'))
    const script = join(dir, 'sign-in.command')
    await writeFile(
      script,
      `#!/bin/sh\nrm -rf ${quoted(dir)}\n${command.map(quoted).join(' ')}\n`,
      {
        mode: 0o700,
      },
    )
    return hasOpened(() => spawn('open', [script], { stdio: 'ignore' }))
  }
  if (platform === 'win32') {
    // A name alone would be looked for in the working directory first.
    const cmd = env.ComSpec ?? 'cmd.exe'
    return hasOpened(() =>
      spawn(
        cmd,
        ['/c', 'start', '""', quotedForCmd(cmd), '/k', command.map(quotedForCmd).join(' ')],
        {
          cwd: homedir(),
          stdio: 'ignore',
          windowsVerbatimArguments: true,
        },
      ),
    )
  }
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return false
  const own = env.TERMINAL
    ? terminals.find(([name]) => name === basename(env.TERMINAL ?? ''))
    : null
  for (const [name, ...before] of own ? [own, ...terminals] : terminals) {
    const file = await find(name)
    if (file === null) continue
    // A shell replaces the command at its end, so that its output stays readable.
    const line = `${command.map(quoted).join(' ')}; exec "\${SHELL:-sh}"`
    const args = [...before, 'sh', '-c', line]
    if (
      await hasOpened(() => spawn(file, args, { cwd: homedir(), stdio: 'ignore', detached: true }))
    )
      return true
  }
  return false
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
const quotedForCmd = (word: string): string => `"${word.replaceAll('"', '""')}"`

async function hasOpened(start: () => ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const child = start()
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    setTimeout(() => resolve(true), openedMs).unref()
    child.unref()
  })
}
