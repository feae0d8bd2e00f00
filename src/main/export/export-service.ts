/** Exports a task, alone or with its sub-agents, as a text stream in any format. Redacts unless asked otherwise. */
import { homedir, userInfo } from 'node:os'
import type {
  ExportFormat,
  ExportPreview,
  ExportRequest,
  ExportResult,
} from '../../shared/contract/exports.ts'
import { shortId, type TaskId } from '../../shared/records/ids.ts'
import type { Transcripts } from '../archive/transcripts.ts'
import type { ExportRun, ExportSource } from './export-run.ts'
import { agentTrace } from './formats/agent-trace.ts'
import { atif } from './formats/atif.ts'
import { claudeCode } from './formats/claude-code/claude-code.ts'
import { markdown } from './formats/markdown.ts'
import { otlp } from './formats/otlp/otlp.ts'
import { jsonDocument, jsonLines } from './formats/shiplog-text.ts'
import type { Person } from './redaction/personal-paths.ts'
import { createRedactor } from './redaction/redactor.ts'

type ExportEvent = { type: 'text'; text: string } | ({ type: 'end' } & ExportResult)

export interface ExportService {
  /** Generates the text to collect its result, and discards it. */
  preview(
    taskId: TaskId,
    request: Omit<ExportRequest, 'taskId'>,
    signal?: AbortSignal,
  ): Promise<ExportPreview>
  /**
   * Yields the text in pieces of about `pieceCharsMin`, then the result. Throws FailureError like the archive reader.
   */
  read(
    taskId: TaskId,
    request: Omit<ExportRequest, 'taskId'>,
    signal?: AbortSignal,
  ): AsyncGenerator<ExportEvent>
}

const formats: Record<ExportFormat, (run: ExportRun) => AsyncGenerator<string>> = {
  md: markdown,
  // Loaded on demand, because its Markdown parser is large.
  async *html(run) {
    yield* (await import('./formats/html/html.ts')).html(run)
  },
  jsonl: jsonLines,
  json: jsonDocument,
  atif,
  otlp,
  'agent-trace': agentTrace,
  'claude-code': claudeCode,
}

/** Size of one event: large enough to limit their number, small enough for one message. */
const pieceCharsMin = 128 << 10

export function createExportService({
  source,
  turns,
  maskKnown,
  version,
  clock,
  person = thisPerson(),
}: {
  source: ExportSource
  /** Maps turns to a range of entries; without turns, an unbounded one. Throws FailureError for an unknown turn. */
  turns: Transcripts['rangeOfTurns']
  /** Masks the secrets that Shiplog knows. */
  maskKnown: (text: string) => string
  version: string
  clock: () => number
  /** The user whose home directory and name are masked. */
  person?: Person
}): ExportService {
  async function start(
    rootId: TaskId,
    asked: Omit<ExportRequest, 'taskId'>,
    signal: AbortSignal | undefined,
  ): Promise<ExportRun> {
    const { fromTurn, throughTurn } = asked
    const request = { ...asked, ...(await turns(rootId, { fromTurn, throughTurn })) }
    const keep = new Set(request.keep)
    return {
      rootId,
      request,
      source,
      version,
      signal,
      redactor: request.redact ? createRedactor({ person, maskKnown, keep }) : null,
      result: { bytes: 0, tasks: 0, entries: 0, masked: 0, withheld: 0, images: 0, damaged: 0 },
      now: new Date(clock()),
    }
  }

  return {
    async preview(taskId, request, signal) {
      const run = await start(taskId, request, signal)
      for await (const text of formats[request.format](run))
        run.result.bytes += Buffer.byteLength(text)
      const { hits, moreHits, masked } = run.redactor?.result() ?? noHits
      const fileName = fileNameOf(source.task(taskId).title, taskId, request)
      return { ...run.result, masked, hits, moreHits, fileName }
    },
    async *read(taskId, request, signal) {
      const run = await start(taskId, request, signal)
      let piece = ''
      for await (const text of formats[request.format](run)) {
        run.result.bytes += Buffer.byteLength(text)
        piece += text
        if (piece.length < pieceCharsMin) continue
        yield { type: 'text', text: piece }
        piece = ''
      }
      if (piece !== '') yield { type: 'text', text: piece }
      const { masked } = run.redactor?.result() ?? noHits
      yield { type: 'end', ...run.result, masked }
    },
  }
}

const noHits = { hits: [], moreHits: 0, masked: 0 }

const extensions: Record<ExportFormat, string> = {
  md: 'md',
  html: 'html',
  jsonl: 'jsonl',
  json: 'json',
  atif: 'atif.json',
  otlp: 'otlp.json',
  'agent-trace': 'agent-trace.jsonl',
  'claude-code': 'claude-code.jsonl',
}

/** `fix-the-parser-3f2a1b9c.md`. Keeps only the plain words of the title, which may contain secrets. */
function fileNameOf(
  title: string,
  taskId: TaskId,
  { format }: Pick<ExportRequest, 'format'>,
): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z]{2,12}/g)
  const name = [...(words ?? []).slice(0, 6), shortId(taskId)].join('-')
  return `${name}.${extensions[format]}`
}

function thisPerson(): Person {
  try {
    return { home: homedir(), user: userInfo().username }
  } catch {
    // In some containers the user has no entry in the system's user database.
    return { home: homedir(), user: null }
  }
}
