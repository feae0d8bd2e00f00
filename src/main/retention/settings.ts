/** `settings.json` in the data directory: what holds for this record, whichever host opens it. See FORMAT.md. */
import { basename } from 'node:path'
import { z } from 'zod'
import {
  type RetentionSettings,
  retentionDefaults,
  retentionSettingsSchema,
} from '../../shared/contract/retention.ts'
import { exists, readJsonFile, setAside, writeFileDurable } from '../journal/index.ts'

const settingsVersion = 1

/** What it says beside retention is not ours to drop. */
const fileSchema = z.looseObject({
  version: z.literal(settingsVersion),
  retention: retentionSettingsSchema.optional(),
})

const newerSchema = z.looseObject({ version: z.number().int().gt(settingsVersion) })

interface SettingsStore {
  current(): RetentionSettings
  /**
   * Why what the person wants is not known, one sentence: the file can't be read, and nobody has set it
   * again since. Then nothing goes by itself. Null: it is known.
   */
  lost(): string | null
  /** Durable when it resolves. */
  save(settings: RetentionSettings): Promise<void>
}

/**
 * Of a file that can't be used the defaults count. It is kept aside as `settings.json.damaged-<n>`; that of
 * a newer version stays, until settings are saved. `path`: absolute.
 */
export async function openSettings(path: string): Promise<SettingsStore> {
  const name = basename(path)
  const file = await readJsonFile(path, fileSchema)
  let isNewer = file.kind === 'damaged' && (await readJsonFile(path, newerSchema)).kind === 'ok'
  const aside = file.kind === 'damaged' && !isNewer ? await setAside(path, 'damaged') : null
  let whole = file.kind === 'ok' ? file.value : { version: settingsVersion as 1 }
  const wasAside = file.kind === 'missing' && (await exists(`${path}.damaged-1`))
  let lost: string | null = null
  if (isNewer) lost = `${name} was written by a newer version of Shiplog and is left as it is.`
  else if (aside) lost = `The file is kept as ${basename(aside)} in the data directory.`
  else if (wasAside) lost = `The file is kept as ${name}.damaged-1 in the data directory.`
  return {
    current: () => whole.retention ?? retentionDefaults,
    lost: () => lost,
    async save(retention) {
      if (isNewer) await setAside(path, 'newer')
      isNewer = false
      const next = { ...whole, retention }
      await writeFileDurable(path, `${JSON.stringify(next, null, 2)}\n`)
      whole = next
      lost = null
    },
  }
}
