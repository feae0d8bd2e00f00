/**
 * Agent Trace 0.1.0: attributes the lines of changed files to agents. JSON Lines with one record per task, because each
 * task has its own working directory; sub-agents that changed no file have no record. Attribution comes from
 * `attribution-snapshot` entries and the contents in `file-history/`.
 */
import { createHash } from 'node:crypto'
import { toolDetailSchema } from '../../../shared/agents/tools.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type ExportRun, exportedChildren, redacted } from '../export-run.ts'
import { readEntries } from '../session-entries.ts'

type Attribution = Extract<Entry, { type: 'attribution-snapshot' }>['files'][string]

export async function* agentTrace(run: ExportRun): AsyncGenerator<string> {
  yield* records(run, run.source.task(run.rootId))
}

async function* records(run: ExportRun, task: Task): AsyncGenerator<string> {
  const isSummary = run.request.children === 'summary' && task.id !== run.rootId
  if (isSummary) return
  run.result.tasks++
  const found = await readAttributions(run, task)
  const files: object[] = []
  let unknown = found.unattributed
  for (const [path, { attribution, seq, model }] of found.files) {
    const content =
      attribution.sha256 == null ? null : await run.source.fileContent(task.id, attribution.sha256)
    if (content === null) unknown++
    else files.push({ path, conversations: [conversationOf(content, { attribution, seq, model })] })
  }
  if (files.length > 0 || unknown > 0 || task.id === run.rootId) {
    const record = {
      version: '0.1.0',
      id: task.id,
      timestamp: new Date(found.atMs ?? Date.parse(task.createdAt)).toISOString(),
      ...(found.head !== null && { vcs: { type: 'git', revision: found.head } }),
      tool: { name: 'shiplog', version: run.version },
      files,
      metadata: {
        'dev.shiplog': {
          title: redacted(run, task.title, task.id),
          agent: task.agent,
          parent: task.id === run.rootId ? null : task.parentId,
          tree: found.tree,
          filesNotKept: unknown,
        },
      },
    }
    yield `${JSON.stringify(record)}\n`
  }
  for (const child of exportedChildren(run, task.id)) yield* records(run, child)

  function conversationOf(
    content: string,
    { attribution, seq, model }: { attribution: Attribution; seq: number; model: string | null },
  ): object {
    const isWhole = redacted(run, content, task.id) === content
    const lines = content.split(/(?<=\n)/)
    return {
      url: `shiplog://task/${task.id}?seq=${seq}`,
      contributor: { type: 'ai', ...modelId(model) },
      ranges: rangesOf(lines, attribution).map(({ start, end, author }) => ({
        start_line: start,
        end_line: end,
        // A hash of a short line could reveal a password in it by brute force.
        ...(isWhole && { content_hash: hashOf(lines.slice(start - 1, end)) }),
        ...(author === 'mixed' && { contributor: { type: 'mixed', ...modelId(model) } }),
      })),
    }
  }
}

interface Attributions {
  /** By path, from the last entry that lists it. Deleted files are omitted. */
  files: Map<string, { attribution: Attribution; seq: number; model: string | null }>
  /** The number of edited files of a task without attribution, such as an imported one. */
  unattributed: number
  head: string | null
  tree: string | null
  atMs: number | null
}

async function readAttributions(run: ExportRun, task: Task): Promise<Attributions> {
  const found: Attributions = {
    files: new Map(),
    unattributed: 0,
    head: null,
    tree: null,
    atMs: null,
  }
  const edited = new Set<string>()
  let model = task.model
  for await (const read of readEntries(run, task, { wholeOutputs: false })) {
    if (read.kind !== 'entry') continue
    const { entry } = read
    if (entry.type === 'run-start') model = entry.model ?? model
    if (entry.type === 'workspace-snapshot') {
      found.head = entry.head
      found.tree = entry.tree
    }
    if (entry.type === 'tool-result') {
      const { data } = toolDetailSchema.safeParse(entry.detail)
      if (data?.kind === 'edit' && data.change !== 'unchanged') edited.add(data.path)
    }
    if (entry.type !== 'attribution-snapshot') continue
    found.atMs = entry.at
    for (const [path, attribution] of Object.entries(entry.files)) {
      found.files.delete(path)
      if (attribution.sha256 !== null && attribution.agentChars > 0)
        found.files.set(path, { attribution, seq: entry.seq, model })
    }
  }
  if (found.atMs === null) found.unattributed = edited.size
  return found
}

interface Range {
  /** From 1, both included. */
  start: number
  end: number
  author: 'ai' | 'mixed'
}

/** Ranges of lines that contain characters of the agent, alone (`ai`) or with others' (`mixed`). */
export function rangesOf(lines: readonly string[], attribution: Attribution): Range[] {
  const { agentChars, otherChars } = attribution
  const stretches = attribution.authors ?? (otherChars === 0 ? [agentChars] : null)
  const ranges: Range[] = []
  const add = (line: number, author: Range['author']) => {
    const last = ranges.at(-1)
    if (last?.author === author && last.end === line - 1) last.end = line
    else ranges.push({ start: line, end: line, author })
  }
  // With too many stretches none are recorded, so the whole file counts as mixed.
  if (!stretches)
    return lines.length === 0 ? [] : [{ start: 1, end: lines.length, author: 'mixed' }]
  let at = 0
  let left = stretches[0] ?? 0
  for (const [index, line] of lines.entries()) {
    let own = 0
    let others = 0
    for (let chars = line.length; chars > 0 && at < stretches.length; ) {
      const taken = Math.min(chars, left)
      if (at % 2 === 0) own += taken
      else others += taken
      chars -= taken
      left -= taken
      if (left > 0) continue
      at++
      left = stretches[at] ?? 0
    }
    if (own > 0) add(index + 1, others > 0 ? 'mixed' : 'ai')
  }
  return ranges
}

const hashOf = (lines: readonly string[]): string =>
  `sha256:${createHash('sha256').update(lines.join('')).digest('hex')}`

/** The model's name on models.dev: `provider/model`. The format allows 250 characters. */
const modelId = (model: string | null): { model_id?: string } =>
  model === null || model.length > 250 ? {} : { model_id: model }
