/** Stores `providers.json` in the data directory: the providers of models that the user has set up, without keys. */
import { z } from 'zod'
import {
  type ModelDefaults,
  type ProviderEntry,
  providerEntrySchema,
  providersMax,
} from '../../../shared/agents/provider-settings.ts'
import { openSettingsFile } from '../../journal/files/settings-file.ts'

const contentSchema = z.object({
  providers: z.array(providerEntrySchema).max(providersMax),
  defaultModel: z.string().nullable(),
  /** Absent in files of versions without this setting. */
  subAgentModel: z.string().nullable().default(null),
})

export interface ProviderStore {
  entries(): readonly ProviderEntry[]
  defaults(): ModelDefaults
  /** Absent fields are unchanged. Durable when it resolves. */
  save(change: { entries?: ProviderEntry[]; defaults?: ModelDefaults }): Promise<void>
  /** The sentence that says that the settings could not be read, and where they are; null if they were read. */
  readonly lost: string | null
}

/** `path` is absolute. */
export async function openProviderStore(path: string): Promise<ProviderStore> {
  const file = await openSettingsFile(path, contentSchema, {
    providers: [],
    defaultModel: null,
    subAgentModel: null,
  })
  const lost = file.lost()
  return {
    lost:
      lost && `The providers of models could not be read: set them up again in Settings. ${lost}`,
    entries: () => file.current().providers,
    defaults() {
      const { defaultModel, subAgentModel } = file.current()
      return { defaultModel, subAgentModel }
    },
    save: ({ entries, defaults }) =>
      file.change((now) => ({ ...now, ...(entries && { providers: entries }), ...defaults })),
  }
}
