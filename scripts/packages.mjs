// Installs node_modules from the lockfile when it is missing or out of date.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runWithProgress, works } from './progress.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const nodeModules = join(root, 'node_modules')
/** Written after a complete install only: `npm ci` begins by deleting the folder it lies in. */
const recordPath = join(nodeModules, '.shiplog-setup')
/** Where no Node is pinned for the platform (Apple silicon, Windows on Arm, musl): what packages need. */
const oldestUnpinnedNode = [22, 22, 2]

/** Makes node_modules what package-lock.json says, or throws an Error that says what to do. */
export async function ensurePackages() {
  if (!isUpToDate()) {
    const npm = findNpm()
    const seconds = await runWithProgress('Installing packages (about a minute, only this once)', {
      command: npm.command,
      // Development packages build the app, optional ones carry Node itself: needed whatever the
      // person's npm is set to leave out.
      // Runs no install script except those listed below.
      args: [
        ...npm.args,
        'ci',
        '--ignore-scripts',
        '--include=dev',
        '--include=optional',
        '--loglevel=error',
      ],
      cwd: root,
    }).catch((problem) => {
      throw new Error(
        `npm ci failed (${problem.message}). Its own message is above. Check the network and the free disk space, then run the same command again.`,
      )
    })
    runNeededScripts(npm)
    dropNodeThatDoesNotRun()
    writeFileSync(recordPath, `${fingerprint()}\n`)
    console.error(`Packages installed in ${seconds} s.`)
  }
  requireUsableNode()
}

/** esbuild's script replaces a slower launcher with its native program; no other package needs its script. */
const neededScripts = [join('esbuild', 'install.js')]

function runNeededScripts({ nodePath }) {
  for (const script of neededScripts) {
    const path = join(nodeModules, script)
    if (!existsSync(path)) continue
    const { status } = spawnSync(nodePath, [path], { cwd: dirname(path), stdio: 'inherit' })
    if (status !== 0) throw new Error(`the install script ${path} failed.`)
  }
}

function isUpToDate() {
  return existsSync(recordPath) && readFileSync(recordPath, 'utf8').trim() === fingerprint()
}

/** The lockfile and the platform: a checkout may be moved, or mounted by another system. */
function fingerprint() {
  const lockfile = readFileSync(join(root, 'package-lock.json'))
  const hash = createHash('sha256').update(lockfile).digest('hex')
  return `${hash} ${process.platform}-${process.arch}`
}

/**
 * The npm that runs us, by full path: `node` and `npm` on an npm script's PATH may be the ones in
 * node_modules, which `npm ci` deletes.
 */
function findNpm() {
  const { npm_execpath: npmPath, npm_node_execpath: nodePath } = process.env
  if (npmPath && nodePath && /npm-cli\.c?js$/.test(npmPath) && !isInNodeModules(nodePath)) {
    return { command: nodePath, args: [npmPath], nodePath }
  }
  const name = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !isInNodeModules(folder))
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
  // This very Node may be the one in node_modules, which `npm ci` has already replaced: it still runs.
  if (found) return { command: found, args: [], nodePath: process.execPath }
  throw new Error(
    'npm was not found. It comes with Node (https://nodejs.org): run `npm start` with it.',
  )
}

function isInNodeModules(path) {
  return `${path}${sep}`.startsWith(nodeModules + sep)
}

/** A pinned Node that can't run here (glibc's on a musl system) must not hide the machine's own. */
function dropNodeThatDoesNotRun() {
  const pinned = pinnedNode()
  if (existsSync(pinned) && !works(pinned, ['--version'])) rmSync(pinned)
}

function pinnedNode() {
  return join(nodeModules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
}

function requireUsableNode() {
  if (existsSync(pinnedNode()) || isAtLeast(process.versions.node, oldestUnpinnedNode)) return
  throw new Error(
    `this is Node ${process.versions.node}, and npm has no Node 24 for ${process.platform}-${process.arch} to install beside it. Install Node 24 (https://nodejs.org), then run the same command again.`,
  )
}

function isAtLeast(version, wanted) {
  const parts = version.split('.').map(Number)
  const differing = wanted.findIndex((part, place) => part !== parts[place])
  return differing === -1 || parts[differing] > wanted[differing]
}
