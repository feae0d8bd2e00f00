/** Opens a folder on this machine, in the file manager or in a code editor. */
import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { invalid } from '../../shared/failure.ts'
import { findOnPath } from '../processes/find-on-path.ts'

/** A launcher that has not failed within this time counts as successful. */
const launcherMs = 1_500

/** Commands of graphical editors, most common first. */
const editorCommands = [
  'code',
  'cursor',
  'zed',
  'subl',
  'codium',
  'idea',
  'webstorm',
  'nova',
  'gedit',
  'kate',
]

/** Rejects with FailureError, whose message contains the remedy, if no suitable program is found. */
export async function openFolder(path: string, opener: 'editor' | 'file-manager'): Promise<void> {
  const app = opener === 'editor' ? await findEditor(process.env) : null
  const reveal = app ? null : revealCommand(path, process.platform)
  const child = reveal
    ? spawn(reveal[0], reveal.slice(1), { stdio: 'ignore' })
    : await openByApp(path, app)
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    // A launcher that finds no program exits immediately with a non-zero code.
    child.once('exit', (code) => (code ? reject(new Error(`exit code ${code}`)) : resolve()))
    setTimeout(resolve, launcherMs).unref()
  }).catch(() =>
    invalid(
      'with',
      `${path} could not be opened: this machine has no program for it. Open it by hand.`,
    ),
  )
}

/** Imports the `open` package on demand, to keep it out of the start. */
async function openByApp(path: string, name: string | null) {
  const { default: open } = await import('open')
  return open(path, name ? { app: { name } } : {})
}

/**
 * Returns the command that reveals a path in its parent folder. Used on macOS for folders such as `X.app`, which
 * opening would launch. Null: the path can be opened directly.
 */
export function revealCommand(
  path: string,
  platform: NodeJS.Platform,
): [command: string, ...args: string[]] | null {
  return platform === 'darwin' && basename(path).includes('.') ? ['open', '-R', path] : null
}

async function findEditor(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env.SHIPLOG_EDITOR
  if (named) return named
  for (const name of editorCommands) {
    const found = await findOnPath(env.PATH ?? '', name)
    if (found !== null) return found
  }
  return invalid(
    'with',
    `No code editor was found on the PATH. Set SHIPLOG_EDITOR to the command of yours.`,
  )
}
