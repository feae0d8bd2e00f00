/**
 * The units that a filter of a transcript selects: messages, tool calls with their results, and failures. Pure.
 */
import { traitsOf } from '../../agents/tool-traits.ts'
import { type ToolDetail, toolDetailSchema } from '../../agents/tools.ts'
import type { Entry } from '../../records/entries.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import type { ToolCallId } from '../../records/ids.ts'
import { isFailedCall } from '../tool-calls/failed-call.ts'

export const filterKinds = ['messages', 'tools', 'edits', 'errors', 'changes'] as const
type FilterKind = (typeof filterKinds)[number]

/** Selects units that match all conditions; null: any value. */
export interface TranscriptFilter {
  /** `edits`: calls of tools that edit; `changes`: calls of any tool after which files were different. */
  kind: FilterKind | null
  tool: string | null
  /** A path, or a part of one. */
  file: string | null
}

export interface FilterUnit {
  /** Its entries, in order. */
  seqs: number[]
  kinds: FilterKind[]
  tool: string | null
  /** The files that a call names or changed. */
  files: string[]
}

export const matchesFilter = (unit: FilterUnit, { kind, tool, file }: TranscriptFilter): boolean =>
  (kind === null || unit.kinds.includes(kind)) &&
  (tool === null || unit.tool === tool) &&
  (file === null || unit.files.some((path) => path.includes(file)))

interface FilterUnits {
  /** Takes the next entry and returns the units that end with it. */
  add(entry: Entry): FilterUnit[]
  /** Returns the calls without a result. */
  end(): FilterUnit[]
}

export function createFilterUnits(): FilterUnits {
  /** Calls without a result so far, with the files that they were recorded to change. */
  const open = new Map<ToolCallId, { call: ToolCallEntry; files: string[] }>()

  function end(): FilterUnit[] {
    const units = [...open.values()].map(({ call, files }) => unitOfCall(call, null, files))
    open.clear()
    return units
  }

  return {
    end,
    add(entry) {
      const { seq } = entry
      switch (entry.type) {
        case 'tool-call':
          open.set(entry.callId, { call: entry, files: [] })
          return []
        case 'file-history-snapshot':
          open.get(entry.callId)?.files.push(entry.path)
          return []
        case 'tool-result': {
          const known = open.get(entry.callId)
          open.delete(entry.callId)
          return [unitOfCall(known?.call ?? null, entry, known?.files ?? [])]
        }
        case 'message': {
          const hasText = entry.parts.some(
            (part) => part.type === 'text' && part.text.trim() !== '',
          )
          return hasText ? [unitOf(seq, 'messages')] : []
        }
        case 'summary':
          return [unitOf(seq, 'messages')]
        case 'run-end':
          return [...end(), ...(entry.cause ? [unitOf(seq, 'errors')] : [])]
        case 'retrying':
        case 'snapshot-failed':
          return [unitOf(seq, 'errors')]
        default:
          return []
      }
    },
  }
}

const unitOf = (seq: number, kind: FilterKind): FilterUnit => ({
  seqs: [seq],
  kinds: [kind],
  tool: null,
  files: [],
})

function unitOfCall(
  call: ToolCallEntry | null,
  result: ToolResultEntry | null,
  recorded: string[],
): FilterUnit {
  const name = call?.name ?? result?.name ?? ''
  const detail = toolDetailSchema.safeParse(result?.detail).data
  const trees = call?.tree !== undefined && result?.tree !== undefined
  const isChange =
    recorded.length > 0 ||
    (trees && call.tree !== result.tree) ||
    (detail?.kind === 'edit' && detail.change !== 'unchanged') ||
    (detail?.kind === 'apply' && detail.outcome.kind === 'applied')
  const isEdit = detail?.kind === 'edit' || traitsOf(name)?.changes === 'one-file'
  const kinds: FilterKind[] = ['tools']
  if (isEdit) kinds.push('edits')
  if (result && isFailedCall(result)) kinds.push('errors')
  if (isChange) kinds.push('changes')
  return {
    seqs: [call?.seq, result?.seq].filter((seq) => seq !== undefined),
    kinds,
    tool: name,
    files: [...new Set([...recorded, ...filesOf(call, detail)])],
  }
}

function filesOf(call: ToolCallEntry | null, detail: ToolDetail | undefined): string[] {
  const { input, locations = [] } = call ?? {}
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : []
  const named = fields.flatMap(([field, value]) =>
    pathFields.has(field) && typeof value === 'string' ? [value] : [],
  )
  const applied =
    detail?.kind === 'apply' && detail.outcome.kind === 'applied'
      ? detail.outcome.files.map(({ path }) => path)
      : []
  const ofDetail = detail && 'path' in detail ? [detail.path] : []
  return [...named, ...locations.map(({ path }) => path), ...ofDetail, ...applied]
}

/** The fields of inputs of Shiplog's and other tools that name a file. */
const pathFields = new Set(['path', 'file_path', 'filePath', 'notebook_path'])
