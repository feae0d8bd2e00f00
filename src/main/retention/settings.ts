/**
 * `settings.json`: the settings of this data directory, for every host that opens it. See
 * FORMAT.md.
 */
import { basename } from 'node:path'
import { z } from 'zod'
import {
  type RetentionSettings,
  retentionDaysMax,
  retentionDefaults,
  retentionSettingsSchema,
} from '../../shared/contract/retention.ts'
import { invalid } from '../../shared/failure.ts'
import { exists, readJsonFile, setAside, writeFileDurable } from '../journal/index.ts'

const settingsVersion = 1

/** The user may write a single setting; the others have their defaults. Other keys are kept. */
const fileSchema = z.looseObject({
  version: z.literal(settingsVersion).default(settingsVersion),
  retention: retentionSettingsSchema.partial().optional(),
})

const newerSchema = z.looseObject({ version: z.number().int().gt(settingsVersion) })

export interface SettingsStore {
  current(): RetentionSettings
  /**
   * Returns one sentence on why the user's settings are unknown: the file can't be read and was not
   * saved again since. In this case nothing expires. Null if they are known.
   */
  lost(): string | null
  /** Durable when it resolves. */
  save(settings: RetentionSettings): Promise<void>
}

/**
 * Opens the settings at the absolute `path`. Defaults replace an unusable file. A damaged one is
 * kept aside as `settings.json.damaged-<n>`; that of a newer version stays until settings are
 * saved. `override` replaces the file's values and is not saved into it.
 */
export async function openSettings(
  path: string,
  override: Partial<RetentionSettings> = {},
): Promise<SettingsStore> {
  const name = basename(path)
  const file = await readJsonFile(path, fileSchema)
  let isNewer = file.kind === 'damaged' && (await readJsonFile(path, newerSchema)).kind === 'ok'
  const aside = file.kind === 'damaged' && !isNewer ? await setAside(path, 'damaged') : null
  let whole: z.infer<typeof fileSchema> =
    file.kind === 'ok' ? file.value : { version: settingsVersion }
  const current = () => ({ ...retentionDefaults, ...whole.retention, ...override })
  const wasAside = file.kind === 'missing' && (await exists(`${path}.damaged-1`))
  const why = file.kind === 'damaged' ? `${file.reason.replace(path, name)}.` : ''
  let lost: string | null = null
  if (isNewer) lost = `${name} was written by a newer version of Shiplog and is left as it is.`
  else if (aside) lost = `${why} The file is kept as ${basename(aside)} in the data directory.`
  else if (wasAside) lost = `The file is kept as ${name}.damaged-1 in the data directory.`
  return {
    current,
    lost: () => lost,
    async save(retention) {
      if (isNewer) await setAside(path, 'newer')
      isNewer = false
      const next = { ...whole, retention: withoutOverridden(retention, whole.retention, override) }
      await writeFileDurable(path, `${JSON.stringify(next, null, 2)}\n`)
      whole = next
      lost = null
    },
  }
}

/**
 * Settings are edited with overrides applied, so an unchanged overridden value must not be saved.
 */
function withoutOverridden(
  wanted: RetentionSettings,
  stored: Partial<RetentionSettings> = {},
  override: Partial<RetentionSettings>,
): Partial<RetentionSettings> {
  if (override.transcriptTtlDays === undefined) return wanted
  if (wanted.transcriptTtlDays !== override.transcriptTtlDays) return wanted
  const { transcriptTtlDays: _, ...others } = wanted
  if (stored.transcriptTtlDays === undefined) return others
  return { ...others, transcriptTtlDays: stored.transcriptTtlDays }
}

const ttlVariable = 'SHIPLOG_TRANSCRIPT_TTL_DAYS'

/**
 * Returns values from the environment that override the file. Throws FailureError for a value that
 * is not a number of days.
 */
export function settingsFromEnvironment(env: NodeJS.ProcessEnv): Partial<RetentionSettings> {
  const text = env[ttlVariable]?.trim()
  if (!text) return {}
  if (text === 'never') return { transcriptTtlDays: null }
  const days = retentionSettingsSchema.shape.transcriptTtlDays.safeParse(Number(text))
  if (/^\d+$/.test(text) && days.success) return { transcriptTtlDays: days.data }
  return invalid(
    ttlVariable,
    `${ttlVariable} is ${JSON.stringify(text)}: it has to be a whole number of days up to ${retentionDaysMax}, or "never".`,
  )
}
