// Runs a command with all it starts, and ends all of it: a test runner that is killed alone leaves
// its browsers behind.
import { spawn } from 'node:child_process'

const hasGroups = process.platform !== 'win32'
const interruptions = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** Commands may run concurrently: after an interruption the last one to end exits this process. */
let runningCount = 0

/**
 * Runs a command without input.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, timeoutMs: number, output?: number }} options
 *   `output` is the descriptor of a file for what it prints, which is otherwise shown as it comes.
 * @returns {Promise<string | undefined>} what went wrong, or undefined when it exited with 0
 */
export function runInOwnGroup(command, args, { cwd, env, timeoutMs, output = undefined }) {
  return new Promise((resolve) => {
    runningCount += 1
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', output ?? 'inherit', output ?? 'inherit'],
      detached: hasGroups,
    })
    const endGroup = (signal) => {
      try {
        if (child.pid) process.kill(hasGroups ? -child.pid : child.pid, signal)
      } catch {
        // It had already ended.
      }
    }
    let tookTooLong = false
    const timer = setTimeout(() => {
      tookTooLong = true
      endGroup('SIGKILL')
    }, timeoutMs)
    // In its own group it does not receive the terminal's Ctrl-C.
    let interrupted = false
    const passOn = (signal) => {
      interrupted = true
      endGroup(signal)
    }
    for (const signal of interruptions) process.on(signal, passOn)

    let hasSettled = false
    const settle = (problem) => {
      if (hasSettled) return // a command that could not be started also closes
      hasSettled = true
      runningCount -= 1
      clearTimeout(timer)
      for (const signal of interruptions) process.off(signal, passOn)
      resolve(problem)
    }
    child.on('error', (error) => settle(`could not be started: ${error.message}`))
    child.on('close', (code, signal) => {
      endGroup('SIGKILL') // whatever it left behind
      if (interrupted) {
        // The promise stays pending, or the caller would start its next command while others still end.
        runningCount -= 1
        if (runningCount === 0) process.exit(130)
      } else if (tookTooLong) settle(`still running after ${timeoutMs / 60_000} minutes, ended`)
      else if (signal) settle(`ended by ${signal}`)
      else settle(code === 0 ? undefined : `exit code ${code}`)
    })
  })
}
