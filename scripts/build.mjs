// Builds the app into out/.
//
//   node scripts/build.mjs               always
//   node scripts/build.mjs --if-needed   unless out/ was made from the very same sources
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const recordPath = join(root, 'out', '.built-from')
const sources = [
  'src',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
]

const fingerprint = hashOfSources()
const onlyIfNeeded = process.argv.includes('--if-needed')
if (!(onlyIfNeeded && isBuiltFrom(fingerprint))) build()

function isBuiltFrom(wanted) {
  return existsSync(recordPath) && readFileSync(recordPath, 'utf8').trim() === wanted
}

function build() {
  console.error('Building the app …')
  // Without it a build that stops half-way would look like the one before.
  rmSync(recordPath, { force: true })
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const run = spawnSync(process.execPath, [electronVite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    // Standard output is the app's own: `shiplog … --json` may run behind a build.
    stdio: ['ignore', 2, 2],
  })
  if (run.status !== 0) {
    console.error('The build failed; its message is above.')
    process.exit(1)
  }
  writeFileSync(recordPath, `${fingerprint}\n`)
}

/** By content, not by time: a checkout or a branch switch gives old sources new times. */
function hashOfSources() {
  const hash = createHash('sha256')
  for (const file of sources.flatMap(filesUnder)) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

function filesUnder(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesUnder(`${path}/${name}`))
}
