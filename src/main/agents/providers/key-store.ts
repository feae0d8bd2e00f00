/**
 * `keys.json` in the data directory: the keys that the person gave Shiplog (K1), for this user alone to read, and
 * encrypted where the host has a keychain. They leave this module for their provider's origin only.
 */
import { basename } from 'node:path'
import { z } from 'zod'
import { readJsonFile, setAside, writeFileDurable } from '../../journal/index.ts'

const fileVersion = 1

const storedKeySchema = z.object({
  /** Where it may be sent, such as `https://api.anthropic.com`. */
  origin: z.string(),
  /** `keychain`: `value` is base64 of what the system's keychain encrypted. */
  where: z.enum(['keychain', 'file']),
  value: z.string(),
})

const fileSchema = z.object({
  version: z.literal(fileVersion),
  /** By the name of the provider. */
  keys: z.record(z.string(), storedKeySchema),
})

/** What encrypts with a key of the system's: Electron's `safeStorage`. */
export interface Keychain {
  isAvailable(): Promise<boolean>
  encrypt(text: string): Promise<Buffer>
  /** Rejects when it was encrypted by another user or on another machine. */
  decrypt(encrypted: Buffer): Promise<string>
}

type FoundKey =
  | { kind: 'found'; key: string; origin: string; where: 'keychain' | 'file' }
  | { kind: 'unreadable'; why: string }
  | { kind: 'none' }

export interface KeyStore {
  find(name: string): FoundKey
  names(): string[]
  /** Durable when it resolves. Null: it is forgotten. */
  set(name: string, key: { key: string; origin: string } | null): Promise<void>
  /** Why the keys are not known, one sentence; null: they are. */
  readonly lost: string | null
}

/** A damaged file is kept aside as `keys.json.damaged-<n>`. `path`: absolute. `keychain`: null where the host has none. */
export async function openKeyStore(path: string, keychain: Keychain | null): Promise<KeyStore> {
  const file = await readJsonFile(path, fileSchema)
  const aside = file.kind === 'damaged' ? await setAside(path, 'damaged') : null
  let whole: z.infer<typeof fileSchema> =
    file.kind === 'ok' ? file.value : { version: fileVersion, keys: {} }
  const opened = new Map<string, FoundKey>()
  for (const [name, stored] of Object.entries(whole.keys))
    opened.set(name, await openKey(stored, keychain))

  return {
    lost:
      aside === null
        ? null
        : `The keys of model providers could not be read: enter them again in Settings. The file is kept as ${basename(aside)} in the data directory.`,
    find: (name) => opened.get(name) ?? { kind: 'none' },
    names: () => [...opened.keys()],
    async set(name, wanted) {
      const { [name]: _, ...others } = whole.keys
      const stored = wanted && (await sealed(wanted, keychain))
      const next = { version: fileVersion, keys: stored ? { ...others, [name]: stored } : others }
      await writeFileDurable(path, `${JSON.stringify(next, null, 2)}\n`)
      whole = { ...next, version: fileVersion }
      if (wanted && stored) opened.set(name, { kind: 'found', ...wanted, where: stored.where })
      else opened.delete(name)
    },
  }
}

type StoredKey = z.infer<typeof storedKeySchema>

async function sealed(
  { key, origin }: { key: string; origin: string },
  keychain: Keychain | null,
): Promise<StoredKey> {
  if (!keychain || !(await keychain.isAvailable())) return { origin, where: 'file', value: key }
  const encrypted = await keychain.encrypt(key)
  return { origin, where: 'keychain', value: encrypted.toString('base64') }
}

async function openKey(
  { origin, where, value }: StoredKey,
  keychain: Keychain | null,
): Promise<FoundKey> {
  if (where === 'file') return { kind: 'found', key: value, origin, where }
  if (!keychain || !(await keychain.isAvailable()))
    return { kind: 'unreadable', why: 'it is in the keychain, which only the app can open' }
  try {
    const key = await keychain.decrypt(Buffer.from(value, 'base64'))
    return { kind: 'found', key, origin, where }
  } catch {
    return { kind: 'unreadable', why: 'the keychain does not open it. Enter the key again' }
  }
}
