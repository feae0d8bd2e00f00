/** `providers.json` in the data directory: the providers of models that the person has set up. Holds no key. */
import { basename } from 'node:path'
import { z } from 'zod'
import {
  type ProviderEntry,
  providerEntrySchema,
  providersMax,
} from '../../../shared/agents/provider-settings.ts'
import { readJsonFile, setAside, writeFileDurable } from '../../journal/index.ts'

const fileVersion = 1

const fileSchema = z.object({
  version: z.literal(fileVersion),
  providers: z.array(providerEntrySchema).max(providersMax),
  defaultModel: z.string().nullable(),
})

export interface ProviderStore {
  entries(): readonly ProviderEntry[]
  defaultModel(): string | null
  /** Durable when it resolves. */
  save(next: { entries: ProviderEntry[]; defaultModel: string | null }): Promise<void>
  /** Why what the person had set is not known, one sentence; null: it is. */
  readonly lost: string | null
}

/** A damaged file is kept aside as `providers.json.damaged-<n>`. `path`: absolute. */
export async function openProviderStore(path: string): Promise<ProviderStore> {
  const file = await readJsonFile(path, fileSchema)
  const aside = file.kind === 'damaged' ? await setAside(path, 'damaged') : null
  let whole: z.infer<typeof fileSchema> =
    file.kind === 'ok' ? file.value : { version: fileVersion, providers: [], defaultModel: null }
  return {
    lost:
      aside === null
        ? null
        : `The providers of models could not be read: set them up again in Settings. The file is kept as ${basename(aside)} in the data directory.`,
    entries: () => whole.providers,
    defaultModel: () => whole.defaultModel,
    async save({ entries, defaultModel }) {
      const next = { version: fileVersion, providers: entries, defaultModel } as const
      await writeFileDurable(path, `${JSON.stringify(next, null, 2)}\n`)
      whole = next
    },
  }
}
