/**
 * Stores `keys.json` in the data directory: the user's keys (K1), readable by this user only, and encrypted if the host
 * has a keychain.
 */
import { z } from 'zod'
import { openSettingsFile } from '../../journal/files/settings-file.ts'

const storedKeySchema = z.object({
  /** The only origin to which it may be sent, such as `https://api.anthropic.com`. */
  origin: z.string(),
  /** `keychain`: `value` was encrypted by the system's keychain, and is in base64. */
  where: z.enum(['keychain', 'file']),
  value: z.string(),
})

const contentSchema = z.object({
  /** By the name of the provider. */
  keys: z.record(z.string(), storedKeySchema),
})

/** Encrypts with a key of the system, as Electron's `safeStorage` does. */
export interface Keychain {
  isAvailable(): Promise<boolean>
  encrypt(text: string): Promise<Buffer>
  /** Rejects if the text was encrypted by another user or on another machine. */
  decrypt(encrypted: Buffer): Promise<string>
}

type FoundKey =
  | { kind: 'found'; key: string; origin: string; where: 'keychain' | 'file' }
  | { kind: 'unreadable'; why: string }
  | { kind: 'none' }

export interface KeyStore {
  find(name: string): FoundKey
  names(): string[]
  /** Null deletes the key. Durable when it resolves. */
  set(name: string, key: { key: string; origin: string } | null): Promise<void>
  /** The sentence that says that the keys could not be read, and where they are; null if they were read. */
  readonly lost: string | null
}

/** `path` is absolute. `keychain` is null if the host has none. */
export async function openKeyStore(path: string, keychain: Keychain | null): Promise<KeyStore> {
  const file = await openSettingsFile(path, contentSchema, { keys: {} })
  const opened = new Map<string, FoundKey>()
  for (const [name, stored] of Object.entries(file.current().keys))
    opened.set(name, await openKey(stored, keychain))

  const lost = file.lost()
  return {
    lost:
      lost &&
      `The keys of model providers could not be read: enter them again in Settings. ${lost}`,
    find: (name) => opened.get(name) ?? { kind: 'none' },
    names: () => [...opened.keys()],
    async set(name, wanted) {
      const stored = wanted && (await encrypted(wanted, keychain))
      await file.change(({ keys: { [name]: _, ...others } }) => ({
        keys: stored ? { ...others, [name]: stored } : others,
      }))
      if (wanted && stored) opened.set(name, { kind: 'found', ...wanted, where: stored.where })
      else opened.delete(name)
    },
  }
}

type StoredKey = z.infer<typeof storedKeySchema>

async function encrypted(
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
