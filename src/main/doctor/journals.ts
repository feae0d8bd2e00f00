/**
 * Checks journals: every line's checksum and place in the chain, and their blobs and file contents.
 */
import { dirname, join } from 'node:path'
import type { TaskId } from '../../shared/records/ids.ts'
import { parseLedgerEvent } from '../../shared/records/ledger.ts'
import {
  type BlobReference,
  type Damage,
  type JournalRecord,
  openJournal,
  sha256OfDataFile,
  verifyJournal,
} from '../journal/index.ts'
import { chatFile, fileHistoryFolder } from '../sessions/session-files.ts'
import type { Case, Finding, Findings } from './finding.ts'
import { isFile, look } from './on-disk.ts'
import { examineSnapshot } from './snapshot.ts'

/**
 * Checks the ledger's chain and its snapshot. Fills `reported` on the way, so that the file is read
 * once.
 */
export async function* examineLedger(subject: Case): Findings {
  const path = subject.layout.ledger
  subject.looked()
  const snapshot = await examineSnapshot(subject)
  const { damage } = await verifyJournal(path, async (record) => {
    await snapshot.visit(record)
    const event = parseLedgerEvent(record)
    if (event?.type !== 'task.reported') return
    const { taskId, run } = event
    subject.reported.set(taskId, (subject.reported.get(taskId) ?? new Set()).add(run))
  })
  // This process writes the file: an incomplete last line is being written.
  yield* damage.map((one) => damageFound(path, one))
  // No start uses the snapshot of a damaged ledger, because its additional events can't be
  // verified.
  const wrong = damage.length === 0 ? snapshot.finding() : null
  if (wrong) yield wrong
}

/**
 * Checks the transcript in `dir`, if there is one. `recordsMin` is the count in the index when it
 * was archived. `endedRuns` are the runs that completed according to the ledger, so that whole
 * lines cut from the end are detected too. `withoutFiles`: it was exported without the contents of
 * changed files.
 */
export async function* examineTranscript(
  subject: Case,
  dir: string,
  about: {
    taskId: TaskId
    rootId: TaskId | undefined
    recordsMin?: number
    endedRuns: number[]
    withoutFiles?: boolean | undefined
  },
): Findings {
  const path = join(dir, chatFile)
  if (!(await isFile(path))) return
  subject.looked()
  const { rootId } = about
  const found: Finding[] = []
  const seen = new Set<string>()
  const ended = new Set<unknown>()
  const { damage, records, tailBytes } = await verifyJournal(path, async (record) => {
    if (record.type === 'run-end') ended.add(record.run)
    noteTree(subject, about.taskId, record)
    for (const [folder, sha256] of namedBy(record)) {
      if (seen.has(`${folder}/${sha256}`)) continue
      if (folder === fileHistoryFolder && about.withoutFiles) continue
      seen.add(`${folder}/${sha256}`)
      subject.looked()
      const problem = await examineContent(dir, folder, sha256)
      if (problem)
        found.push({ ...problem, detail: `${problem.detail}; record ${record.seq}`, rootId })
    }
  })
  yield* damage.map((one) => ({ ...damageFound(path, one), rootId }))
  yield* found
  if (tailBytes > 0 && !subject.sessions.current(about.taskId)) {
    yield {
      kind: 'torn-tail',
      path,
      detail: `ends in ${tailBytes} bytes without a newline: an interrupted write`,
      rootId,
      repair: async () => (await openJournal(path)).close(),
    }
  }
  if (damage.length > 0) return
  const counted = about.recordsMin ?? 0
  const lost = about.endedRuns.filter((run) => !ended.has(run))
  if (records < counted) {
    const detail = `holds ${records} records and held ${counted} when it was archived`
    yield { kind: 'transcript-shortened', path, detail, rootId }
  } else if (lost.length > 0) {
    const detail = `ends before run ${lost.join(', ')} does, which the ledger says has completed`
    yield { kind: 'transcript-shortened', path, detail, rootId }
  }
}

function damageFound(path: string, { line, lines, bytes, reason }: Damage): Finding {
  const place = lines > 1 ? `lines ${line} to ${line + lines - 1}` : `line ${line}`
  return { kind: 'journal-damaged', path, detail: `${place}, ${bytes} bytes: ${reason}` }
}

/**
 * Collects the trees that must be in the turn store. Skips those before the first call with a tree, which
 * older versions stored in the user's repository.
 */
function noteTree({ trees }: Case, taskId: TaskId, { type, tree }: JournalRecord): void {
  const isCall = type === 'tool-call' || type === 'tool-result'
  const known = trees.get(taskId)
  if (typeof tree !== 'string' || !/^[0-9a-f]{40,64}$/.test(tree)) return
  if (known) known.add(tree)
  // Calls have recorded trees since the turn store exists; the first call's is also its run's first
  // state.
  else if (isCall) trees.set(taskId, new Set([tree]))
}

type ContentFolder = 'blobs' | typeof fileHistoryFolder

/** Returns the files that a record refers to. Only a hash may become part of a path (A3). */
function namedBy(record: JournalRecord): [ContentFolder, string][] {
  const named: [ContentFolder, unknown][] = Array.isArray(record.blobs)
    ? (record.blobs as BlobReference[]).map((one) => ['blobs', one?.sha256])
    : []
  const { whole } = (record.detail ?? {}) as { whole?: { sha256?: unknown } }
  if (record.type === 'tool-result' && whole) named.push(['blobs', whole.sha256])
  for (const image of imagesIn(record)) named.push(['blobs', image?.sha256])
  if (record.type === 'file-history-snapshot') named.push([fileHistoryFolder, record.before])
  return named.filter(
    (one): one is [ContentFolder, string] =>
      typeof one[1] === 'string' && /^[0-9a-f]{64}$/.test(one[1]),
  )
}

/** The images of a prompt or of a result. */
function imagesIn({ type, parts, images }: JournalRecord): { sha256?: unknown }[] {
  const listed: unknown = type === 'message' ? parts : type === 'tool-result' ? images : []
  return (Array.isArray(listed) ? listed : []).filter(
    (one) => type === 'tool-result' || one?.type === 'image',
  )
}

const contentKinds = {
  blobs: { missing: 'blob-missing', damaged: 'blob-damaged' },
  [fileHistoryFolder]: { missing: 'file-history-missing', damaged: 'file-history-damaged' },
} as const

async function examineContent(
  dir: string,
  folder: ContentFolder,
  sha256: string,
): Promise<Finding | null> {
  const path = join(dir, folder, sha256)
  const stats = (await look(dirname(path)))?.isDirectory() ? await look(path) : null
  if (!stats?.isFile()) {
    const detail = folder === 'blobs' ? 'only the beginning of a long value is left' : 'is gone'
    return { kind: contentKinds[folder].missing, path, detail }
  }
  if ((await sha256OfDataFile(path)) === sha256) return null
  return {
    kind: contentKinds[folder].damaged,
    path,
    detail: 'its content is not what its name says',
  }
}
