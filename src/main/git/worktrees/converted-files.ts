/**
 * Finds files that Git counts as equal to their blob although a checkout would not give back their content: a clean
 * filter may leave out a part of it, such as the outputs of a notebook, and then that part is in no commit.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { type GitRunOptions, line, type RunGit } from '../command/run-git.ts'
import { quoted } from '../store/store.ts'

/** A file of an index. The path is bytes relative to the folder, with `/`. */
interface IndexedFile {
  name: Buffer
  id: string
}

interface Compared {
  dir: string
  /** A temporary folder. */
  scratchDir: string
  /** Global options before each subcommand. */
  here: readonly string[]
  run: GitRunOptions
}

/** Attributes with which Git converts content. */
const converting = new Set(['filter', 'text', 'crlf', 'eol', 'ident', 'working-tree-encoding'])

/** So that lists of names stay small. */
const atOnce = 20_000

/**
 * Returns the paths, as latin1, of those of the regular `files` whose content a checkout of their blobs does not give
 * back. Line endings that Git converts do not count. Throws GitError.
 */
export async function findLossy(
  git: RunGit,
  compared: Compared,
  files: readonly IndexedFile[],
): Promise<Set<string>> {
  const lossy = new Set<string>()
  const { here, run } = compared
  const autocrlf = await git([...here, 'config', '--get', 'core.autocrlf'], {
    ...run,
    okExitCodes: [0, 1],
  })
  const isAny = !['', 'false'].includes(line(autocrlf))
  for (let start = 0; start < files.length; start += atOnce) {
    const some = files.slice(start, start + atOnce)
    const candidates = isAny ? some : await withAttributes(git, compared, some)
    const converted = await notRaw(git, compared, candidates)
    for (const { name } of await notRestored(git, compared, converted))
      lossy.add(name.toString('latin1'))
  }
  return lossy
}

async function withAttributes(
  git: RunGit,
  { here, run }: Compared,
  files: readonly IndexedFile[],
): Promise<IndexedFile[]> {
  const { stdout } = await git([...here, 'check-attr', '--all', '-z', '--stdin'], {
    ...run,
    input: nulTerminated(files),
  })
  // `<path>`, `<attribute>`, `<value>`, each terminated by NUL.
  const found = new Set<string>()
  const parts = stdout.toString('latin1').split('\0')
  for (let at = 0; at + 2 < parts.length; at += 3)
    if (converting.has(parts[at + 1] ?? '')) found.add(parts[at] ?? '')
  return files.filter(({ name }) => found.has(name.toString('latin1')))
}

/** Returns the files whose bytes on the disk are not those of their blobs. */
async function notRaw(
  git: RunGit,
  { here, run }: Compared,
  files: readonly IndexedFile[],
): Promise<IndexedFile[]> {
  if (files.length === 0) return []
  const lines = files.map(({ name }) => `${quoted(`./${name.toString('latin1')}`)}\n`)
  const { stdout } = await git([...here, 'hash-object', '--no-filters', '--stdin-paths'], {
    ...run,
    input: Buffer.from(lines.join(''), 'latin1'),
  })
  const ids = stdout.toString().split('\n')
  return files.filter(({ id }, at) => ids[at] !== id)
}

async function notRestored(
  git: RunGit,
  { here, run, dir, scratchDir }: Compared,
  files: readonly IndexedFile[],
): Promise<IndexedFile[]> {
  if (files.length === 0) return []
  const copies = `${scratchDir}/checked-out/`
  // A filter that fails leaves files out, which then count as not restored.
  await git([...here, 'checkout-index', '--force', `--prefix=${copies}`, '-z', '--stdin'], {
    ...run,
    input: nulTerminated(files),
    okExitCodes: [0, 1, 128],
  })
  const lost: IndexedFile[] = []
  for (const file of files) {
    const [own, copy] = await Promise.all(
      [`${dir}/`, copies].map((folder) =>
        hashOfText(Buffer.concat([Buffer.from(folder), file.name])),
      ),
    )
    if (own === null || own !== copy) lost.push(file)
  }
  return lost
}

const nulTerminated = (files: readonly IndexedFile[]): Buffer =>
  Buffer.concat(files.flatMap(({ name }) => [name, Buffer.of(0)]))

/** Returns a hash of the content with each CRLF as LF; null if it can't be read. */
async function hashOfText(file: Buffer): Promise<string | null> {
  const hash = createHash('sha256')
  // A chunk may end between the two.
  let held = ''
  try {
    // Does not wait for a pipe that has taken the file's place.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    for await (const chunk of handle.createReadStream()) {
      const text = held + (chunk as Buffer).toString('latin1')
      held = text.endsWith('\r') ? '\r' : ''
      hash.update(text.slice(0, text.length - held.length).replaceAll('\r\n', '\n'), 'latin1')
    }
  } catch {
    return null
  }
  return hash.update(held, 'latin1').digest('hex')
}
