/**
 * Records the files that an agent's tools change: the old content is saved in `file-history/` before the file is
 * changed, and two entries refer to the message that caused it. Changes by commands are recorded from the files that
 * Git reports changed after their turn. Authorship is tracked from content to content, also over the runs of a task.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { FileChangeRecorder } from '../../../shared/agents/driver/tool-context.ts'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import type { Entry, EntryBody } from '../../../shared/records/entries.ts'
import type { EntryId } from '../../../shared/records/ids.ts'
import type { TreeDifference } from '../../git/index.ts'
import {
  exists,
  makeDirDurable,
  readDataFile,
  syncDirectory,
  writeFileDurable,
} from '../../journal/index.ts'
import type { Session } from '../../sessions/session.ts'
import { fileHistoryFolder } from '../../sessions/session-files.ts'
import {
  comparedCharsMax,
  countChars,
  follow,
  fromAuthors,
  ownedBy,
  type Span,
  toAuthors,
} from './authorship.ts'
import type { RecordedAttributions } from './recorded-attributions.ts'

/**
 * Time limit for comparing the files of one turn or one call, because nothing else runs meanwhile.
 */
const comparisonMsMax = 250
/**
 * More files are usually generated ones, whose authorship is useless. Deleted files are always
 * recorded.
 */
const commandFilesMax = 100
/** More ranges would make every entry too large. */
const authorsMax = 2000

export interface FileChanges {
  /** Returns the recorder for the tools of one message. */
  recorder(messageUuid: EntryId): FileChangeRecorder
  /** Called before a tool runs that does not report which files it changes. */
  commandBegins(messageUuid: EntryId): void
  /** Resolves with the entries for a turn that changed these files; none unless a command ran in the turn. */
  byCommands(differences: readonly TreeDifference[]): Promise<EntryBody[]>
}

