/** `settings.json` in the data directory: what holds for this record, whichever host opens it. See FORMAT.md. */
import { join } from 'node:path'
import { z } from 'zod'
import {
  type RetentionSettings,
  retentionDefaults,
  retentionSettingsSchema,
} from '../../shared/contract/retention.ts'
import { exists, readJsonFile, setAside, writeFileDurable } from '../journal/index.ts'

const settingsVersion = 1
export const settingsFile = 'settings.json'

/** What it says beside retention is not ours to drop. */
const fileSchema = z.looseObject({
  version: z.literal(settingsVersion),
  retention: retentionSettingsSchema.optional(),
})

export interface SettingsStore {
  current(): RetentionSettings
  /**
   * What the person wants is not known: the file can't be read, and nobody has set it again since. Then
   * nothing goes by itself.
   */
  isLost(): boolean
  /** Durable when it resolves. */
  save(settings: RetentionSettings): Promise<void>
}

/** A file that can't be used is kept aside as `settings.json.damaged-<n>`, and the defaults count. */
export async function openSettings(dataDir: string): Promise<SettingsStore> {
  const path = join(dataDir, settingsFile)
  const file = await readJsonFile(path, fileSchema)
  if (file.kind === 'damaged') await setAside(path, 'damaged')
  let whole = file.kind === 'ok' ? file.value : { version: settingsVersion as 1 }
  let lost = file.kind !== 'ok' && (await exists(`${path}.damaged-1`))
  return {
    current: () => whole.retention ?? retentionDefaults,
    isLost: () => lost,
    async save(retention) {
      const next = { ...whole, retention }
      await writeFileDurable(path, `${JSON.stringify(next, null, 2)}\n`)
      whole = next
      lost = false
    },
  }
}
