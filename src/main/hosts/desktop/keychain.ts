/** The system's keychain for keys of providers (K1). */
import { safeStorage } from 'electron'

export interface Keychain {
  isAvailable(): Promise<boolean>
  encrypt(text: string): Promise<Buffer>
  decrypt(encrypted: Buffer): Promise<string>
}

export const keychain: Keychain = {
  // Without a password manager Linux would encrypt with a password that is in every copy of Chromium.
  isAvailable: async () =>
    !(process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') &&
    safeStorage.isAsyncEncryptionAvailable(),
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  decrypt: async (encrypted) => (await safeStorage.decryptStringAsync(encrypted)).result,
}
