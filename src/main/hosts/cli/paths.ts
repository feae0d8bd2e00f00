/** Folders and files that the person named, relative to where the command was called. */
import { createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { scenarioBytesMax } from '../../../shared/agents/agent-specs.ts'
import { usageError } from './exit-codes.ts'

/** Absolute, symlinks resolved where it exists: the form in which projects are kept. */
export async function projectPath(dir: string, cwd: string): Promise<string> {
  const absolute = path.resolve(cwd, dir)
  try {
    return await realpath(absolute)
  } catch {
    return absolute // the reader of the file reports the error
  }
}

/** The text of a scenario file. Refused with a reason and a remedy when it can't be read. */
export async function readScenario(file: string, cwd: string): Promise<string> {
  try {
    // One byte more than allowed: the parser reports the excess, and reading a device or pipe ends.
    const stream = createReadStream(path.resolve(cwd, file), { end: scenarioBytesMax })
    return await text(stream)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder'
          : (error as Error).message
    throw usageError(`The scenario ${file} can't be read: ${reason}.`)
  }
}
