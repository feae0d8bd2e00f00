/** Reads an ATIF document with its sub-agents, both embedded and in referenced files. */
import { basename } from 'node:path'
import type { AwaitedTask } from '../../../../shared/agents/tools.ts'
import type { TaskId, ToolCallId } from '../../../../shared/records/ids.ts'
import {
  type BuiltImage,
  createTranscriptBuilder,
  type TranscriptBuilder,
} from '../../transcript/transcript-builder.ts'
import {
  type FoundSession,
  type LineCounts,
  noLines,
  type ReadEvent,
  type ReadTask,
  type SourceFile,
} from '../adapter.ts'
import { parentsFirst } from '../task-order.ts'
import { asRecord, text, timeOf, titleOf } from '../values.ts'
import { type DocumentPiece, readAtif } from './document.ts'
import { readImageBeside } from './images.ts'
import { createStepMapper, imagesIn, type StepMapper, totalUsageOf } from './steps.ts'

/** Entries per event. */
const batchEntries = 64

/** Fields of a trajectory that are mapped; others are preserved verbatim. */
const knownFields = new Set(['schema_version', 'session_id', 'trajectory_id', 'final_metrics'])

interface Trajectory {
  file: SourceFile
  /** Unique in the session; '' is the document's own trajectory. */
  key: string
  fields: Record<string, unknown>
  /** The trajectory that contains it; null: top level of a document. */
  parent: Trajectory | null
  builder: TranscriptBuilder
  mapper: StepMapper
  counts: LineCounts
}

interface Link {
  parent: Trajectory
  callId: ToolCallId | null
}

