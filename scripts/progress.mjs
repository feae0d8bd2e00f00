// Runs a long command so that a user sees that it is alive.
import { spawn, spawnSync } from 'node:child_process'

/** Often enough to reassure, seldom enough for a log to stay readable. */
const heartbeatMs = 10_000

/**
 * Runs a command with its output shown, announced by `label`. Without a terminal, where npm and its
 * like print nothing until they are done, says how long it has been going on.
 *
 * @param {string} label
 * @param {{ command: string, args: string[], cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, quiet?: boolean }} run
 * @returns {Promise<number>} how many seconds it took; rejects when it fails
 */
export async function runWithProgress(label, run) {
  const startedAt = Date.now()
  const elapsed = () => Math.round((Date.now() - startedAt) / 1000)
  console.error(`${label} …`)
  const heartbeat = process.stderr.isTTY
    ? undefined
    : setInterval(() => console.error(`  … still at it after ${elapsed()} s`), heartbeatMs)
  try {
    await runToEnd(run)
    return elapsed()
  } finally {
    clearInterval(heartbeat)
  }
}

/** Reports whether a command runs and exits with 0. */
export function works(command, args) {
  const shell = needsShell(command)
  return (
    spawnSync(shell ? quoted(command) : command, args, { stdio: 'ignore', timeout: 20_000, shell })
      .status === 0
  )
}

function runToEnd({ command, args, cwd, env, timeoutMs, quiet }) {
  return new Promise((resolve, reject) => {
    const shell = needsShell(command)
    const child = spawn(shell ? quoted(command) : command, args, {
      cwd,
      env: env ?? process.env,
      shell,
      timeout: timeoutMs,
      // Standard output is the app's own: `shiplog … --json` may run behind a set-up.
      stdio: quiet ? 'ignore' : ['inherit', 2, 2],
    })
    child.on('error', reject)
    child.on('close', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(signal ? `ended by ${signal}` : `exit code ${code}`)),
    )
  })
}

/** Windows starts .cmd files through its shell only. */
function needsShell(command) {
  return /\.(cmd|bat)$/i.test(command)
}

function quoted(command) {
  return `"${command}"`
}
