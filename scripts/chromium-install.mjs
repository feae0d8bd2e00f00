// Finds a Chromium for the tests, or installs one.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'
import { runWithProgress } from './progress.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Resolves once findChromium() finds one, or throws an Error that says what to do. */
export async function ensureChromium() {
  if (findChromium()) return
  const install = canInstallDebianPackages() ? installDebianPackage : installPlaywrightBrowser
  const problem = await install().then(
    () => undefined,
    (failure) => failure,
  )
  if (findChromium()) return
  throw new Error(
    `the tests need a Chromium, and none could be installed (${problem?.message ?? 'it does not run'}). Install Chromium or Google Chrome, or point CHROMIUM_PATH at one, then run the same command again.`,
  )
}

function canInstallDebianPackages() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false
  // Not Ubuntu, whose chromium package is a stub for a snap.
  return /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'))
}

async function installDebianPackage() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (label, args) => runWithProgress(label, { command: 'apt-get', args, env })
  await apt("Reading Debian's list of packages", ['-q', 'update'])
  const install = (chromium) =>
    apt("Installing Debian's Chromium for the tests (a few minutes, only this once)", [
      '-q',
      '-y',
      '-o',
      'Dpkg::Use-Pty=0',
      'install',
      '--no-install-recommends',
      chromium,
      'fonts-liberation',
      // Without it, the tests of an agent's sandbox check only that there is none.
      'bubblewrap',
    ])
  // Older releases have the whole browser alone.
  await install('chromium-headless-shell').catch(() => install('chromium'))
}

async function installPlaywrightBrowser() {
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0
  await runWithProgress("Fetching Playwright's Chromium for the tests (only this once)", {
    command: process.execPath,
    args: [
      join(root, 'node_modules', 'playwright', 'cli.js'),
      'install',
      // Its libraries come from the system's packages, which take root.
      ...(asRoot ? ['--with-deps'] : []),
      'chromium',
    ],
  })
}