export async function* readAtifSession(
  session: FoundSession,
  { idOf, signal }: { idOf(key: string): TaskId; signal: AbortSignal },
): AsyncGenerator<ReadEvent> {
  const all: Trajectory[] = []
  const links = new Map<Trajectory, Link>()
  const missing = new Set<string>()
  /** Images of the current step, by path. */
  const images = new Map<string, BuiltImage>()
  for (const file of session.files) all.push(...(await survey(file)))

  /** First pass over a file: collects its trajectories in document order. */
  async function survey(file: SourceFile): Promise<Trajectory[]> {
    const ends: Extract<DocumentPiece, { kind: 'fields' }>[] = []
    for await (const piece of readAtif(file.path, signal))
      if (piece.kind === 'fields') ends[piece.trajectory] = piece
    const found: Trajectory[] = []
    for (const { fields, parent, trajectory } of ends) {
      const named = text(fields.trajectory_id) ?? text(fields.session_id)
      const key = file === session.files[0] && trajectory === 0 ? '' : (named ?? '')
      const isTaken = [...all, ...found].some((one) => one.key === key)
      const unique = isTaken ? `${file.name} ${trajectory}` : key
      found.push(open(file, unique, fields, parent === null ? null : (found[parent] ?? null)))
    }
    return found
  }

  function open(
    file: SourceFile,
    key: string,
    fields: Record<string, unknown>,
    parent: Trajectory | null,
  ): Trajectory {
    const { model_name, name } = asRecord(fields.agent)
    const builder = createTranscriptBuilder({
      taskId: idOf(key),
      source: 'ATIF',
      agent: text(name) ?? 'agent',
      startMs: timeOf(asRecord(fields.extra).startedAt) ?? file.mtimeMs,
    })
    const made: Trajectory = {
      file,
      key,
      fields,
      parent,
      builder,
      counts: noLines(),
      mapper: createStepMapper({
        builder,
        model: text(model_name),
        image: (path) => images.get(path) ?? null,
        onSubAgent: (ref, callId, report) => {
          const agent = agentOf(made, ref)
          if (!agent) {
            missing.add(ref.trajectoryId ?? ref.path ?? '')
            return null
          }
          if (!links.has(agent)) links.set(agent, { parent: made, callId })
          return awaitedTask(agent, report)
        },
      }),
    }
    return made
  }

  /** Resolves a reference to an embedded trajectory by id, else to a file by name. */
  function agentOf(
    from: Trajectory,
    { trajectoryId, path }: { trajectoryId: string | null; path: string | null },
  ): Trajectory | undefined {
    const others = all.filter((one) => one !== from && one.key !== '')
    const isNamed = (one: Trajectory): boolean =>
      trajectoryId !== null &&
      [text(one.fields.trajectory_id), text(one.fields.session_id)].includes(trajectoryId)
    return (
      others.find((one) => one.parent === from && isNamed(one)) ??
      others.find(
        (one) => path !== null && one.parent === null && one.file.name === basename(path),
      ) ??
      others.find(isNamed)
    )
  }

  const awaitedTask = (agent: Trajectory, report: string | null): AwaitedTask => ({
    taskId: idOf(agent.key),
    title: titleFor(agent),
    agent: nameOf(agent),
    status: 'completed',
    cause: null,
    report: report === null ? null : { run: 1, title: titleFor(agent), markdown: report },
  })

  async function* readDocument(file: SourceFile): AsyncGenerator<ReadEvent> {
    const own = all.filter((one) => one.file === file)
    let waiting = 0
    let bytes = 0
    let read = 0
    for await (const piece of readAtif(file.path, signal)) {
      const one = own[piece.trajectory] ?? own[0]
      if (!one) continue
      one.counts.lines++
      bytes += piece.bytes
      if (piece.kind === 'damage') {
        one.counts.damaged++
        const { line, bytes: length, reason, text: torn } = piece
        one.builder.preserve(line, { damaged: reason, text: torn })
        yield { kind: 'damage', damage: { file: file.name, line, bytes: length, reason } }
      } else if (piece.kind === 'fields') keepFields(one, piece)
      else {
        images.clear()
        for (const path of imagesIn(piece.step)) {
          const image = await readImageBeside(file.path, path)
          if (image) images.set(path, image)
        }
        if (one.mapper.map(piece.line, piece.step)) one.counts.mapped++
        else {
          one.counts.foreign++
          one.builder.preserve(piece.line, piece.step)
        }
      }
      if (++waiting < batchEntries) continue
      waiting = 0
      for (const each of own) yield* take(each)
      yield { kind: 'bytes', bytes }
      read += bytes
      bytes = 0
    }
    yield { kind: 'bytes', bytes: Math.max(0, file.bytes - read) }
  }

  function* take({ key, builder }: Trajectory): Generator<ReadEvent> {
    const { entries, images } = builder.take()
    if (entries.length > 0) yield { kind: 'entries', task: idOf(key), entries, images }
  }

  for (const file of session.files) yield* readDocument(file)
  const tasks: ReadTask[] = []
  for (const one of all) {
    tasks.push(ended(one))
    yield* take(one)
  }
  const agents = all.length - 1
  const linked = [...links.values()].filter(({ callId }) => callId !== null).length
  yield {
    kind: 'end',
    version: text(asRecord(all[0]?.fields.agent).version) ?? '',
    tasks: parentsFirst(tasks, idOf('')),
    links: { linked, unlinked: agents - linked, orphaned: 0, missing: missing.size },
  }

  /** The totals of its sub-agents' trajectories. */
  function belowOf(one: Trajectory): unknown[] {
    return all
      .filter((other) => other !== one && (other.parent ?? links.get(other)?.parent) === one)
      .map(({ fields }) => fields.final_metrics)
  }

  function ended(one: Trajectory): ReadTask {
    const { key, fields, builder, mapper, counts } = one
    const link = links.get(one)
    const parent = one === all[0] ? null : (one.parent ?? link?.parent ?? all[0] ?? null)
    const { status, startedAt, endedAt, report } = asRecord(fields.extra)
    const { openCalls } = builder.facts()
    const { prompt, lastText, hasMetrics, startedAtMs } = mapper.facts
    const isComplete =
      typeof status === 'string' ? status === 'completed' : lastText !== null && openCalls === 0
    builder.end(isComplete)
    // Called after the builder's end, so that the last turn is included.
    const { usage, model, atMs, edited } = builder.facts()
    const startMs = timeOf(startedAt) ?? startedAtMs
    return {
      id: idOf(key),
      key,
      parentId: parent && idOf(parent.key),
      callId: link?.callId ?? null,
      title: titleFor(one, prompt),
      agent: nameOf(one),
      prompt: prompt ?? '',
      cwd: text(asRecord(fields.extra).cwd) ?? '',
      branch: null,
      startedAtMs: startMs,
      endedAtMs: timeOf(endedAt) ?? (startMs === null ? null : atMs),
      model: model ?? text(asRecord(fields.agent).model_name),
      usage: hasMetrics ? usage : (totalUsageOf(fields.final_metrics, belowOf(one)) ?? usage),
      report: parent === null ? null : (text(report) ?? lastText),
      isComplete,
      counts,
      edited,
    }
  }
}

/** Preserves the remaining fields of a trajectory as one record. */
function keepFields(
  one: Trajectory,
  { line, fields }: Extract<DocumentPiece, { kind: 'fields' }>,
): void {
  one.counts.mapped++
  const others = Object.entries(fields).filter(([key]) => !knownFields.has(key))
  if (others.length > 0)
    one.builder.preserve(line, { trajectory: Object.fromEntries(others) }, { isQuiet: true })
}

const nameOf = ({ fields }: Trajectory): string =>
  (text(asRecord(fields.agent).name) || 'agent').slice(0, 200)

const titleFor = ({ fields }: Trajectory, prompt: string | null = null): string =>
  titleOf(text(asRecord(fields.extra).title) ?? prompt ?? '') ||
  titleOf(text(asRecord(fields.agent).name) ?? '') ||
  'Without a prompt'
