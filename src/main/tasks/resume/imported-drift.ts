/** Finds changes since an imported session in the folder where it is to be continued. Writes nothing. */
import { lstat } from 'node:fs/promises'
import { relative } from 'node:path'
import { counted, listFirst } from '../../../shared/text/counted.ts'
import { momentOf } from '../../../shared/text/format-time.ts'
import { type Git, GitError } from '../../git/index.ts'
import { isInside } from '../../journal/index.ts'
import { isDirectory } from '../drift/presence.ts'

export interface EditedFile {
  /** Absolute. */
  path: string
  /** In milliseconds since the epoch. */
  atMs: number
}

interface RecordedSession {
  recordedDir: string
  branch: string | null
  /** When the turn at which it is continued ended, in milliseconds since the epoch. */
  untilMs: number
  edited: readonly EditedFile[]
  isAtItsEnd: boolean
}

/** More are counted, not named. */
const namedMax = 5
/** A record is written after the file that it is about. */
const recordDelayMs = 2_000

/** Returns the changes as sentences for the user and the agent. */
export async function driftOfImported(
  git: Git,
  { dir, git: isGit }: { dir: string; git: boolean },
  session: RecordedSession,
): Promise<string[]> {
  const { recordedDir, isAtItsEnd, untilMs } = session
  const lines: string[] = []
  if (isAtItsEnd) lines.push(`The imported session ended on ${momentOf(isoOf(untilMs))}.`)
  else
    lines.push(
      `The imported session was at this turn on ${momentOf(isoOf(untilMs))}. The files as they were then are not known: these are the files as they are now.`,
    )
  const isElsewhere = !isInside(dir, recordedDir)
  if (recordedDir === '')
    lines.push(`The session did not record its folder; this task works in ${dir}.`)
  else if (isElsewhere) {
    const state = (await isDirectory(recordedDir)) ? 'another folder' : 'which is gone'
    lines.push(`It worked in ${recordedDir}, ${state}; this task works in ${dir}.`)
  }
  if (isGit) lines.push(...(await branchDrift(git, dir, session)))
  if (!isElsewhere) lines.push(...(await fileDrift(dir, session)))
  return lines
}

async function branchDrift(git: Git, dir: string, { branch }: RecordedSession): Promise<string[]> {
  // The recording tool writes `HEAD` for a detached HEAD.
  if (branch === null || branch === 'HEAD') return []
  try {
    const present = await git.currentBranch(dir)
    if (present === branch) return []
    const isKept = (await git.resolveCommit(dir, `refs/heads/${branch}`)) !== null
    const now = present === null ? 'no branch is checked out' : `${present} is checked out`
    return [
      isKept
        ? `It was on the branch ${branch}; now ${now}.`
        : `Its branch ${branch} is gone; now ${now}.`,
    ]
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return [`Git could not compare the branch: ${error.message}.`]
  }
}

/** Compares the files' modification times, because an imported session has no contents. */
async function fileDrift(dir: string, { edited, untilMs }: RecordedSession): Promise<string[]> {
  const last = new Map<string, number>()
  for (const { path, atMs } of edited)
    if (atMs <= untilMs && isInside(dir, path)) last.set(path, Math.max(atMs, last.get(path) ?? 0))
  if (last.size === 0) return []
  const changed: string[] = []
  const gone: string[] = []
  for (const path of last.keys()) {
    const found = await lstat(path).catch(() => null)
    if (found === null) gone.push(relative(dir, path))
    else if (found.mtimeMs > untilMs + recordDelayMs) changed.push(relative(dir, path))
  }
  const isOne = last.size === 1
  const files = counted(last.size, 'file')
  if (changed.length + gone.length === 0)
    return [`The ${files} that it edited ${isOne ? 'has' : 'have'} not been written since.`]
  const ofThem = ({ length }: string[], what: string, one = 'is', more = 'are'): string =>
    isOne
      ? `The file that it edited ${one} ${what}`
      : `Of the ${files} that it edited, ${length} ${length === 1 ? one : more} ${what}`
  return [
    ...(changed.length > 0
      ? [`${ofThem(changed, 'written since', 'was', 'were')}: ${listFirst(changed, namedMax)}.`]
      : []),
    ...(gone.length > 0 ? [`${ofThem(gone, 'gone')}: ${listFirst(gone, namedMax)}.`] : []),
  ]
}

const isoOf = (ms: number): string => new Date(ms).toISOString()
