/**
 * Reads Shiplog exports. All guarantees of the format are verified, and a single problem rejects the whole file.
 * Records are passed on verbatim.
 */
import { basename } from 'node:path'
import type { ExportedTask } from '../../../../shared/records/exported-tasks.ts'
import { noUsage } from '../../../../shared/records/usage.ts'
import { readExport } from '../../../export/read-export.ts'
import {
  type FoundSession,
  type LineCounts,
  noLines,
  type ReadEvent,
  type ReadReport,
  type ReadTask,
} from '../adapter.ts'

/** Limit of tasks. A tree has dozens; Shiplog writes no larger file. */
const tasksMax = 10_000
/** Lines between progress events. */
const progressLines = 500

interface OpenTask {
  task: ExportedTask
  hasTranscript: boolean
  reports: ReadReport[]
  counts: LineCounts
  withheld: number
}

export async function* readShiplogExport(
  session: FoundSession,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ReadEvent> {
  const [file] = session.files
  if (!file) throw new Error('The export has no file')
  const tasks: OpenTask[] = []
  let version = ''
  let withoutFiles = false
  let isRedacted = false
  let lines = 0
  let bytes = 0
  let reported = 0
  for await (const one of readExport(file.path)) {
    signal.throwIfAborted()
    bytes += one.kind === 'record' ? one.bytes.length : 0
    if (++lines % progressLines === 0) {
      yield { kind: 'bytes', bytes: bytes - reported }
      reported = bytes
    }
    const last = tasks.at(-1)
    if (one.kind === 'problem')
      throw new Error(
        `${basename(file.path)} can't be imported: line ${one.line} ${one.reason}. Nothing was imported.`,
      )
    if (one.kind === 'header') {
      version = one.header.app
      isRedacted = one.header.redacted || one.header.range !== null
      withoutFiles = !one.header.files
    } else if (one.kind === 'record' && last) {
      last.counts.lines++
      if (one.withheld) last.withheld++
      else last.counts.mapped++
      const { bytes, withheld } = one
      yield { kind: 'exported', task: last.task.id, part: { kind: 'record', bytes, withheld } }
    } else if (one.kind === 'part') {
      const { part } = one
      if (part.shiplog === 'task') {
        if (tasks.length >= tasksMax)
          throw new Error(
            `The export contains more than ${tasksMax} tasks. Shiplog never writes that many.`,
          )
        tasks.push({
          task: part.task,
          hasTranscript: part.transcript,
          reports: [],
          counts: noLines(),
          withheld: 0,
        })
      } else if (part.shiplog === 'report') last?.reports.push(part)
      else if (last && part.shiplog !== 'end')
        yield { kind: 'exported', task: last.task.id, part: { kind: 'line', line: part } }
    }
  }
  if (tasks.length === 0) throw new Error(`${file.name} contains no task.`)
  yield {
    kind: 'end',
    version,
    isRedacted,
    withoutFiles,
    tasks: tasks.map(readTask),
    links: { linked: tasks.length - 1, unlinked: 0, orphaned: 0, missing: 0 },
  }
}

function readTask({ task, hasTranscript, reports, counts, withheld }: OpenTask): ReadTask {
  const { id, parentId, callId, title, agent, prompt, branch, model } = task
  const report = reports.at(-1)
  return {
    id,
    key: parentId === null ? '' : id,
    parentId,
    callId,
    title,
    agent,
    prompt,
    branch,
    model,
    cwd: task.project.dir,
    usage: task.usage ?? noUsage,
    startedAtMs: Date.parse(task.startedAt ?? task.createdAt),
    endedAtMs: Date.parse(task.endedAt ?? task.createdAt),
    report: report?.markdown ?? null,
    isComplete: task.status === 'completed',
    edited: [],
    // Withheld records count as foreign: a stub or a redacted copy takes their place.
    counts: { ...counts, foreign: withheld },
    exported: { task, hasTranscript, reports, withheld },
  }
}
