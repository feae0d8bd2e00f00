/**
 * Finds who wrote the changes of a file: its content in each recorded state of the files, from the base of the
 * workspace to its files as they are now. Reads only.
 */
import { parsePatch } from 'diff'
import type {
  AuthoredLines,
  ChangeAuthor,
  FileAuthors,
} from '../../shared/contract/changes/review.ts'
import type { WorkspaceDiff } from '../../shared/contract/workspace.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { TurnStore } from '../turn-store/turn-store.ts'
import { createFileStates, type FileState } from './file-states.ts'
import { followLines, linesOf } from './line-history.ts'

interface Asked {
  path: string
  oldPath: string | null
  anchors: readonly { contentId: string; line: number }[]
}

export interface FileAuthorsReader {
  /** Throws FailureError as the diff of the workspace, and as `ArchiveReader.transcriptPage`. */
  authors(taskId: TaskId, asked: Asked): Promise<FileAuthors>
}

/** Time limit for all contents of one file together: beyond it, lines count as replaced. */
const comparisonMsMax = 1_000

/** Files whose contents are kept, and the characters of one that is: together at most 32 MB. */
const keptFilesMax = 4
const keptCharsMax = 4_000_000

/** The author of a change that no record attributes. */
const unknown: ChangeAuthor = {
  by: 'unknown',
  turn: null,
  seq: null,
  at: null,
  tool: null,
  applied: null,
}

export function createFileAuthors({
  state,
  archive,
  turnStore,
  diff,
}: {
  state: LedgerState
  archive: Pick<ArchiveReader, 'transcriptPage'>
  turnStore: Pick<TurnStore, 'open'>
  diff: (
    taskId: TaskId,
    shown: { file: { paths: string[]; whole: boolean } },
  ) => Promise<WorkspaceDiff>
}): FileAuthorsReader {
  const ownStatesOf = createFileStates(archive)

  /** The states of the files since the base of the workspace, those of the tasks that it continues included. */
  async function statesOf(taskId: TaskId): Promise<readonly FileState[]> {
    const [own, before] = await Promise.all([ownStatesOf(taskId), statesBefore(taskId)])
    if (before === 'unreadable')
      return own.map((one, at) => (at > 0 ? one : { ...one, author: unknown }))
    return [...before, ...own]
  }

  /** Nothing if the task's changes begin with itself. */
  async function statesBefore(taskId: TaskId): Promise<readonly FileState[] | 'unreadable'> {
    const task = state.tasks.get(taskId)
    const from = task?.resumedFrom
    const other = from && state.tasks.get(from.taskId)
    const base = task?.workspace?.baseCommit
    if (!from || !other || !base || other.workspace?.baseCommit !== base) return []
    try {
      const of = { taskId: other.id, title: other.title }
      const states = await statesOf(other.id)
      return states
        .filter(({ seq, author }) => author.of || seq <= from.seq)
        .map((one) => ({ ...one, author: { ...one.author, of: one.author.of ?? of } }))
    } catch {
      return 'unreadable'
    }
  }

  /** Contents of the last files, because each new comment reads them again. */
  const kept = new Map<string, { states: number } & Recorded>()

  async function recorded(taskId: TaskId, paths: string[], isDeleted: boolean): Promise<Recorded> {
    const states = await statesOf(taskId)
    const key = JSON.stringify([taskId, paths, isDeleted])
    const known = kept.get(key)
    if (known?.states === states.length) return known
    const found = await readContents(taskId, { states, paths, isDeleted })
    const { contents } = found
    kept.delete(key)
    const chars = contents.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
    if (chars <= keptCharsMax) kept.set(key, { states: states.length, ...found })
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - keptFilesMax)))
      kept.delete(oldest)
    return found
  }

  /** Reads the recorded contents of the file in order, each with the author of its change from the previous one. */
  async function readContents(
    taskId: TaskId,
    asked: { states: readonly FileState[]; paths: string[]; isDeleted: boolean },
  ): Promise<Recorded> {
    const { states, paths, isDeleted } = asked
    const projectId = state.tasks.get(taskId)?.projectId
    if (projectId === undefined || states.length === 0) return { contents: [], isEndLost: false }
    const trees = states.map(({ tree }) => tree)
    const { found, texts } = await turnStore.open(projectId).contents({ trees, paths })
    const contents: Content[] = []
    let isLost = false
    for (const [at, { author }] of states.entries()) {
      const now = found[at]
      if (now === undefined) isLost = true
      // It was not created yet, or has a name between two renames.
      if (now === undefined || (now === null && !isDeleted)) continue
      const last = contents.at(-1)
      const id = now?.id ?? null
      const path = now?.path ?? null
      const isSame = last !== undefined && last.id === id && last.path === path
      if (!isSame) {
        const text = now === null ? '' : (texts.get(now.id) ?? null)
        contents.push({ id, path, text, author: isLost ? unknown : author })
      }
      isLost = false
    }
    return { contents, isEndLost: isLost }
  }

  return {
    async authors(taskId, { path, oldPath, anchors }) {
      const paths = oldPath === null ? [path] : [path, oldPath]
      const shown = await diff(taskId, { file: { paths, whole: true } })
      const file = shown.files.find((one) => one.path === path)
      if (!file) return { ...nothing, anchors: anchors.map(() => null) }
      const sides = shown.truncated ? null : sidesOf(shown.patch)
      const { contents: all, isEndLost } = await recorded(taskId, paths, file.change === 'deleted')
      const [first] = all
      const isBase = sides
        ? first?.text != null && isSame(linesOf(first.text), sides.from)
        : file.change !== 'added'
      const contents = isBase ? all.slice(1) : all
      const authors = contents.map(({ author }) => author)
      const isReadable = contents.every(({ text }) => text !== null)
      if (!sides || !isReadable) return { ...nothing, authors, anchors: anchors.map(() => null) }
      const steps = contents.map(({ text }, author) => ({
        author,
        lines: () => linesOf(text ?? ''),
      }))
      if (!isSame(steps.at(-1)?.lines() ?? sides.from, sides.to)) {
        steps.push({ author: authors.length, lines: () => sides.to })
        authors.push(isEndLost ? unknown : await lastAuthor(taskId))
      }
      const stepOf = (contentId: string) =>
        contentId === file.contentId
          ? steps.length - 1
          : contents.findLastIndex(({ id }) => id === contentId)
      const placed = anchors.map(({ contentId, line }) => ({
        step: stepOf(contentId),
        line: line - 1,
      }))
      const { written, removed, ...history } = await followLines({
        base: sides.from,
        steps,
        anchors: placed,
        msMax: comparisonMsMax,
      })
      return {
        authors,
        written: runsOf(written),
        removed: runsOf(removed),
        anchors: history.anchors.map(({ line, by }, at) =>
          (placed[at]?.step ?? -1) < 0
            ? null
            : { line: line === null ? null : line + 1, author: by },
        ),
      }
    },
  }

  /** Returns who changed the file after the last recorded state; unknown while a turn is in progress. */
  async function lastAuthor(taskId: TaskId): Promise<ChangeAuthor> {
    const task = state.tasks.get(taskId)
    const before = (await statesOf(taskId)).at(-1)?.author
    return before && task && !isRunning(task.status)
      ? { ...unknown, by: 'outside', turn: before.turn, seq: before.seq }
      : unknown
  }
}

