/** Streams the redacted entries of one task within the requested range. */
import type { Entry } from '../../shared/records/entries.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { wholeOutputOf } from '../../shared/records/whole-output.ts'
import type { BlobReference, JournalRecord, RawRecord } from '../journal/index.ts'
import type { ExportRun } from './export-run.ts'

export type ExportedRecord =
  | {
      kind: 'entry'
      raw: RawRecord
      /** Redacted, with long values inlined. */
      record: JournalRecord
      /** The parsed `record`. */
      entry: Entry
      /** A value was masked or removed, so the original checksum no longer matches. */
      changed: boolean
      /** References of its long values, if the record was not changed. */
      blobs: BlobReference[]
      /** The command's complete output, redacted; null: the entry has all of it, or it was not requested. */
      wholeOutput: { text: string; changed: boolean; sha256: string } | null
    }
  | { kind: 'withheld'; raw: RawRecord; why: 'range' | 'type'; type: string }
  | { kind: 'unreadable'; bytes: number }

/** `wholeOutputs`: also reads complete command outputs, up to 32 MB each. */
export async function* readEntries(
  run: ExportRun,
  task: Task,
  { wholeOutputs = run.request.outputs === 'whole' } = {},
): AsyncGenerator<ExportedRecord> {
  const { redactor, result, source, request } = run
  const { fromSeq = 1, throughSeq = Number.POSITIVE_INFINITY } =
    task.id === run.rootId ? request : {}
  for await (const raw of source.records(task.id)) {
    run.signal?.throwIfAborted()
    if (raw.seq === null) {
      result.damaged++
      yield { kind: 'unreadable', bytes: raw.bytes }
      continue
    }
    if (raw.seq < fromSeq || raw.seq > throughSeq) {
      yield { kind: 'withheld', raw, why: 'range', type: '' }
      continue
    }
    const { record, blobs, lost } = await raw.read()
    if (lost.length > 0) result.damaged++
    const original = parseEntry(record)
    if (redactor && original.type === 'unknown') {
      result.withheld++
      yield { kind: 'withheld', raw, why: 'type', type: original.originalType }
      continue
    }
    result.entries++
    result.images += imagesOf(original).length
    const place = { taskId: task.id, seq: raw.seq }
    const kept = redactor ? withoutProviderData(record) : record
    const shown = redactor ? redactor.value(kept, place) : kept
    const wholeOutput = wholeOutputs ? await readWholeOutput(run, task, original) : null
    yield {
      kind: 'entry',
      raw,
      record: shown,
      entry: shown === record ? original : parseEntry(shown),
      changed: shown !== record || wholeOutput?.changed === true,
      blobs,
      wholeOutput,
    }
  }
}

/** Images of prompts, messages and results, which are in `blobs/`. */
export function imagesOf(entry: Entry): { sha256: string; mediaType: string; bytes: number }[] {
  if (entry.type === 'message') return entry.parts.filter((part) => part.type === 'image')
  if (entry.type === 'tool-result' || entry.type === 'compaction') return entry.images ?? []
  return []
}

async function readWholeOutput(run: ExportRun, task: Task, entry: Entry) {
  const whole = wholeOutputOf(entry)
  const data = whole && (await run.source.blob(task.id, whole.sha256))
  if (!whole || !data) return null
  const original = Buffer.from(data).toString('utf8')
  const text = run.redactor?.text(original, { taskId: task.id, seq: entry.seq }) ?? original
  return { text, changed: text !== original, sha256: whole.sha256 }
}

/** Removes provider data (signatures, encrypted reasoning), because it is opaque and can't be checked for secrets. */
function withoutProviderData(record: JournalRecord): JournalRecord {
  const parts = Array.isArray(record.parts) ? record.parts : []
  const isIn = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'providerData')
  if (!isIn(record) && !parts.some(isIn)) return record
  const { providerData: _, ...rest } = record
  return {
    ...rest,
    ...(parts.length > 0 && {
      parts: parts.map((part) => {
        if (!isIn(part)) return part
        const { providerData: __, ...kept } = part as Record<string, unknown>
        return kept
      }),
    }),
  } as JournalRecord
}
