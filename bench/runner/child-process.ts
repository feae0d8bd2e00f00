/** Runs commands and probes in child processes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Action } from './probe.ts'

const execute = promisify(execFile)
const probeFile = join(import.meta.dirname, 'probe.ts')

/**
 * Runs an action of probe.ts in a new process. Rejects with its error output if it fails. `program`: the probe to run
 * instead of its source.
 */
export async function probe(
  action: Action,
  input: object,
  program = probeFile,
): Promise<{ ms: number; peakMb: number } & Record<string, number>> {
  const { stdout } = await execute(process.execPath, [program, action, JSON.stringify(input)])
  return JSON.parse(stdout)
}

/** Runs a program to its end; rejects if it fails. */
export async function run(program: string, ...args: string[]): Promise<void> {
  await execute(program, args)
}
