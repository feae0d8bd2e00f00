// Finds the Chromium that tests, stories and screenshots run in, all of them headless.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

/** The headless shell comes first because it uses a quarter less CPU time. */
const commandNames = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const applicationPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  join(process.env.PROGRAMFILES ?? 'C:\\Program Files', 'Google\\Chrome\\Application\\chrome.exe'),
]

/**
 * The path of a Chromium that runs here, or undefined: CHROMIUM_PATH, then one installed on the
 * machine, then Playwright's own.
 *
 * @returns {string | undefined}
 * @throws when CHROMIUM_PATH names something that is not a Chromium
 */
export function findChromium() {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) {
    if (runsAsChromium(chosen)) return chosen
    throw new Error(
      `CHROMIUM_PATH is ${chosen}, which does not run as a Chromium. Correct or unset it.`,
    )
  }
  return [...installedCandidates(), ...playwrightCandidates()].find(runsAsChromium)
}

/**
 * Flags that Chromium needs for the user who runs it: it refuses its sandbox to root.
 *
 * @returns {string[]}
 */
export function chromiumFlags() {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

/**
 * What Playwright launches a browser with, in its own and in Vitest's configuration.
 *
 * @returns {{ executablePath?: string, args: string[] }}
 */
export function chromiumLaunchOptions() {
  const executablePath = findChromium()
  return { ...(executablePath ? { executablePath } : {}), args: chromiumFlags() }
}

function installedCandidates() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const commands = commandNames.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...commands, ...applicationPaths]
}

function playwrightCandidates() {
  try {
    return [createRequire(import.meta.url)('playwright').chromium.executablePath()]
  } catch {
    return [] // not installed yet
  }
}

/** Some systems ship a `chromium-browser` that only prints where to get one, so an existing file is not enough. */
function runsAsChromium(path) {
  if (!existsSync(path)) return false
  // On Windows `--version` would open a window instead.
  if (process.platform === 'win32') return true
  const asked = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 })
  return asked.status === 0 && /chrom/i.test(asked.stdout)
}
