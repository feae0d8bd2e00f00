/** Finds the version of an installed program, without starting one that the person has not allowed. */
import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord, text } from '../content.ts'

/** A list does not wait longer than this for a program to print its version. */
const programMsMax = 5_000
/** `bin` of a package, and what it may lie in. */
const foldersUp = 5

/**
 * The version of the package that contains the program, else what the program prints for `--version` if `asks` allows
 * to run it. Null: unknown.
 */
export async function programVersion(
  file: string,
  { packageName, asks }: { packageName: string | null; asks: boolean },
): Promise<string | null> {
  const ofPackage = packageName === null ? null : await versionOfPackage(file, packageName)
  return ofPackage ?? (asks ? await printedVersion(file) : null)
}

async function versionOfPackage(file: string, name: string): Promise<string | null> {
  let dir = dirname(await realpath(file).catch(() => file))
  for (let up = 0; up < foldersUp; up++) {
    for (const place of [dir, join(dir, 'node_modules', name)]) {
      const found = await readPackage(join(place, 'package.json'))
      if (found?.name === name) return text(found.version)
    }
    dir = dirname(dir)
  }
  return null
}

async function readPackage(path: string): Promise<Record<string, unknown> | null> {
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(found) ? found : null
  } catch {
    return null
  }
}

/** `codex-cli 0.169.0` → `0.169.0`. */
function printedVersion(file: string): Promise<string | null> {
  return new Promise((resolve) => {
    const isScript = process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(file)
    execFile(
      isScript ? `"${file}"` : file,
      ['--version'],
      { timeout: programMsMax, killSignal: 'SIGKILL', shell: isScript, windowsHide: true },
      (_, stdout) => resolve(/\d+\.\d+(?:\.\d+)?(?:[-+.][\w.]+)?/.exec(stdout)?.[0] ?? null),
    ).stdin?.end()
  })
}
