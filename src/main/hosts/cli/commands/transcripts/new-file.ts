/** Creates a file of the user's that appears only once it is complete. */
import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliError, exitCodes } from '../../exit-codes.ts'

export interface NewFile {
  write(text: string): Promise<void>
  /** Gives the file its name. Without `replace`, rejects with CliError 5 if that name exists. */
  publish(): Promise<void>
  /** Removes the file unless it was published. Idempotent. */
  discard(): Promise<void>
}

/** Readable by the user only, because transcripts may be confidential. */
const fileMode = 0o600

export async function createNewFile(
  path: string,
  { replace }: { replace: boolean },
): Promise<NewFile> {
  const unfinished = join(
    dirname(path),
    `.${basename(path)}.${randomBytes(6).toString('hex')}.unfinished`,
  )
  const handle = await open(unfinished, 'wx', fileMode).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(exitCodes.usage, `${path} can't be written: ${reasonOf(error, path)}`)
  })
  let isOpen = true
  let isPublished = false
  const close = async () => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  return {
    async write(text) {
      await handle.writeFile(text)
    },
    async publish() {
      await handle.sync()
      await close()
      if (replace) await rename(unfinished, path)
      else await linkUnlessExists(unfinished, path)
      isPublished = true
    },
    async discard() {
      await close()
      if (!isPublished) await rm(unfinished, { force: true })
    },
  }
}

async function linkUnlessExists(from: string, path: string): Promise<void> {
  try {
    await link(from, path)
    await rm(from)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const exists = code === 'EEXIST' || (await stat(path).catch(() => null)) !== null
    if (exists)
      throw new CliError(exitCodes.refused, `${path} exists already. \`--force\` replaces it.`)
    // The file system has no hard links.
    await rename(from, path)
  }
}

/** The system's message would name the hidden file, which the user did not ask for. */
const reasonOf = (error: NodeJS.ErrnoException, path: string): string => {
  switch (error.code) {
    case 'ENOENT':
      return `there is no folder ${dirname(path)}`
    case 'ENOTDIR':
      return `${dirname(path)} is not a folder`
    case 'EACCES':
    case 'EPERM':
      return `you may not write in ${dirname(path)}`
    default:
      return error.message
  }
}
