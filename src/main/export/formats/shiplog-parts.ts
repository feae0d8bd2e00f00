/**
 * Generates Shiplog's own format: journal lines verbatim, so that their checksums stay valid, interleaved with the
 * other data of the tasks. See ../FORMAT.md.
 */
import { hash } from 'node:crypto'
import type { ExportedTask } from '../../../shared/records/exported-tasks.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { wholeOutputOf } from '../../../shared/records/whole-output.ts'
import { extractBlobs, type JournalRecord } from '../../journal/index.ts'
import { type ExportRun, exportedChildren } from '../export-run.ts'
import { type ExportedRecord, imagesOf, readEntries } from '../session-entries.ts'
import { blobPartBytes, exportVersion } from './shiplog-file.ts'

/** One line of the file, without its newline: JSON. */
interface ShiplogPart {
  kind: 'header' | 'task' | 'content' | 'task-end' | 'end'
  json: string
}

export async function* shiplogParts(run: ExportRun): AsyncGenerator<ShiplogPart> {
  const { request } = run
  const { fromSeq = null, throughSeq = null } = request
  yield part('header', {
    shiplog: 'export',
    version: exportVersion,
    app: run.version,
    at: run.now.toISOString(),
    root: run.rootId,
    children: request.children,
    redacted: request.redact,
    files: request.files,
    range: fromSeq === null && throughSeq === null ? null : { fromSeq, throughSeq },
  })
  yield* ofTask(run, run.source.task(run.rootId))
}

async function* ofTask(run: ExportRun, task: Task): AsyncGenerator<ShiplogPart> {
  run.result.tasks++
  const isSummary = run.request.children === 'summary' && task.id !== run.rootId
  yield part('task', {
    shiplog: 'task',
    task: exportedTask(run, task),
    transcript: !isSummary,
  })
  yield* reports(run, task)
  const counts = { records: 0, withheld: 0, unreadable: 0 }
  if (!isSummary) yield* transcript(run, task, counts)
  if (run.request.files && !isSummary)
    for await (const { name, data } of run.source.files(task.id))
      yield* inParts('file', { name }, data)
  yield part('task-end', { shiplog: 'task-end', task: task.id, ...counts })
  for (const child of exportedChildren(run, task.id)) yield* ofTask(run, child)
}

async function* reports(run: ExportRun, task: Task): AsyncGenerator<ShiplogPart> {
  if (!task.hasReport) return
  for (const { run: number } of task.runs) {
    const report = await run.source.report(task.id, number)
    if (!report) continue
    const { title, reportMarkdown, createdAt, taskResults } = report
    const place = { taskId: task.id, seq: null }
    const described = { run: number, title, markdown: reportMarkdown, createdAt, taskResults }
    yield part('content', {
      shiplog: 'report',
      ...(run.redactor?.value(described, place) ?? described),
    })
  }
}

interface Counts {
  records: number
  withheld: number
  unreadable: number
}

async function* transcript(
  run: ExportRun,
  task: Task,
  counts: Counts,
): AsyncGenerator<ShiplogPart> {
  const stored = new Set<string>()
  const blob = async function* (sha256: string, known?: Uint8Array) {
    if (stored.has(sha256)) return
    stored.add(sha256)
    const data = known ?? (await run.source.blob(task.id, sha256))
    if (data) yield* inParts('blob', { sha256 }, data)
  }
  for (const { sha256 } of task.images ?? []) yield* blob(sha256)
  for await (const read of readEntries(run, task, { wholeOutputs: true })) {
    if (read.kind === 'unreadable') {
      counts.unreadable++
      continue
    }
    if (read.kind === 'withheld' || read.changed) {
      counts.withheld++
      yield { kind: 'content', json: read.raw.stub() }
    } else {
      counts.records++
      yield { kind: 'content', json: read.raw.line.toString('utf8') }
    }
    if (read.kind === 'withheld') continue
    for (const { sha256 } of imagesOf(read.entry)) yield* blob(sha256)
    if (!read.changed) {
      for (const { sha256 } of read.blobs) yield* blob(sha256)
      if (read.wholeOutput) yield* blob(read.wholeOutput.sha256)
      continue
    }
    const { record, blobs } = redactedCopy(read)
    yield part('content', { shiplog: 'redacted', seq: read.raw.seq, record })
    for (const { sha256, data } of blobs) yield* blob(sha256, data)
  }
  const partial = await run.source.partial(task.id)
  const isWhole = task.id !== run.rootId || run.request.throughSeq === undefined
  if (!partial || !isWhole) return
  const place = { taskId: task.id, seq: null }
  yield part('content', {
    shiplog: 'partial',
    message: run.redactor?.value(partial, place) ?? partial,
  })
}

/** Moves long values back to separate blobs. */
function redactedCopy({ record, entry, wholeOutput }: Extract<ExportedRecord, { kind: 'entry' }>) {
  const fields: JournalRecord = structuredClone(record)
  const blobs = extractBlobs(fields)
  const whole = wholeOutputOf(entry)
  if (wholeOutput && whole) {
    const data = Buffer.from(wholeOutput.text)
    const sha256 = hash('sha256', data)
    blobs.push({ sha256, data })
    fields.detail = {
      ...(fields.detail as object),
      whole: { ...whole, sha256, bytes: data.length },
    }
  }
  return { record: fields, blobs }
}

function exportedTask(run: ExportRun, task: Task): ExportedTask {
  const { source, redactor } = run
  const { spec } = task
  const described: ExportedTask = {
    id: task.id,
    parentId: task.id === run.rootId ? null : task.parentId,
    title: task.title,
    agent: task.agent,
    // A model's address and key variable are private to this machine.
    spec: spec.kind === 'model' ? { ...spec, baseUrl: undefined, keyEnv: undefined } : spec,
    isolation: task.isolation,
    status: task.status,
    prompt: task.prompt,
    ...(task.images && { images: task.images }),
    createdAt: task.createdAt,
    startedAt: task.startedAt,
    endedAt: task.endedAt,
    resumedFrom: task.resumedFrom,
    hasReport: task.hasReport,
    reportTitle: task.reportTitle,
    reportedRun: task.reportedRun,
    cause: task.cause,
    model: task.model,
    usage: task.usage,
    callId: task.callId,
    ...(task.reviewComments && { reviewComments: task.reviewComments }),
    spawnCommit: task.spawnCommit,
    plan: task.plan,
    runs: task.runs.map(({ process: _, prompt: __, images: ___, ...kept }) => kept),
    dependsOn: task.dependsOn,
    project: { name: source.projectName(task), dir: task.projectDir },
    branch: task.workspace?.branch ?? null,
  }
  return redactor?.value(described, { taskId: task.id, seq: null }) ?? described
}

function* inParts(
  shiplog: 'blob' | 'file',
  about: { sha256: string } | { name: string },
  data: Uint8Array,
): Generator<ShiplogPart> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let offset = 0
  do {
    const piece = bytes.subarray(offset, offset + blobPartBytes).toString('base64')
    yield part('content', { shiplog, ...about, bytes: bytes.length, offset, data: piece })
    offset += blobPartBytes
  } while (offset < bytes.length)
}

const part = (kind: ShiplogPart['kind'], value: object): ShiplogPart => ({
  kind,
  json: JSON.stringify(value),
})
