/**
 * `settings.json`: the settings of this data directory, for every host that opens it. See
 * FORMAT.md.
 */
import { z } from 'zod'
import {
  type RetentionSettings,
  retentionDaysMax,
  retentionDefaults,
  retentionSettingsSchema,
} from '../../shared/contract/retention.ts'
import { invalid } from '../../shared/failure.ts'
import { openSettingsFile } from '../journal/files/settings-file.ts'

/** The user may write a single setting; the others have their defaults. Other keys are kept. */
const contentSchema = z.looseObject({
  retention: retentionSettingsSchema.partial().optional(),
})

export interface SettingsStore {
  current(): RetentionSettings
  /** Returns why the user's settings are unknown, in which case nothing expires. Null if they are known. */
  lost(): string | null
  /** Durable when it resolves. */
  save(settings: RetentionSettings): Promise<void>
}

/** `path` is absolute. `override` replaces the file's values and is not saved into it. */
export async function openSettings(
  path: string,
  override: Partial<RetentionSettings> = {},
): Promise<SettingsStore> {
  const file = await openSettingsFile(path, contentSchema, {})
  return {
    current: () => ({ ...retentionDefaults, ...file.current().retention, ...override }),
    lost: file.lost,
    save: (wanted) =>
      file.change((now) => ({
        ...now,
        retention: withoutOverridden(wanted, now.retention, override),
      })),
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
