/** Finds the version of an installed program, without starting one that the user has not allowed. */
import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord, text } from '../content.ts'

/** A program that hangs must not delay a list. */
const programMsMax = 5_000
/** Enough for the folders between a package's executable and its `package.json`. */
const foldersUp = 5

/**
 * Resolves with the version of the package that contains the program, else with the one that the program prints for
 * `--version` if `asks` allows running it; null if unknown.
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
      {
        // Shiplog's own folder may be a repository, and programs built with Bun load files of their working directory.
        cwd: dirname(file),
        timeout: programMsMax,
        killSignal: 'SIGKILL',
        shell: isScript,
        windowsHide: true,
      },
      (_, stdout) => resolve(/\d+\.\d+(?:\.\d+)?(?:[-+.][\w.]+)?/.exec(stdout)?.[0] ?? null),
    ).stdin?.end()
  })
}