export function createFileChanges({
  session,
  recorded,
  treeBefore,
  readTexts,
}: {
  session: Session
  /** Attributions that earlier runs recorded. */
  recorded: RecordedAttributions
  /** Id of the tree at their end; null if unknown. */
  treeBefore: string | null
  /**
   * Returns contents that Git has, by their ids or as `<tree>:./<path>`, and omits missing ones.
   */
  readTexts: (names: readonly string[]) => Promise<Map<string, Buffer>>
}): FileChanges {
  const historyDir = join(session.dir, fileHistoryFolder)
  /** Attributions of this run, and those read from the record; null if there is none. */
  const known = new Map<string, Known | null>()
  /** Tools may be called concurrently, but each must see the result of the one before it. */
  const serially = createKeyedMutex()
  /** The message of the last command since Git was last queried; null if none ran. */
  let commandMessage: EntryId | null = null
  /** Files that a command may have changed before a tool did, as they were before both. */
  const unclear = new Map<string, Known | null>()

  async function saveContent(content: Uint8Array): Promise<string> {
    const hash = sha256(content)
    const path = join(historyDir, hash)
    // An existing one may come from a process that died before its directory entry was durable.
    if (await exists(path)) await syncDirectory(historyDir)
    else {
      await makeDirDurable(historyDir)
      await writeFileDurable(path, content)
    }
    return hash
  }

  /** Returns the spans of `before`, the content of the file before the change. */
  async function spansBefore(
    path: string,
    state: Known | null,
    before: string,
    time: TimeLeft,
  ): Promise<Span[]> {
    if (state?.sha256 === sha256(before)) return [...state.spans]
    const left = state && (await contentOf(path, state))
    if (!state || left === null) return ownedBy('other', before)
    return follow(state.spans, {
      before: left,
      after: before,
      author: 'other',
      msMax: time.leftMs(),
    })
  }

  async function lastKnown(path: string): Promise<Known | null> {
    const held = known.get(path)
    if (held !== undefined) return held
    const found = await recorded.of(path)
    // Without ranges only the number of characters of each author is known, not which they are.
    const state = found && {
      sha256: found.sha256,
      spans: fromAuthors(found.authors ?? [found.agentChars, found.otherChars]),
      blob: null,
      isNew: false,
    }
    known.set(path, state)
    return state
  }

  /** Discards the file's attribution. Returns whether there was one. */
  function dropAttribution(path: string): boolean {
    const wasKnown = known.has(path) ? known.get(path) !== null : recorded.has(path)
    known.set(path, null)
    return wasKnown
  }

  /** Returns a file's content when it was last attributed, or null if no store has it any more. */
  async function contentOf(path: string, { sha256: hash, blob }: Known): Promise<string | null> {
    if (hash === null) return ''
    const kept = await readDataFile(join(historyDir, hash)).catch(() => null)
    if (kept && sha256(kept) === hash) return kept.toString('utf8')
    const name = blob ?? (treeBefore && `${treeBefore}:./${path}`)
    const found = name ? (await readTexts([name])).get(name) : undefined
    return found && sha256(found) === hash ? found.toString('utf8') : null
  }

  async function attribute(path: string, before: string, after: string): Promise<Attribution> {
    const state = await lastKnown(path)
    if (commandMessage !== null && state?.sha256 !== sha256(before) && !unclear.has(path))
      unclear.set(path, state)
    const time = timeFor(comparisonMsMax)
    const found = await spansBefore(path, state, before, time)
    const spans = follow(found, { before, after, author: 'agent', msMax: time.leftMs() })
    known.set(path, { sha256: sha256(after), spans, blob: null, isNew: true })
    return attribution(sha256(after), spans)
  }

  /** Returns null if there is nothing to record. */
  async function attributeDifference(
    { path, oldPath, change, oldId, newId }: TreeDifference,
    texts: Map<string, Buffer>,
    time: TimeLeft,
  ): Promise<Attribution | null> {
    const after = textOf(texts.get(newId))
    const now = await lastKnown(path)
    const isUnclear = unclear.has(path)
    if (after === null || (!isUnclear && now?.sha256 === sha256(after))) return null
    const state = isUnclear ? (unclear.get(path) ?? null) : await lastKnown(oldPath ?? path)
    const was = change === 'added' ? '' : textOf(texts.get(oldId))
    // Too long, or missing. An empty base would attribute the whole file to the agent.
    if (was === null) return null
    // A tool wrote it in this turn, and then a command did.
    const left = state?.isNew ? await contentOf(path, state) : null
    const before = left ?? was
    const found =
      left === null ? await spansBefore(oldPath ?? path, state, was, time) : (state?.spans ?? [])
    const spans = follow(found, { before, after, author: 'agent', msMax: time.leftMs() })
    known.set(path, { sha256: sha256(after), spans, blob: newId, isNew: false })
    return attribution(sha256(after), spans)
  }

  async function byCommands(differences: readonly TreeDifference[]): Promise<EntryBody[]> {
    const messageUuid = commandMessage
    commandMessage = null
    const files: Record<string, Attribution> = {}
    if (messageUuid !== null) {
      const ofFiles = differences.filter(({ isFile }) => isFile)
      const some = ofFiles.filter(({ change }) => change !== 'deleted').slice(0, commandFilesMax)
      const texts = await readTexts(some.flatMap(({ oldId, newId }) => [oldId, newId]))
      const time = timeFor(comparisonMsMax)
      for (const difference of some) {
        const found = await attributeDifference(difference, texts, time)
        if (found) files[difference.path] = found
      }
      // Also beyond the limit: a later file of the same name is another file.
      for (const { change, path, oldPath } of ofFiles) {
        const gone = change === 'deleted' ? path : oldPath
        if (gone !== null && dropAttribution(gone)) files[gone] = attribution(null, [])
      }
    }
    for (const [path, state] of known) if (state) known.set(path, { ...state, isNew: false })
    unclear.clear()
    return messageUuid === null || Object.keys(files).length === 0
      ? []
      : [{ type: 'attribution-snapshot', messageUuid, files }]
  }

  return {
    recorder: (messageUuid) => ({
      keepOriginal: async (before) => {
        if (before) await saveContent(before)
      },
      record: ({ callId, path, before, after }) =>
        serially('', async () => {
          const text = (bytes: Uint8Array | null) =>
            bytes ? Buffer.from(bytes).toString('utf8') : ''
          const change = {
            before: before && (await saveContent(before)),
            // The next run compares the file with it.
            after: after && (await saveContent(after)),
          }
          const files = { [path]: await attribute(path, text(before), text(after)) }
          await session.append(
            { type: 'file-history-snapshot', messageUuid, callId, path, ...change },
            { type: 'attribution-snapshot', messageUuid, files },
          )
        }),
    }),
    commandBegins: (messageUuid) => {
      commandMessage = messageUuid
    },
    byCommands: (differences) => serially('', () => byCommands(differences)),
  }
}

/** The rest of a time limit that several comparisons share; never zero, so that each compares both ends. */
interface TimeLeft {
  leftMs(): number
}

function timeFor(ms: number): TimeLeft {
  const untilMs = performance.now() + ms
  return { leftMs: () => Math.max(1, untilMs - performance.now()) }
}

type Attribution = Extract<Entry, { type: 'attribution-snapshot' }>['files'][string]

/** The state of a file when it was last attributed. */
interface Known {
  /** In hex; null if there was no file. */
  sha256: string | null
  spans: Span[]
  /** Git's id of the content; null if unknown. */
  blob: string | null
  /** True until Git is queried after the attribution. */
  isNew: boolean
}

function attribution(hash: string | null, spans: readonly Span[]): Attribution {
  const authors = toAuthors(spans)
  const where = authors.length <= authorsMax ? { authors } : {}
  return { ...countChars(spans), sha256: hash, ...where }
}

/** Returns null if the bytes are missing, binary, or too large to be compared. */
function textOf(bytes: Uint8Array | undefined): string | null {
  if (!bytes || bytes.length > comparedCharsMax || bytes.includes(0) || !isUtf8(bytes)) return null
  return Buffer.from(bytes).toString('utf8')
}

const sha256 = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex')
