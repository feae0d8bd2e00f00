/**
 * Reads an export in Shiplog's own format, in JSONL or JSON, and verifies the guarantees of the format: checksums and
 * order of records, hashes of files, counts, and completeness. See FORMAT.md.
 */
import { createHash, type Hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { TaskId } from '../../shared/records/ids.ts'
import { createChainCheck, readDataFile, readLines } from '../journal/index.ts'
import {
  type ExportHeader,
  type ExportLine,
  exportHeaderSchema,
  exportLineSchema,
  exportVersion,
} from './formats/shiplog-file.ts'
import { exportOpening } from './is-export.ts'

/** One verified line of an export. `line` counts from 1; in JSON it counts elements. */
type ReadLine = { line: number } & (
  | { kind: 'header'; header: ExportHeader }
  | { kind: 'record'; seq: number; withheld: boolean; bytes: Buffer }
  | { kind: 'part'; part: ExportLine }
  /** `reason`: a predicate for the sentence “Line N …”. */
  | { kind: 'problem'; reason: string }
)

/** Longer lines are invalid in an export. */
const lineBytesMax = 64 << 20
/** A JSON document is read as a whole. */
const documentBytesMax = 256 << 20

export interface ExportCheck {
  header: ExportHeader | null
  tasks: number
  /** Records as they were written. */
  records: number
  /** Records that were withheld; `redacted` of them have a redacted copy. */
  withheld: number
  redacted: number
  problems: { line: number; reason: string }[]
}

/** Limits the list to a readable length. */
const problemsMax = 100

/** Checks a whole export. Throws the system's error if the file can't be read. */
export async function checkExport(file: string): Promise<ExportCheck> {
  const check: ExportCheck = {
    header: null,
    tasks: 0,
    records: 0,
    withheld: 0,
    redacted: 0,
    problems: [],
  }
  for await (const read of readExport(file)) {
    if (read.kind === 'header') check.header = read.header
    else if (read.kind === 'record') check[read.withheld ? 'withheld' : 'records']++
    else if (read.kind === 'problem') {
      const { line, reason } = read
      if (check.problems.length < problemsMax) check.problems.push({ line, reason })
    } else if (read.part.shiplog === 'task') check.tasks++
    else if (read.part.shiplog === 'redacted') check.redacted++
  }
  return check
}

/** Yields the lines of an export and continues after problems. Throws the system's error if the file can't be read. */
export async function* readExport(file: string): AsyncGenerator<ReadLine> {
  const hash = createHash('sha256')
  const checker = createChecker(hash)
  let line = 0
  for await (const { bytes, isDocument } of linesOf(file)) {
    line++
    if (bytes === null)
      yield { line, kind: 'problem', reason: 'is longer than any line of an export' }
    else for (const read of checker.next(bytes, isDocument)) yield { line, ...read }
    if (bytes === null) continue
    hash.update(bytes).update('\n')
  }
  for (const read of checker.end()) yield { line: line + 1, ...read }
}

interface Line {
  /** Null: the line is too long. */
  bytes: Buffer | null
  /** From a JSON document, which has no hash over its bytes. */
  isDocument: boolean
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  let isFirst = true
  for await (const bytes of readLines(file, { lineBytesMax, tail: true, followLinks: true })) {
    // In a JSON document the header object is not closed on the first line.
    if (isFirst && !(bytes && isClosedHeader(bytes))) {
      for (const json of await documentLines(file)) yield { bytes: json, isDocument: true }
      return
    }
    isFirst = false
    yield { bytes, isDocument: false }
  }
}

const isClosedHeader = (line: Buffer): boolean =>
  line.toString('latin1', 0, exportOpening.length) === exportOpening &&
  line.at(-1) === 0x7d &&
  !line.includes('"tasks":[')

/** Converts a JSON document's elements to lines. Returns a single non-header line if it is not an export. */
async function documentLines(file: string): Promise<Buffer[]> {
  const { tasks, end, ...header } = await parsedDocument(file)
  if (!Array.isArray(tasks)) return [Buffer.from('{}')]
  const content = tasks.flatMap((task: unknown) => {
    const { about, content, end } = (task ?? {}) as Record<string, unknown>
    return [about, ...(Array.isArray(content) ? content : []), end]
  })
  return [header, ...content, end].map((value) => Buffer.from(JSON.stringify(value) ?? 'null'))
}

async function parsedDocument(file: string): Promise<Record<string, unknown>> {
  if ((await stat(file)).size > documentBytesMax) return {}
  const bytes = await readDataFile(file, { followLinks: true })
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

type Checked = ReadLine extends infer R ? (R extends ReadLine ? Omit<R, 'line'> : never) : never

/** Validates each line against the preceding ones. */
function createChecker(hash: Hash) {
  const tasks = new Set<TaskId>()
  let header: ExportHeader | null = null
  let task: OpenTask | null = null
  let isOver = false
  const problem = (reason: string): Checked => ({ kind: 'problem', reason })

  function* next(bytes: Buffer, isDocument: boolean): Generator<Checked> {
    if (isOver) return yield problem('follows the end of the export')
    if (header === null) {
      const read = readHeader(bytes)
      if (typeof read === 'string') {
        isOver = true
        return yield problem(read)
      }
      header = read
      return yield { kind: 'header', header }
    }
    if (bytes.toString('latin1', 0, 5) === '{"v":') return yield* record(bytes)
    const parsed = parseLine(bytes)
    if (parsed === null) return yield problem('is neither a record nor a part of an export')
    yield* part(parsed, isDocument)
    yield { kind: 'part', part: parsed }
  }

  function* record(bytes: Buffer): Generator<Checked> {
    if (!task) return yield problem('is a record outside of a task')
    const read = task.chain.next(bytes)
    if (!read) return yield problem('is not the record that was written: bad checksum')
    const { seq, withheld, follows } = read
    if (!follows) yield problem('does not follow the record before it: lines are missing or moved')
    task[withheld ? 'withheld' : 'records']++
    task.lastStub = withheld ? seq : null
    yield { kind: 'record', seq, withheld, bytes }
  }

  function* part(read: ExportLine, isDocument: boolean): Generator<Checked> {
    if (read.shiplog === 'task') {
      const { id, parentId } = read.task
      if (task) yield problem('begins a task before the one before it has ended')
      if (tasks.has(id)) yield problem('repeats a task')
      const isRoot = tasks.size === 0
      if (isRoot ? id !== header?.root || parentId !== null : !parentId || !tasks.has(parentId))
        yield problem('is a task whose parent is not in the export')
      tasks.add(id)
      task = openTask(id)
      return
    }
    if (read.shiplog === 'end') {
      isOver = true
      if (task) yield problem('ends the export within a task')
      if (read.tasks !== tasks.size) yield problem(`counts ${read.tasks} tasks of ${tasks.size}`)
      if (!isDocument && read.sha256 !== hash.copy().digest('hex'))
        yield problem('has the hash of another content: something before it was changed')
      return
    }
    if (!task) return yield problem('is a part of a task, outside of one')
    if (read.shiplog === 'task-end') {
      yield* task.files.end().map(problem)
      if (read.task !== task.id || read.records !== task.records || read.withheld !== task.withheld)
        yield problem('does not have the counts of the records before it')
      task = null
    } else if (read.shiplog === 'redacted') {
      if (task.lastStub !== read.seq) yield problem('is a copy of no withheld record')
      task.lastStub = null
    } else if (read.shiplog === 'blob' || read.shiplog === 'file')
      yield* task.files.add(read).map(problem)
  }

  return {
    next,
    *end(): Generator<Checked> {
      if (!isOver) yield problem('is missing: the export is not whole')
    },
  }
}

interface OpenTask {
  id: TaskId
  chain: ReturnType<typeof createChainCheck>
  records: number
  withheld: number
  /** Seq of the stub on the previous line; null: the previous line was not a stub. */
  lastStub: number | null
  files: ReturnType<typeof createFileCheck>
}

const openTask = (id: TaskId): OpenTask => ({
  id,
  records: 0,
  withheld: 0,
  lastStub: null,
  chain: createChainCheck(),
  files: createFileCheck(),
})

/** Checks files, which arrive in consecutive pieces. */
function createFileCheck() {
  const seen = new Set<string>()
  let open: {
    name: string
    bytes: number
    read: number
    hash: Hash
    sha256: string | null
  } | null = null
  const unfinished = () => (open ? [`comes before the rest of ${open.name}`] : [])
  return {
    add(piece: Extract<ExportLine, { shiplog: 'blob' | 'file' }>): string[] {
      const name = piece.shiplog === 'blob' ? `blobs/${piece.sha256}` : piece.name
      const data = Buffer.from(piece.data, 'base64')
      const problems: string[] = []
      if (piece.offset === 0) {
        problems.push(...unfinished())
        if (seen.has(name)) problems.push(`repeats ${name}`)
        seen.add(name)
        const sha256 = piece.shiplog === 'blob' ? piece.sha256 : null
        open = { name, bytes: piece.bytes, read: 0, hash: createHash('sha256'), sha256 }
      }
      if (open?.name !== name || open.read !== piece.offset || open.bytes !== piece.bytes) {
        open = null
        return [...problems, `is no next piece of ${name}`]
      }
      open.read += data.length
      open.hash.update(data)
      if (open.read < open.bytes && data.length > 0) return problems
      const isWhole = open.read === open.bytes
      const isRight = open.sha256 === null || open.hash.digest('hex') === open.sha256
      open = null
      return isWhole && isRight ? problems : [...problems, `ends ${name}, which was altered`]
    },
    end(): string[] {
      const problems = unfinished()
      open = null
      return problems
    },
  }
}

function readHeader(bytes: Buffer): ExportHeader | string {
  const value = parsedJson(bytes)
  const parsed = exportHeaderSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const { shiplog, version } = (value ?? {}) as { shiplog?: unknown; version?: unknown }
  if (shiplog === 'export' && typeof version === 'number' && version > exportVersion)
    return `is an export of a newer version (${version}) of the format; a newer Shiplog reads it`
  return 'is not the beginning of an export of Shiplog'
}

function parseLine(bytes: Buffer): ExportLine | null {
  const parsed = exportLineSchema.safeParse(parsedJson(bytes))
  return parsed.success ? parsed.data : null
}

function parsedJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}
