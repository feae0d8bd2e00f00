/** Reads folders and files that the user named, relative to the working directory. */
import { createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { scenarioBytesMax } from '../../../shared/agents/agent-specs.ts'
import { imageBytesMax, type PromptImage } from '../../../shared/agents/images.ts'
import { usageError } from './exit-codes.ts'

/** Resolves with the absolute real path, the form in which projects are stored. */
export async function projectPath(dir: string, cwd: string): Promise<string> {
  const absolute = path.resolve(cwd, dir)
  try {
    return await realpath(absolute)
  } catch {
    return absolute // the reader of the file reports the error
  }
}

/** Resolves with the text of a scenario file. Rejects with CliError if it can't be read. */
export async function readScenario(file: string, cwd: string): Promise<string> {
  return (await readNamed('scenario', file, cwd, scenarioBytesMax)).toString('utf8')
}

/** Reads images for a prompt. The service validates them. */
export function readImages(files: readonly string[], cwd: string): Promise<PromptImage[]> {
  const read = async (file: string) => ({
    data: (await readNamed('image', file, cwd, imageBytesMax)).toString('base64'),
  })
  return Promise.all(files.map(read))
}

/** Reads at most one byte more than allowed, so that the service can report the excess and reading a device ends. */
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
