/** `limits.json` in the data directory: the default limits of new trees. */
import { type LimitSettings, limitSettingsSchema } from '../../../shared/contract/limits.ts'
import { openSettingsFile } from '../../journal/files/settings-file.ts'

const noLimitSettings: LimitSettings = { budget: null, quotaWaits: 0 }

export interface LimitSettingsStore {
  current(): LimitSettings
  /** Durable when it resolves. */
  save(settings: LimitSettings): Promise<void>
}

/** `path` is absolute. If the file can't be read, there are no limits, and `onLost` is called with a message. */
export async function openLimitSettings(
  path: string,
  onLost: (text: string) => void,
): Promise<LimitSettingsStore> {
  const file = await openSettingsFile(path, limitSettingsSchema, noLimitSettings)
  const lost = file.lost()
  if (lost !== null)
    onLost(`The default limits could not be read, so new agents have none. ${lost}`)
  return {
    current: file.current,
    save: (settings) => file.change(() => settings),
  }
}
