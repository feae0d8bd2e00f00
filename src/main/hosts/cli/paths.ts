/** Folders and files that the person named, relative to where the command was called. */
import { createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { scenarioBytesMax } from '../../../shared/agents/agent-specs.ts'
import { imageBytesMax, type PromptImage } from '../../../shared/agents/images.ts'
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
  return (await readNamed('scenario', file, cwd, scenarioBytesMax)).toString('utf8')
}

/** Images for a prompt; what they are is checked where they are kept. */
export function readImages(files: readonly string[], cwd: string): Promise<PromptImage[]> {
  const read = async (file: string) => ({
    data: (await readNamed('image', file, cwd, imageBytesMax)).toString('base64'),
  })
  return Promise.all(files.map(read))
}

/** One byte more than allowed: the caller reports the excess, and reading a device or a pipe ends. */
async function readNamed(
  what: string,
  file: string,
  cwd: string,
  bytesMax: number,
): Promise<Buffer> {
  try {
    return await buffer(createReadStream(path.resolve(cwd, file), { end: bytesMax }))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder'
          : (error as Error).message
    throw usageError(`The ${what} ${file} can't be read: ${reason}.`)
  }
}
