/** Loaded with `node --import`: the process is killed as soon as it has started a command for an agent. */
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const { spawn } = childProcess
childProcess.spawn = ((command: string, args: string[], options: childProcess.SpawnOptions) => {
  const child = spawn(command, args, options)
  // Git runs in the group of Shiplog.
  if (options?.detached) process.kill(process.pid, 'SIGKILL')
  return child
}) as typeof spawn
syncBuiltinESMExports()
