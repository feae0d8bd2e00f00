/**
 * Changes since a run stopped (S2): shown before every resume, and recorded with it (S7). `src/main/tasks/drift` detects
 * them; they are formatted here, so that all hosts show the same text.
 */
import { z } from 'zod'
import { counted } from '../text/counted.ts'
import { momentOf } from '../text/format-time.ts'
import { taskIdSchema } from './ids.ts'

/** Who changed a file. `name`: an agent's title, a commit's author, or `you`. */
const changeMakerSchema = z.object({
  kind: z.enum(['agent', 'person', 'unknown']),
  /** Null for a user, and for an agent that is not known here. */
  taskId: taskIdSchema.nullable(),
  name: z.string(),
})
export type ChangeMaker = z.infer<typeof changeMakerSchema>

/** The user at this machine, to whom all changes by no known agent or commit are attributed. */
export const thePerson: ChangeMaker = { kind: 'person', taskId: null, name: 'you' }

/** Two agents may have the same title, so an agent is compared by its id. */
export const isSameMaker = (a: ChangeMaker, b: ChangeMaker): boolean => keyOf(a) === keyOf(b)
const keyOf = ({ kind, taskId, name }: ChangeMaker): string => taskId ?? `${kind} ${name}`

/** The id of a file's content in a repository. */
export const blobIdSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)

/** A file that this agent worked on and that somebody else changed since. */
const driftConflictSchema = z.object({
  /** Relative to the working directory, `/` as separator. */
  path: z.string(),
  /** The path before a rename since then. */
  oldPath: z.string().nullable(),
  change: z.enum(['added', 'modified', 'deleted', 'renamed']),
  changedBy: changeMakerSchema,
  /** Git's ids of its contents before and after, if both exist and can be compared. */
  blobs: z.object({ from: blobIdSchema, to: blobIdSchema }).optional(),
})
export type DriftConflict = z.infer<typeof driftConflictSchema>

const headMoveSchema = z.object({
  branch: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  /** The number of commits since `from`; null if `from` is no longer in its history. */
  commits: z.number().int().min(0).nullable(),
})
type HeadMove = z.infer<typeof headMoveSchema>

/** A tool call without a recorded result. */
export const unknownCallSchema = z.object({
  tool: z.string(),
  /** Its command, path or other subject, cut at `unknownCallCharsMax`; the tool's name if it has none. */
  subject: z.string(),
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
})
export type UnknownCall = z.infer<typeof unknownCallSchema>

/** A command as it was typed; any other call with its tool, because a path alone does not say what was done. */
export const callText = ({ tool, subject }: UnknownCall): string =>
  tool === 'bash' || tool === subject ? subject : `${tool} ${subject}`

/** Enough to recognise a command; the transcript has all of it. */
export const unknownCallCharsMax = 500

export const driftReportSchema = z.object({
  taskId: taskIdSchema,
  /** HEAD of the working directory when the task was first spawned. */
  spawnCommit: z.string().nullable(),
  /** At most `driftPathsMax`, like `dirty`. */
  conflicts: z.array(driftConflictSchema),
  /** The number of conflicts that are not listed; absent if all are. */
  conflictsMore: z.number().int().min(1).optional(),
  /** The branch from which the work started has new commits; in place, its own branch. */
  headMoved: headMoveSchema.nullable(),
  /** HEAD of its worktree has moved. Absent in reports of older versions. */
  ownHeadMoved: headMoveSchema.nullish(),
  /** A different branch is checked out in the working directory now. */
  branchChanged: z.object({ from: z.string().nullable(), to: z.string().nullable() }).nullable(),
  /** What no longer exists. Everything except a missing project can be restored. */
  missing: z.array(z.enum(['project', 'working-directory', 'branch', 'spawn-commit'])),
  /**
   * If its worktree is missing: the state that a resume recreates it from. `at`: when its files were recorded; null: those
   * that were not committed are no longer kept. Absent if nothing is kept, and in reports of older versions.
   */
  recreatedFrom: z
    .object({
      branch: z.string().nullable(),
      commit: z.string().nullable(),
      at: z.iso.datetime().nullable(),
    })
    .optional(),
  /** Files in the working directory that changed since it stopped, including uncommitted and untracked ones. */
  dirty: z.array(z.string()),
  dirtyMore: z.number().int().min(1).optional(),
  modelChanged: z.object({ from: z.string().nullable(), to: z.string().nullable() }).nullable(),
  /** Tool calls that were running when it stopped: their results are unknown, and they are not repeated (S3). */
  unknownCalls: z.array(unknownCallSchema),
  /** Why files could not be compared, for example outside Git; null if they were. */
  notCompared: z.string().nullable(),
})
export type DriftReport = z.infer<typeof driftReportSchema>

/** A generated tree that Git does not ignore may have thousands of paths. */
export const driftPathsMax = 500

/** Reports whether a user should look at it before the agent continues. */
export const hasConflicts = (drift: DriftReport): boolean => drift.conflicts.length > 0

