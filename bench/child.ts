/** Runs commands and probes in processes of their own. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Action } from './probe.ts'

const execute = promisify(execFile)
const probeFile = join(import.meta.dirname, 'probe.ts')

/**
 * Does one of probe.ts's actions in a fresh process. Rejects with what it said when it failed. `program`: the probe, if
 * not from its source.
 */
export async function probe(
  action: Action,
  input: object,
  program = probeFile,
): Promise<{ ms: number; peakMb: number } & Record<string, number>> {
  const { stdout } = await execute(process.execPath, [program, action, JSON.stringify(input)])
  return JSON.parse(stdout)
}

/** Runs a program to its end; rejects when it fails. */
export async function run(program: string, ...args: string[]): Promise<void> {
  await execute(program, args)
}