interface Content {
  /** Null if there was no file. */
  id: string | null
  path: string | null
  /** Null if it is too long, or lost. */
  text: string | null
  author: ChangeAuthor
}

interface Recorded {
  contents: Content[]
  /** The last states are lost, so that later changes may be from the turns before them. */
  isEndLost: boolean
}

const nothing: FileAuthors = { authors: [], written: [], removed: [], anchors: [] }

/** Returns both contents of a patch that contains all lines of one file; null if the patch has no hunks. */
function sidesOf(patch: string): { from: string[]; to: string[] } | null {
  const hunks = parsePatch(patch)[0]?.hunks ?? []
  if (hunks.length === 0) return null
  const from: string[] = []
  const to: string[] = []
  for (const { lines } of hunks)
    for (const [at, line] of lines.entries()) {
      if (line.startsWith('\\')) continue
      const text = lines[at + 1]?.startsWith('\\') ? line.slice(1) : `${line.slice(1)}\n`
      if (!line.startsWith('+')) from.push(text)
      if (!line.startsWith('-')) to.push(text)
    }
  return { from, to }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, at) => line === b[at])

function runsOf(authors: readonly (number | null)[]): AuthoredLines[] {
  const runs: AuthoredLines[] = []
  for (const [index, author] of authors.entries()) {
    if (author === null) continue
    const last = runs.at(-1)
    if (last?.author === author && last.start + last.lines === index + 1) last.lines++
    else runs.push({ start: index + 1, lines: 1, author })
  }
  return runs
}
