// Adds to package-lock.json the optional platform packages that npm left out.
//
// Packages with native parts name one optional package for each platform. A registry mirror may
// lack some of them; `npm install` then silently leaves those out of the lockfile, and `npm ci`
// elsewhere refuses it as out of sync. An entry with a version and a platform is all npm needs:
// on other platforms it is skipped, on its own it is fetched like any other package.
//
//   npm install && node scripts/complete-lockfile.mjs      after every change of dependencies
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const lockfilePath = new URL('../package-lock.json', import.meta.url)

/**
 * Optional packages that some locked package names and the lockfile does not hold in the version
 * asked for.
 *
 * @param {Lockfile} lockfile a parsed package-lock.json, version 3
 * @returns {{ name: string, version: string, neededBy: string, dev: boolean }[]}
 */
export function findMissingOptionalPackages(lockfile) {
  return Object.entries(lockfile.packages).flatMap(([location, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name, range]) => !isLocked(lockfile, location, name, range))
      .map(([name, range]) => ({
        name,
        version: range.replace(/^[\^~]/, ''),
        neededBy: location,
        dev: entry.dev === true,
      })),
  )
}

/** Adds an entry for each missing optional package, in place, and returns what it added. */
export function completeLockfile(lockfile) {
  const missing = findMissingOptionalPackages(lockfile)
  for (const wanted of missing) {
    const shared = `node_modules/${wanted.name}`
    const location = lockfile.packages[shared] ? `${wanted.neededBy}/${shared}` : shared
    lockfile.packages[location] = {
      version: wanted.version,
      ...platformInName(wanted.name),
      ...(wanted.dev ? { dev: true } : {}),
      optional: true,
    }
  }
  lockfile.packages = sortedByKey(lockfile.packages)
  return missing
}

/** npm looks for a package where Node does: in the nearest node_modules, then further up. */
function isLocked(lockfile, location, name, range) {
  for (let folder = location; ; folder = enclosingFolder(folder)) {
    const found = lockfile.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
    // Platform packages are requested in one exact version; npm resolves a range.
    if (found) return /^\d/.test(range) ? found.version === range : true
    if (folder === '') return false
  }
}

function enclosingFolder(location) {
  return location.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')
}

const operatingSystems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

/** Returns the platform fields that a name such as `cli-linux-arm64-musl` implies, in npm's terms. */
function platformInName(name) {
  const words = name.split(/[-/]/)
  const os = operatingSystems.find((each) => words.includes(each))
  const cpu = processors.find((each) => words.includes(each))
  if (!cpu) throw new Error(`${name}: its name does not tell its platform; add it by hand`)
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : os === 'linux' && words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined
  return {
    cpu: [cpu],
    ...(libc ? { libc: [libc] } : {}),
    ...(os ? { os: [os] } : {}),
  }
}

function sortedByKey(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lockfile = JSON.parse(readFileSync(lockfilePath, 'utf8'))
  const added = completeLockfile(lockfile)
  writeFileSync(lockfilePath, `${JSON.stringify(lockfile, null, 2)}\n`)
  for (const each of added) console.log(`added ${each.name} ${each.version}`)
  console.log(`${added.length} package(s) added to package-lock.json`)
}
