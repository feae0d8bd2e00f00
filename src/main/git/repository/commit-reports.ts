/**
 * Reads what other tools wrote about the commits of a repository: Git AI's notes (`refs/notes/ai`), and the checkpoints
 * of entire (branch `entire/checkpoints/v1`), which commits refer to in a trailer. The text is untrusted.
 */
import { fields, line, type RunGit } from '../command/run-git.ts'
import { readTexts } from './texts.ts'

interface CommitReport {
  commit: string
  /** When it was committed, in milliseconds since the epoch. */
  atMs: number
  subject: string
  /** Git AI's note; null if there is none. */
  note: string | null
  /** Metadata of entire's checkpoints, as JSON. */
  checkpoints: string[]
}

/** Reports about older commits are not read. */
const commitsMax = 500
/** A note on a commit of thousands of files is a few hundred kilobytes long. */
const reportBytesMax = 1 << 20
/** Limits the checkpoints read for a commit, and the sessions of each. */
const checkpointsMax = 4
const sessionsMax = 4

const notesRef = 'refs/notes/ai'
const checkpointRefs = [
  'refs/heads/entire/checkpoints/v1',
  'refs/remotes/*/entire/checkpoints/v1',
] as const
const logArgs = [
  ...['log', `-n${commitsMax}`, '-z', '--no-notes', '--no-show-signature'],
  '--format=%H%x00%ct%x00%s%x00%(trailers:key=Entire-Checkpoint,valueonly,separator=%x2C)',
  ...['--exclude=entire/*', '--branches', '--exclude=*/entire/*', '--remotes'],
]

/**
 * Returns the commits that have a report, newest first. Costs one Git process in a repository without reports. Throws
 * GitError.
 */
export async function readCommitReports(
  git: RunGit,
  { dir, signal }: { dir: string; signal?: AbortSignal | undefined },
): Promise<CommitReport[]> {
  const run = { cwd: dir, signal }
  const listed = await git(
    ['for-each-ref', '--format=%(refname)', notesRef, ...checkpointRefs],
    run,
  )
  const refs = line(listed).split('\n').filter(Boolean)
  const checkpoints = refs.find((ref) => ref !== notesRef)
  if (refs.length === 0) return []
  const { stdout } = await git(logArgs, { ...run, cut: true })
  const parts = fields(stdout)
  const commits: { id: string; atMs: number; subject: string; names: string[] }[] = []
  for (let at = 0; at + 3 < parts.length; at += 4) {
    const [id = '', seconds = '', subject = '', trailers = ''] = parts.slice(at, at + 4)
    const ids = checkpoints === undefined ? [] : checkpointIds(trailers)
    commits.push({
      id,
      subject,
      atMs: Number(seconds) * 1000,
      names: ids.flatMap((one) =>
        metadataNames(`${checkpoints}:${one.slice(0, 2)}/${one.slice(2)}`),
      ),
    })
  }
  const names = commits.flatMap(({ id, names: metadata }) => [...noteNames(id), ...metadata])
  const texts = await readTexts(git, { dir, names, bytesMax: reportBytesMax, signal })
  const textOf = (name: string): string[] => {
    const bytes = texts.get(name)
    return bytes === undefined ? [] : [bytes.toString()]
  }
  return commits.flatMap(({ id, atMs, subject, names: metadata }) => {
    const [note = null] = noteNames(id).flatMap(textOf)
    const reported = metadata.flatMap(textOf)
    return note === null && reported.length === 0
      ? []
      : [{ commit: id, atMs, subject, note, checkpoints: reported }]
  })
}

/** Returns the possible paths of a note: Git distributes notes over folders once there are many. */
const noteNames = (id: string): string[] =>
  ['', `${id.slice(0, 2)}/`, `${id.slice(0, 2)}/${id.slice(2, 4)}/`].map(
    (folder) => `${notesRef}:${folder}${id.slice(folder.replaceAll('/', '').length)}`,
  )

const checkpointIds = (trailers: string): string[] =>
  trailers
    .split(',')
    .map((one) => one.trim())
    .filter((one) => /^[0-9A-Za-z]{6,40}$/.test(one))
    .slice(0, checkpointsMax)

/** Returns the files of all sessions, and the only file of a checkpoint in the older format. */
const metadataNames = (folder: string): string[] => [
  ...Array.from({ length: sessionsMax }, (_, nth) => `${folder}/${nth}/metadata.json`),
  `${folder}/metadata.json`,
]