/** Returns one sentence for each difference, for views, the command line and the resume entry (S7); none without any. */
export function describeDrift(drift: DriftReport): string[] {
  return [
    ...drift.missing.map((what) => missingTexts[what]),
    ...describeRecreation(drift),
    ...describeBranches(drift),
    ...describeFiles(drift),
    ...describeRun(drift),
  ]
}

/** Further paths are only counted, so that a sentence stays short. */
const namedPathsMax = 5
const commitCharsShown = 7

const missingTexts: Record<DriftReport['missing'][number], string> = {
  project: "The project's folder is not where it was.",
  'working-directory': 'The working directory is gone.',
  branch: 'Its branch is gone.',
  'spawn-commit': 'The commit that it started from is no longer in the repository.',
}

function describeRecreation({ recreatedFrom }: DriftReport): string[] {
  if (!recreatedFrom) return []
  const { branch, commit, at } = recreatedFrom
  const from = [branch, commit?.slice(0, commitCharsShown)].flatMap((one) => one ?? []).join(' at ')
  const files =
    at === null
      ? '. Files that were not committed are lost.'
      : `, with the uncommitted files as recorded at ${momentOf(at)}. Edits after that, and files that Git ignores, are lost.`
  return [`It will be recreated from ${from}${files}`]
}

function describeBranches({ headMoved, ownHeadMoved, branchChanged }: DriftReport): string[] {
  const sentences: string[] = []
  if (headMoved) sentences.push(describeMove(headMoved.branch ?? 'What it started from', headMoved))
  if (ownHeadMoved) {
    const own = ownHeadMoved.branch ? `, ${ownHeadMoved.branch},` : ''
    sentences.push(describeMove(`Its own branch${own}`, ownHeadMoved))
  }
  if (branchChanged) {
    const { from, to } = branchChanged
    sentences.push(`${to ?? 'No branch'} is checked out now; it was ${from ?? 'none'}.`)
  }
  return sentences
}

function describeMove(what: string, { from, to, commits }: HeadMove): string {
  const [start, end] = [from, to].map((commit) => commit.slice(0, commitCharsShown))
  return commits === null
    ? `${what} was at ${start} and is at ${end} now, which does not descend from it.`
    : `${what} has ${counted(commits, 'new commit')} since ${start}.`
}

function describeFiles(drift: DriftReport): string[] {
  const { conflicts, conflictsMore = 0, dirty, dirtyMore = 0, notCompared } = drift
  const sentences = [...Map.groupBy(conflicts, ({ changedBy }) => keyOf(changedBy)).values()].map(
    (theirs) => {
      const who = theirs[0]?.changedBy.name
      const subject = who === thePerson.name ? 'You' : who
      const paths = listed(theirs.map(named), theirs.length)
      return `${subject} changed ${counted(theirs.length, 'file')} that it worked on: ${paths}.`
    },
  )
  if (conflictsMore > 0)
    sentences.push(`${counted(conflictsMore, 'more file')} that it worked on changed as well.`)
  const known = new Set(conflicts.flatMap(({ path, oldPath }) => [path, oldPath]))
  const others = dirty.filter((path) => !known.has(path))
  const count = others.length + dirtyMore
  if (count > 0) {
    const noun = conflicts.length > 0 ? 'other file' : 'file'
    sentences.push(
      `${counted(count, noun)} changed in the working directory since it stopped: ${listed(others.map(onOneLine), count)}.`,
    )
  }
  if (notCompared !== null) sentences.push(notCompared)
  return sentences
}

function describeRun({ unknownCalls, modelChanged }: DriftReport): string[] {
  const sentences: string[] = []
  if (unknownCalls.length > 0) {
    const one = unknownCalls.length === 1
    const calls = listed(
      unknownCalls.map((call) => `\`${onOneLine(callText(call))}\``),
      unknownCalls.length,
    )
    sentences.push(
      `${calls} ${one ? 'was' : 'were'} running when it stopped; ${one ? 'its result is' : 'their results are'} unknown. ${one ? 'It' : 'They'} won't be run again, and the agent is informed.`,
    )
  }
  if (modelChanged) {
    const { from, to } = modelChanged
    sentences.push(`The model is ${to ?? 'none'} now; it was ${from ?? 'none'}.`)
  }
  return sentences
}

function named({ path, oldPath, change }: DriftConflict): string {
  if (oldPath !== null) return `${onOneLine(path)} (was ${onOneLine(oldPath)})`
  return change === 'deleted' ? `${onOneLine(path)} (deleted)` : onOneLine(path)
}

/** A file's name may contain a line break or a terminal's control sequence. */
const onOneLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, '�')

/** `count`: of all, listed or not. */
function listed(paths: string[], count: number): string {
  // Naming one more path takes no more space than counting it.
  const shown = paths.slice(0, count === namedPathsMax + 1 ? count : namedPathsMax)
  if (shown.length === 0) return `${count} not listed`
  const rest = count - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}
