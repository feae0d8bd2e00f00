import { writeFile } from 'node:fs/promises'
import type { CommandSandbox } from '../../../../shared/agents/driver/tool-context.ts'
import type { CommandShell } from '../../../../shared/agents/permissions.ts'
import { findOnPath } from '../../../processes/find-on-path.ts'
import { bashAt } from '../../permissions/shell/bash-version.ts'

/** Resolves with the program and arguments that run a shell with `args`: the shell itself, or the sandbox around it. */
export async function shellProgram(
  args: string[],
  stateFile: string,
  sandbox: CommandSandbox | undefined,
): Promise<[program: string, ...args: string[]]> {
  const shell = await findShell()
  if (!sandbox) return [shell, ...args]
  // Created first, because the sandbox allows writing this file but not its folder.
  await writeFile(stateFile, '')
  return sandbox.wrap([shell, ...args], stateFile)
}

/** Error texts of the system's library and of Node. */
const writeRefused = /Read-only file system|\bEROFS\b/
const networkRefused =
  /Network is unreachable|Could not resolve host|Temporary failure in name resolution|\b(ENETUNREACH|EAI_AGAIN)\b/

/** Returns a line for the result of a command after which the sandbox removed something. */
export const removedNote = (removed: readonly string[]): string[] =>
  removed.length === 0
    ? []
    : [`[removed, because Git would follow it out of the sandbox: ${removed.join(', ')}]`]

/** Returns a line for the result of a failed command whose output shows that the sandbox was the reason. */
export function sandboxNote(
  { text, exitCode }: { text: string; exitCode: number | null },
  sandbox: CommandSandbox | undefined,
): string[] {
  if (!sandbox || exitCode === 0) return []
  const isKnown = writeRefused.test(text) || (!sandbox.network && networkRefused.test(text))
  return isKnown ? [`[outside of the sandbox: ${sandbox.limits}]`] : []
}

/** Resolves with the shell that runs commands, as far as it is known how it reads them. */
export const toolShell = async (): Promise<CommandShell> => {
  const found = await findShell()
  return found === systemShell ? 'unknown' : bashAt(found)
}

const systemShell = process.platform === 'win32' ? 'sh' : '/bin/sh'
let shell: Promise<string> | undefined

/** Bash from the PATH; where there is none, the system's own shell. */
function findShell(): Promise<string> {
  shell ??= findOnPath(process.env.PATH ?? '', 'bash').then((found) => found ?? systemShell)
  return shell
}
