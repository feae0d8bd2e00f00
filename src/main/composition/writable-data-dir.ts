/** Creates the data directory if necessary, and checks that this process can use it. */
import { access, constants, stat } from 'node:fs/promises'
import { makeDirDurable } from '../journal/index.ts'
import { refuseForeignFolders } from '../sessions/data-dir-guard.ts'
import { protectDataDir } from '../sessions/data-dir-mode.ts'
import { layoutOf } from '../sessions/session-files.ts'

/** The data directory can't be used. The message contains the remedy. */
export class DataDirError extends Error {
  readonly kind = 'data-dir'
}

/**
 * Resolves with a warning for the user, or null. Throws DataDirError with the remedy in its message.
 */
export async function prepareDataDir(dataDir: string): Promise<string | null> {
  const remedy = 'Choose another with --data-dir or SHIPLOG_DATA_DIR.'
  try {
    await makeDirDurable(dataDir)
    if (!(await stat(dataDir)).isDirectory())
      throw new DataDirError(`${dataDir} is a file. ${remedy}`)
    await access(dataDir, constants.W_OK)
    const warning = await protectDataDir(dataDir).catch((error) => {
      throw new DataDirError(
        `The data directory ${dataDir} can't be used: ${(error as Error).message}. ${remedy}`,
      )
    })
    await refuseForeignFolders(layoutOf(dataDir))
    return warning
  } catch (error) {
    if (error instanceof DataDirError) throw error
    throw new DataDirError(
      `The data directory ${dataDir} can't be written (${(error as Error).message}). ${remedy}`,
    )
  }
}
