/** Derives the search documents of an entry: its texts, and the paths that it refers to. Pure. */
import { toolDetailSchema } from '../../shared/agents/tools.ts'
import type { SearchKind } from '../../shared/contract/search.ts'
import { isFailedCall } from '../../shared/projections/tool-calls/failed-call.ts'
import { formatCause } from '../../shared/records/causes.ts'
import type { Entry } from '../../shared/records/entries.ts'
import { terminalText } from '../../shared/text/terminal-text.ts'

/** One row of the index. An entry has one row for each kind of text; a long text is split into several. */
export interface SearchDocument {
  kind: SearchKind
  /** Position among the documents of this kind in the entry. */
  part: number
  text: string
  /** As recorded, one path per line. */
  paths: string
  tool: string | null
  model: string | null
  isError: boolean
}

/** Longer texts are split, so that a hit locates its match. All words of a query must match within one part. */
const partCharsMax = 32 * 1024

interface Source {
  kind: SearchKind
  text?: string
  paths?: string[]
  tool?: string
  model?: string | null | undefined
  isError?: boolean
}

/** `wholeOutput`: the complete output of a command whose entry has a shortened one; null: not loaded. */
export function documentsOf(entry: Entry, wholeOutput: string | null = null): SearchDocument[] {
  return sourcesOf(entry, wholeOutput).flatMap((source) => {
    const { kind, text = '', paths = [], tool = null, model = null, isError = false } = source
    if (text.trim() === '' && paths.length === 0) return []
    return partsOf(text).map((one, part) => ({
      kind,
      part,
      text: one,
      paths: part === 0 ? paths.join('\n') : '',
      tool,
      model,
      isError,
    }))
  })
}

/** A text of an entry as it is displayed, not split. */
export interface ShownText {
  kind: SearchKind
  text: string
  tool: string | null
}

/** The texts that a reader of the transcript can see of `entry`. `wholeOutput` as in `documentsOf`. */
export function shownTextsOf(entry: Entry, wholeOutput: string | null = null): ShownText[] {
  if (entry.type === 'worktree-state') {
    const { worktreePath = '', worktreeBranch = '' } = entry.worktreeSession ?? {}
    return [{ kind: 'event', text: `${worktreePath} ${worktreeBranch}`, tool: null }]
  }
  return sourcesOf(entry, wholeOutput).flatMap(({ kind, text = '', paths = [], tool = null }) => {
    // Snapshots of files have no row; the path of a result is in its call.
    if (kind === 'files') return []
    const unsaid = kind === 'call' ? paths.filter((path) => !text.includes(path)) : []
    const shown = [text, ...unsaid].join('\n')
    return [{ kind, text: kind === 'output' ? terminalText(shown) : shown, tool }]
  })
}

function sourcesOf(entry: Entry, wholeOutput: string | null): Source[] {
  switch (entry.type) {
    case 'message': {
      const said = (type: 'text' | 'reasoning') =>
        entry.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n\n')
      const { model } = entry
      return [
        { kind: entry.role === 'user' ? 'prompt' : 'message', text: said('text'), model },
        { kind: 'reasoning', text: said('reasoning'), model },
      ]
    }
    case 'tool-call': {
      const { name: tool, title = '', locations = [] } = entry
      const { texts, paths } = inputOf(entry.input)
      const kind = tool === 'agent_report' ? 'report' : tool === 'update_plan' ? 'plan' : 'call'
      const text = [title, ...texts].filter((one) => one !== '').join('\n')
      return [{ kind, text, paths: [...paths, ...locations.map(({ path }) => path)], tool }]
    }
    case 'tool-result': {
      const { name: tool, outcome, output } = entry
      // The result only repeats the call.
      if (tool === 'agent_report' && outcome === 'ok') return []
      const detail = toolDetailSchema.safeParse(entry.detail).data
      const paths = detail && 'path' in detail ? [detail.path] : []
      const isError = isFailedCall(entry)
      return [{ kind: 'output', text: wholeOutput ?? output, paths, tool, isError }]
    }
    case 'file-history-snapshot':
      return [{ kind: 'files', paths: [entry.path] }]
    case 'workspace-snapshot':
      return [{ kind: 'files', paths: entry.changed }]
    case 'summary':
      return [{ kind: 'summary', text: entry.text }]
    case 'compaction':
      return [{ kind: 'summary', text: entry.summary }]
    case 'plan':
      return [{ kind: 'plan', text: entry.items.map(({ text }) => text).join('\n') }]
    case 'permission':
      // Its answer repeats the question.
      return entry.answer === null ? [{ kind: 'event', text: entry.question }] : []
    case 'pr-link':
      return [{ kind: 'event', text: entry.url }]
    case 'set-up':
      return [{ kind: 'event', text: entry.command }]
    case 'resume':
      return [{ kind: 'event', text: entry.drift.join('\n') }]
    case 'run-end':
      return entry.cause ? [{ kind: 'event', text: formatCause(entry.cause), isError: true }] : []
    case 'retrying':
      return [{ kind: 'event', text: formatCause(entry.cause), isError: true }]
    case 'snapshot-failed':
      return [{ kind: 'event', text: entry.reason, isError: true }]
    case 'foreign':
      return [{ kind: 'foreign', text: textsIn(entry.content).join('\n') }]
    case 'unknown':
      return [{ kind: 'foreign', text: textsIn(entry.record).join('\n') }]
    case 'agent-session':
    case 'attribution-snapshot':
    case 'fork-end':
    case 'fork-start':
    case 'run-start':
    // The task's title is a document of its own.
    case 'title':
    case 'worktree-state':
      return []
  }
}

/** Fields of inputs, ours and other tools', that name a file. */
const pathFields = new Set(['path', 'file_path', 'filePath', 'notebook_path', 'directory', 'cwd'])

function inputOf(input: unknown): { texts: string[]; paths: string[] } {
  const texts = textsIn(input)
  if (typeof input !== 'object' || input === null) return { texts, paths: [] }
  const paths = Object.entries(input).flatMap(([field, value]) =>
    pathFields.has(field) && typeof value === 'string' ? [value] : [],
  )
  return { texts, paths }
}

/** All strings in a JSON value, in order, at any depth. Field names are excluded. */
function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string' && next !== '') texts.push(next)
    else if (typeof next === 'object' && next !== null) left.push(...Object.values(next).reverse())
  }
  return texts
}

/** Splits at line ends where possible. */
function partsOf(text: string): string[] {
  if (text.length <= partCharsMax) return [text]
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + partCharsMax, text.length)
    const newline = end < text.length ? text.lastIndexOf('\n', end) : -1
    const to = newline > from ? newline + 1 : withoutHalfCharacter(text, end)
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}

function withoutHalfCharacter(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return end < text.length && unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}
