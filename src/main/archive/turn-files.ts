/**
 * Reads the files of a task as of an entry of its transcript (V5): finds the newest entry that
 * records a tree, and reads that tree from the turn store. Writes nothing, except a temporary
 * snapshot when comparing with the present folder.
 */
import { imageKindOf } from '../../shared/agents/image-kind.ts'
import { readPages } from '../../shared/async/read-pages.ts'
import {
  type DiffBase,
  type MissingFiles,
  type StatedFiles,
  type TurnDiff,
  type TurnFile,
  type TurnFolder,
  turnFolderNamesMax,
} from '../../shared/contract/transcripts/turn-files.ts'
import { FailureError } from '../../shared/failure.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { projectOf } from '../../shared/projections/ledger/project-use.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Workspace } from '../../shared/records/projects/workspaces.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { dayOf } from '../../shared/text/format-time.ts'
import { notStoredAt, notStoredReason } from '../../shared/text/not-stored-text.ts'
import type { Git } from '../git/index.ts'
import type { ProjectTurns, TurnStore } from '../turn-store/turn-store.ts'
import type { ArchiveReader } from './archive-reader.ts'

export interface TurnFiles {
  folder(taskId: TaskId, at: { seq: number; path: string }): Promise<TurnFolder | MissingFiles>
  /** Throws FailureError (not-found) if there is no such file. */
  file(
    taskId: TaskId,
    at: { seq: number; path: string; as: 'shown' | 'bytes'; bytesMax: number },
  ): Promise<TurnFile | MissingFiles>
  diff(
    taskId: TaskId,
    at: { seq: number; against: DiffBase; patch: boolean },
  ): Promise<TurnDiff | MissingFiles>
}

/** The position of an entry that records a tree, and the tree. */
type Stated = StatedFiles & { tree: string }

/** Entries read at a time while searching backwards for one with a tree; most turns have fewer. */
const steps = [1, 50, 500]
/** Git inspects the same number of bytes for a NUL. */
const binaryCheckBytes = 8_000

