/** Which data directory is meant: flag, environment, settings file, platform default, in that order. */
import { join, resolve } from 'node:path'
import envPaths from 'env-paths'
import { z } from 'zod'
import { invalid } from '../shared/failure.ts'
import { readFileNow } from './journal/files/data-file.ts'

const settingsSchema = z.looseObject({ dataDir: z.string().min(1).optional() })

const paths = envPaths('shiplog', { suffix: '' })

/** Settings of the user, in the platform's configuration folder; a data directory has settings of its own. */
const personalSettingsFile = join(paths.config, 'settings.json')

/** Absolute. Throws FailureError when the settings file is there and can't be used. */
export function resolveDataDir(options: {
  flag?: string | undefined
  env: NodeJS.ProcessEnv
  /** For tests. */
  settingsFile?: string
}): string {
  const named = options.flag || options.env.SHIPLOG_DATA_DIR
  if (named) return resolve(named)
  return resolve(readSettings(options.settingsFile ?? personalSettingsFile).dataDir ?? paths.data)
}

function readSettings(file: string): z.infer<typeof settingsSchema> {
  let text: string
  try {
    text = readFileNow(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return settingsSchema.parse(JSON.parse(text))
  } catch {
    return invalid(
      'settings',
      `${file} can't be read: it has to be a JSON object such as {"dataDir": "/path"}. Mend or delete it.`,
    )
  }
}
