// The Electron runtime is no npm package: Electron's own installer downloads it. It is tried once;
// where it fails, `shiplog open` says so and serves the same app to a browser.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runWithProgress } from './progress.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const electronFolder = join(root, 'node_modules', 'electron')
const triedPath = join(root, 'node_modules', '.shiplog-electron-tried')
/** About 110 MB at 1 MB/s; a network that swallows packets must not hold the start up for longer. */
const downloadTimeoutMs = 120_000

/** Fetches the runtime when it is missing, a window could open, and it has not been tried before. */
export async function tryElectronRuntime() {
  if (findElectronRuntime() || !hasDisplay() || existsSync(triedPath)) return
  writeFileSync(triedPath, 'Delete this file to have the Electron runtime fetched again.\n')
  try {
    await runWithProgress('Fetching the Electron runtime (about 110 MB, only this once)', {
      command: process.execPath,
      args: [join(electronFolder, 'install.js')],
      timeoutMs: downloadTimeoutMs,
      quiet: true,
    })
  } catch (problem) {
    console.error(`The Electron runtime could not be fetched (${problem.message}).`)
  }
}

/**
 * The path of Electron's executable, or undefined where its runtime is missing or of another
 * version. Looks where Electron's installer puts it, and never downloads, as `import 'electron'` would.
 *
 * @returns {string | undefined}
 */
export function findElectronRuntime() {
  try {
    const { version } = JSON.parse(readFileSync(join(electronFolder, 'package.json'), 'utf8'))
    const name = readFileSync(join(electronFolder, 'path.txt'), 'utf8')
    const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH || join(electronFolder, 'dist')
    const installed = readFileSync(join(folder, 'version'), 'utf8').trim().replace(/^v/, '')
    const executable = join(folder, name)
    return installed === version && existsSync(executable) ? executable : undefined
  } catch {
    return undefined
  }
}

/** Whether a window has somewhere to open. */
export function hasDisplay() {
  if (process.platform === 'darwin' || process.platform === 'win32') return true
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}
