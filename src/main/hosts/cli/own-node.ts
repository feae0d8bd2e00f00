/** Runs a command with the Node that Shiplog's set-up installed if the current one is too old. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Older versions lack features that the sources use, and fail at run time. */
const nodeMajorMin = 22

/** Ends this process when its parent is killed. Called by the process that executes the command. */
export function endWithStarter(): void {
  if (!process.channel) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // The channel must not keep this process alive.
  process.channel.unref()
}

/**
 * Resolves with the exit code of the command as run by Shiplog's own Node; null if this Node is suitable. If there is no
 * other Node, prints the remedy and resolves with 2.
 */
export async function runOnOwnNode(packageDir: string): Promise<number | null> {
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return null
  const name = process.platform === 'win32' ? 'node.cmd' : 'node'
  const own = join(packageDir, 'node_modules', '.bin', name)
  if (!existsSync(own)) {
    process.stderr.write(
      `Shiplog needs Node ${nodeMajorMin} or newer and this is ${process.version}. Run \`npm start\` in its folder once, which installs one, or update Node.\n`,
    )
    return 2
  }
  // The channel carries no messages. It closes when this process is killed, which ends the other one.
  const child = spawn(own, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // Ctrl-C reaches both processes. Forwarding it would count as a second one, which exits at once.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
