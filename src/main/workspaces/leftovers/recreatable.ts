/**
 * Detects folders that a set-up command, a package manager or a compiler generates. Each is
 * recognized by the files that its tool writes into it, never by its name alone, because the user
 * may have a folder called `target`.
 */
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isNotUtf8 } from '../../journal/files/raw-path.ts'
import { createMountCheck, type IsMount, openDataFile } from '../../journal/index.ts'

interface Rule {
  /** The tool that generates it, for the receipt. */
  madeBy: string
  matches(folder: Folder): boolean | Promise<boolean>
}

interface Folder {
  /** Absolute. */
  path: string
  name: string
  /** Names in it. */
  inside: Set<string>
  /** Names in the folder around it. */
  beside: Set<string>
}

/** The entries that venv, virtualenv, uv and installed packages create at the top of a virtual environment. */
const namesInEnvironment = new Set(
  'bin etc include Include lib lib64 Lib local man pyvenv.cfg Scripts share .gitignore CACHEDIR.TAG .lock'.split(
    ' ',
  ),
)

const rules: readonly Rule[] = [
  {
    // Each package manager writes a state file into it, according to the lockfile beside it.
    madeBy: 'a package manager, by package.json',
    matches: ({ name, inside, beside }) =>
      name === 'node_modules' &&
      beside.has('package.json') &&
      ['.package-lock.json', '.yarn-integrity', '.yarn-state.yml', '.modules.yaml'].some((note) =>
        inside.has(note),
      ),
  },
  {
    // The marker of the standard library and virtualenv for an environment. Made in a folder of the user's, it
    // may stand beside their work.
    madeBy: 'Python, as a virtual environment',
    matches: ({ inside }) =>
      inside.has('pyvenv.cfg') &&
      (inside.has('bin') || inside.has('Scripts')) &&
      [...inside].every((one) => namesInEnvironment.has(one)),
  },
  {
    madeBy: 'Python, from the sources beside it',
    matches: ({ name, inside }) =>
      name === '__pycache__' && [...inside].every((one) => /\.py[co]$/.test(one)),
  },
  {
    madeBy: 'Cargo, by Cargo.toml',
    matches: ({ name, inside, beside }) =>
      name === 'target' && beside.has('Cargo.toml') && inside.has('.rustc_info.json'),
  },
  {
    madeBy: 'Maven, by pom.xml',
    matches: ({ name, inside, beside }) =>
      name === 'target' && beside.has('pom.xml') && inside.has('maven-status'),
  },
  {
    madeBy: 'Gradle',
    matches: ({ name, inside, beside }) =>
      name === '.gradle' &&
      inside.has('buildOutputCleanup') &&
      ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].some((one) =>
        beside.has(one),
      ),
  },
  {
    madeBy: 'Next.js, by package.json',
    matches: ({ name, inside, beside }) =>
      name === '.next' &&
      beside.has('package.json') &&
      (inside.has('build-manifest.json') || inside.has('BUILD_ID')),
  },
  {
    // Tools write this signature into folders that may be deleted at any time (pytest, mypy, ruff,
    // Cargo).
    madeBy: 'the program whose cache it is',
    // It also marks virtual environments, which have a rule of their own.
    matches: ({ path, inside }) =>
      inside.has('CACHEDIR.TAG') && !inside.has('pyvenv.cfg') && hasCacheSignature(path),
  },
]

const cacheSignature = 'Signature: 8a477f597d28d172789f06886806bc55'

interface RecreatableFolder {
  /** Relative, with `/`. */
  path: string
  madeBy: string
}

/**
 * Returns the generated folders below `root`. `isKept` returns true for a folder (relative, with
 * `/`) that holds files of the saved commit: it was committed on purpose and is skipped. A folder
 * that contains a repository or a mount may hold the user's work, and is not returned.
 */
export async function findRecreatable(
  root: string,
  isKept: (path: string) => boolean,
  /** Returns names beside a folder that no longer exist on the disk. */
  alsoBeside: (path: string) => Iterable<string>,
  isMount: IsMount,
): Promise<RecreatableFolder[]> {
  const found: RecreatableFolder[] = []
  await visit('')
  return found

  async function visit(below: string): Promise<void> {
    const entries = await readdir(join(root, below), { withFileTypes: true })
    const beside = new Set([...entries.map(({ name }) => name), ...alsoBeside(below)])
    for (const entry of entries) {
      // Tools create no symbolic links here.
      if (!entry.isDirectory() || isNotUtf8(entry.name)) continue
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      const names = await readdir(join(root, path)).catch(() => null)
      // An unreadable folder may contain the user's work.
      if (names === null) continue
      const inside = new Set(names)
      // The content of a repository, or of a mount, belongs to its owner.
      if (inside.has('.git') || (await isMount(join(root, path)))) continue
      const rule = isKept(path)
        ? null
        : await ruleOf({ path: join(root, path), name: entry.name, inside, beside })
      if (rule && !(await holdsForeign(join(root, path), isMount)))
        found.push({ path, madeBy: rule.madeBy })
      else await visit(path)
    }
  }
}

/** Reports whether one folder below `root` is generated. */
export async function isRecreatable(root: string, path: string): Promise<boolean> {
  const folder = join(root, path)
  if (!(await lstat(folder).catch(() => null))?.isDirectory()) return false
  const names = await readdir(folder).catch(() => null)
  if (names === null) return false
  const inside = new Set(names)
  const beside = new Set(await readdir(dirname(folder)))
  const rule = await ruleOf({ path: folder, name: basename(folder), inside, beside })
  return rule !== null && !(await holdsForeign(folder, await createMountCheck(root)))
}

async function ruleOf(folder: Folder): Promise<Rule | null> {
  for (const rule of rules) if (await rule.matches(folder)) return rule
  return null
}

async function hasCacheSignature(dir: string): Promise<boolean> {
  const handle = await openDataFile(join(dir, 'CACHEDIR.TAG'), 'read').catch(() => null)
  if (!handle) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(cacheSignature.length), 0)
    return buffer.toString('latin1', 0, bytesRead) === cacheSignature
  } finally {
    await handle.close()
  }
}

/** Reports whether a folder contains a repository or a mount. */
async function holdsForeign(dir: string, isMount: IsMount): Promise<boolean> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => null)
  // An unreadable folder may contain a repository.
  if (entries === null) return true
  for (const entry of entries) {
    if (entry.name === '.git') return true
    // It can't be opened by this name, so it may contain a repository.
    // Tools generate no folders with such names.
    if (isNotUtf8(entry.name)) return true
    if (!entry.isDirectory()) continue
    const path = join(dir, entry.name)
    if ((await isMount(path)) || (await holdsForeign(path, isMount))) return true
  }
  return false
}
