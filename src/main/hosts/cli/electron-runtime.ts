/**
 * Finds out whether the desktop app can run here. Checks the folder of Electron's installer and never downloads the
 * runtime, as `import 'electron'` would. `scripts/electron-runtime.mjs` does the same before anything is built.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** Returns the executable; null if the runtime is missing or of another version than the package. */
export function findElectron(packageDir: string, env: NodeJS.ProcessEnv): string | null {
  try {
    const resolve = createRequire(path.join(packageDir, 'package.json')).resolve
    const manifest = resolve('electron/package.json')
    const folder = path.dirname(manifest)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    const name = readFileSync(path.join(folder, 'path.txt'), 'utf8').trim()
    const dist = env.ELECTRON_OVERRIDE_DIST_PATH || path.join(folder, 'dist')
    const installed = readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '')
    const executable = path.join(dist, name)
    return installed === version && existsSync(executable) ? executable : null
  } catch {
    return null // no package, or no runtime beside it
  }
}

/** Reports whether windows can be opened. */
export function hasDisplay(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean {
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}