export function createTurnFiles({
  state,
  archive,
  turnStore,
  git,
  filesDirOf,
}: {
  state: LedgerState
  archive: Pick<ArchiveReader, 'transcriptPage' | 'sessionState'>
  turnStore: Pick<TurnStore, 'open'>
  git: Pick<Git, 'snapshot'>
  /** Returns the folder to run Git in for the files of a workspace; null if they are gone. */
  filesDirOf: (workspace: Workspace) => Promise<string | null>
}): TurnFiles {
  /** Yields the entries at or before `seq`, newest first. */
  async function* backwards(taskId: TaskId, seq: number): AsyncGenerator<Entry> {
    let throughSeq = seq
    for (let step = 0; throughSeq > 0; step++) {
      const last = steps[step] ?? 500
      const query = { last, throughSeq, previews: true }
      const { entries } = await archive.transcriptPage(taskId, query)
      yield* entries.toReversed()
      const [first] = entries
      if (!first) return
      throughSeq = first.seq - 1
    }
  }

  async function* forwards(taskId: TaskId): AsyncGenerator<Entry> {
    const pages = readPages(1, (fromSeq) =>
      archive.transcriptPage(taskId, { fromSeq, limit: 500, previews: true }),
    )
    for await (const { entries } of pages) yield* entries
  }

  /** Returns the last recorded tree at or before `seq`, and why a later snapshot failed; null if there is none. */
  async function statedAt(
    taskId: TaskId,
    seq: number,
  ): Promise<{ stated: Stated | null; failed: string | null }> {
    let failed: string | null = null
    let stated: Stated | null = null
    for await (const entry of backwards(taskId, seq)) {
      if (!stated && entry.type === 'snapshot-failed') failed ??= entry.reason
      stated ??= statedBy(entry)
      if (stated && entry.type === 'workspace-snapshot') {
        const { notStored = [] } = entry
        return { stated: { ...stated, failed, notStored }, failed }
      }
    }
    return { stated: stated && { ...stated, failed }, failed }
  }

  /** Returns the last recorded tree before the turn of `stated`, or before the entry itself if it has no turn. */
  async function turnBefore(taskId: TaskId, stated: Stated): Promise<Stated | null> {
    for await (const entry of backwards(taskId, stated.seq - 1)) {
      const earlier = statedBy(entry)
      if (earlier && (stated.turn === null || earlier.turn !== stated.turn)) return earlier
    }
    return null
  }

  async function firstStated(taskId: TaskId): Promise<Stated | null> {
    for await (const entry of forwards(taskId)) {
      const stated = statedBy(entry)
      if (stated) return stated
    }
    return null
  }

  /** Opens the turn store at the tree recorded for `seq`; returns the reason if there is none to read. */
  async function open(
    taskId: TaskId,
    seq: number,
  ): Promise<{ turns: ProjectTurns; stated: Stated; task: Task } | MissingFiles> {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
    if (task.transcriptExpired)
      return missing(
        'expired',
        `The transcript expired on ${dayOf(task.transcriptExpired.at)}, and its files with it.`,
      )
    const tool = state.tasks.get(task.rootId)?.importedFrom?.tool ?? 'shiplog'
    if (tool !== 'shiplog')
      return missing('before', 'The log that this was imported from does not contain the files.')
    // In a transcript without any tree, the search would read every entry.
    const isGit = projectOf(state, task.projectId)?.git ?? true
    if (!isGit && (await archive.sessionState(taskId))?.tree == null)
      return missing('no-git', 'Files are recorded in Git projects only, and this is none.')
    const { stated, failed } = await statedAt(taskId, seq)
    if (!stated)
      return failed === null
        ? missing('before', 'No files were recorded up to this moment.')
        : missing('failed', `The files could not be recorded: ${failed}`)
    const turns = turnStore.open(task.projectId)
    if ((await turns.missing([stated.tree])).length > 0)
      return missing('lost', 'The turn store does not hold the files of this moment any more.')
    return { turns, stated, task }
  }

  return {
    async folder(taskId, { seq, path }) {
      const found = await open(taskId, seq)
      if ('reason' in found) return found
      const names = await found.turns.readFolder({ tree: found.stated.tree, path })
      if (names === null) throw new FailureError({ kind: 'not-found', what: 'folder', id: path })
      const shown = names.toSorted(byKindAndName).slice(0, turnFolderNamesMax)
      return {
        kind: 'folder',
        stated: publicOf(found.stated),
        names: shown.map(({ id: _, mode, ...one }) => ({
          ...one,
          isExecutable: mode === '100755',
        })),
        more: names.length - shown.length,
      }
    },
    async file(taskId, { seq, path, as, bytesMax }) {
      const found = await open(taskId, seq)
      if ('reason' in found) return found
      const { turns, stated } = found
      const { tree } = stated
      const slash = path.lastIndexOf('/')
      const folder = await turns.readFolder({ tree, path: path.slice(0, Math.max(0, slash)) })
      const known = folder?.find(({ name }) => name === path.slice(slash + 1))
      const left = known ? null : notStoredAt(stated.notStored, path)
      if (left) return missing('not-stored', `Not recorded: ${notStoredReason(left)}.`)
      if (!known || known.kind === 'folder')
        throw new FailureError({ kind: 'not-found', what: 'file', id: path })
      const about = { kind: 'file' as const, stated: publicOf(stated) }
      if (known.kind === 'submodule') {
        const content = { kind: 'submodule' as const, commit: known.id }
        return { ...about, content, bytes: null, truncated: false }
      }
      const read = await turns.readFile({ tree, path, bytesMax })
      if (!read) return { ...about, content: { kind: 'lost' }, bytes: null, truncated: false }
      const content =
        as === 'bytes'
          ? { kind: 'bytes' as const, base64: read.bytes.toString('base64') }
          : known.kind === 'link'
            ? { kind: 'link' as const, target: read.bytes.toString() }
            : shownContent(read)
      return { ...about, content, bytes: known.bytes, truncated: read.truncated }
    },
    async diff(taskId, { seq, against, patch }) {
      const found = await open(taskId, seq)
      if ('reason' in found) return found
      const { turns, stated, task } = found
      const about = { kind: 'diff' as const, stated: publicOf(stated) }
      const other = await comparedStateOf(taskId, { task, stated, against })
      if (other === null || other.tree === stated.tree)
        return {
          ...about,
          files: [],
          patch: '',
          truncated: false,
          other: other ? publicOther(other) : { kind: 'same' },
        }
      if (other.kind === 'entry' && (await turns.missing([other.tree])).length > 0)
        return missing('lost', 'The turn store does not hold the files to compare with any more.')
      const trees =
        against === 'now'
          ? { from: stated.tree, to: other.tree }
          : { from: other.tree, to: stated.tree }
      const { files, ...content } = await turns.diff({ ...trees, patch })
      // A path that was left out of one state only would be shown as added or deleted.
      const known = files.filter(({ path }) => !notStoredAt(stated.notStored, path))
      return { ...about, ...content, files: known, other: publicOther(other) }
    },
  }

  async function comparedStateOf(
    taskId: TaskId,
    { task, stated, against }: { task: Task; stated: Stated; against: DiffBase },
  ): Promise<Other | null> {
    if (against === 'now') {
      const { workspace } = task
      const isInUse = workspace !== null && workspace.removal === null
      const dir = isInUse ? await filesDirOf(workspace) : null
      if (dir !== null) return { kind: 'folder', tree: (await git.snapshot(dir)).tree }
    }
    const entry =
      against === 'turn-before'
        ? await turnBefore(taskId, stated)
        : against === 'start'
          ? await firstStated(taskId)
          : (await statedAt(taskId, Number.MAX_SAFE_INTEGER)).stated
    return entry && { kind: 'entry', ...entry }
  }
}

type Other = { kind: 'folder'; tree: string } | ({ kind: 'entry' } & Stated)

const publicOther = (other: Other): TurnDiff['other'] =>
  other.kind === 'folder' ? { kind: 'folder' } : { kind: 'entry', seq: other.seq, at: other.at }

const publicOf = ({ tree: _, ...stated }: Stated): StatedFiles => stated

const missing = (reason: MissingFiles['reason'], message: string): MissingFiles => ({
  kind: 'missing',
  reason,
  message,
})

function statedBy(entry: Entry): Stated | null {
  if (!('tree' in entry) || entry.tree === undefined) return null
  const { tree, seq, at, turn } = entry
  return { tree, seq, at, turn, failed: null, notStored: [] }
}

type Name = { name: string; kind: TurnFolder['names'][number]['kind'] }

const byKindAndName = (a: Name, b: Name): number =>
  Number(b.kind === 'folder') - Number(a.kind === 'folder') || (a.name < b.name ? -1 : 1)

function shownContent({
  bytes,
  truncated,
}: {
  bytes: Buffer
  truncated: boolean
}): TurnFile['content'] {
  const image = imageKindOf(bytes)
  if (image && !truncated)
    return { kind: 'image', mediaType: image.mediaType, base64: bytes.toString('base64') }
  if (bytes.subarray(0, binaryCheckBytes).includes(0)) return { kind: 'binary' }
  return { kind: 'text', text: bytes.toString() }
}
