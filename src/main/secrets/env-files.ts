/** Reads the secrets in a project's own `.env` files, which its agents must not print (K3). */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseEnv } from 'node:util'
import { isSecret } from './agent-environment.ts'
import type { KnownSecret } from './masker.ts'

const envFile = /^\.env(?:[._-].*)?$|\.env$/i
/** Longer files are data, not written by hand. */
const envFileBytesMax = 256 * 1024

/**
 * Reads the files `.env…` directly in `dir`, and those among `copied`, which are relative to it.
 * Skips missing and unreadable files.
 */
export async function secretsInEnvFiles(
  dir: string,
  copied: readonly string[],
): Promise<KnownSecret[]> {
  const own = await readdir(dir).catch(() => [])
  const named = await Promise.all(copied.map((name) => filesAt(join(dir, name))))
  const paths = new Set([...own.map((name) => join(dir, name)), ...named.flat()])
  const found = await Promise.all(
    [...paths].filter((path) => envFile.test(basename(path))).map(secretsIn),
  )
  return found.flat()
}

/** Returns a file, or the files directly in a folder. */
async function filesAt(path: string): Promise<string[]> {
  const names = await readdir(path).catch(() => null)
  return names === null ? [path] : names.map((name) => join(path, name))
}

async function secretsIn(path: string): Promise<KnownSecret[]> {
  try {
    const found = await stat(path)
    if (!found.isFile() || found.size > envFileBytesMax) return []
    const variables = Object.entries(parseEnv(await readFile(path, 'utf8')))
    return variables.flatMap(([name, value]) =>
      value !== undefined && isSecret(name, value) ? [{ name, value, isOfProject: true }] : [],
    )
  } catch {
    return []
  }
}
