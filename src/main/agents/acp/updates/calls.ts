/** The state of a call that an agent executes itself, and the events for its changes. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { CallKind, CallLocation } from '../../../../shared/agents/agent-records.ts'
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import type { ToolDetail } from '../../../../shared/agents/tools.ts'
import type { ToolCallId } from '../../../../shared/records/ids.ts'
import { isRecord, type Json, jsonOf, text, textOfContent } from '../content.ts'
import type { ShownPath } from './shown-paths.ts'

interface FileDiff {
  /** Relative to the working directory if inside it. */
  path: string
  /** Null if the file is new. */
  oldText: string | null
  newText: string
}

export interface CallState {
  callId: ToolCallId
  name: string
  kind: CallKind
  title: string | null
  input: Json
  /** The path that the input names, as in `FileDiff`; null if none. */
  inputPath: string | null
  locations: CallLocation[]
  status: string
  /** The texts of its content, joined. */
  shown: string
  diffs: FileDiff[]
  rawOutput: unknown
  /** The id of a terminal that the agent runs itself. */
  terminal: string
  exitCode: number | null
  /** The text that the last update added to `terminal`. */
  newOutput: string
}

export const newCall = (callId: ToolCallId): CallState => ({
  callId,
  name: '',
  kind: 'other',
  title: null,
  input: null,
  inputPath: null,
  locations: [],
  status: 'pending',
  shown: '',
  diffs: [],
  rawOutput: undefined,
  terminal: '',
  exitCode: null,
  newOutput: '',
})

/** Returns the state after an update. Fields that are absent or can't be read keep their values. */
export function callStateOf(
  before: CallState,
  update: Record<string, unknown>,
  shown: ShownPath,
): CallState {
  const { title, kind, status, content, locations, rawInput, rawOutput } = update
  const meta = isRecord(update._meta) ? update._meta : {}
  const printed = isRecord(meta.terminal_output) ? (text(meta.terminal_output.data) ?? '') : ''
  const exit = isRecord(meta.terminal_exit) ? meta.terminal_exit.exit_code : undefined
  const nextTitle = text(title) ?? before.title
  const nextKind = kinds[String(kind)] ?? before.kind
  return {
    callId: before.callId,
    kind: nextKind,
    title: nextTitle,
    name: text(update.name) || before.name || nameOf(meta, nextTitle, nextKind),
    status: text(status) ?? before.status,
    input: rawInput === undefined || rawInput === null ? before.input : jsonOf(rawInput),
    inputPath: isRecord(rawInput) ? pathIn(rawInput, shown) : before.inputPath,
    locations: Array.isArray(locations) ? locationsOf(locations, shown) : before.locations,
    shown: Array.isArray(content) ? textOf(content) : before.shown,
    diffs: Array.isArray(content) ? diffsOf(content, shown, before.diffs) : before.diffs,
    rawOutput: rawOutput ?? before.rawOutput,
    terminal: (before.terminal + printed).slice(-terminalCharsMax),
    exitCode: typeof exit === 'number' ? exit : before.exitCode,
    newOutput: printed,
  }
}

/** The agent's own store has the rest of a longer output. */
const terminalCharsMax = 1_000_000

/** Returns the tool's own name if an adapter sends it in `_meta`, else its title if that looks like a name, else its kind. */
function nameOf(meta: Record<string, unknown>, title: string | null, kind: CallKind): string {
  const claude = isRecord(meta.claudeCode) ? text(meta.claudeCode.toolName) : null
  if (claude) return claude
  return kind === 'other' && title !== null && /^[\w.:-]{1,100}$/.test(title) ? title : kind
}

function pathIn(input: Record<string, unknown>, shown: ShownPath): string | null {
  const given = ['path', 'file_path', 'filePath', 'absolute_path'].map((field) =>
    text(input[field]),
  )
  const path = given.find((one) => one !== null) ?? null
  return path === null ? null : shown(path)
}

export const isEnd = (status: unknown): boolean => status === 'completed' || status === 'failed'

/** Returns the changes as at most one event. `before` is null for a new call, whose start has its other fields already. */
export function changesOfCall(before: CallState | null, now: CallState): AgentEvent[] {
  const isNew = (key: 'kind' | 'title' | 'input' | 'locations') =>
    before !== null && JSON.stringify(before[key]) !== JSON.stringify(now[key])
  const changes = {
    ...(isNew('kind') && { kind: now.kind }),
    ...(isNew('title') && now.title !== null && { title: now.title }),
    ...(isNew('input') && { input: now.input }),
    ...(isNew('locations') && { locations: now.locations }),
    ...(now.newOutput !== '' && { output: now.newOutput }),
  }
  return Object.keys(changes).length === 0
    ? []
    : [{ type: 'call-updated', callId: now.callId, ...changes }]
}

export function endOfCall(state: CallState): AgentEvent {
  const detail = detailOf(state)
  return {
    type: 'call-ended',
    callId: state.callId,
    outcome: state.status === 'failed' ? 'error' : 'ok',
    output: outputOf(state),
    ...(detail && { detail }),
  }
}

/** Returns the output as it is recorded. */
export function outputOf({ terminal, exitCode, shown, rawOutput, diffs }: CallState): string {
  const code = exitCode === null || exitCode === 0 ? '' : `[exit code ${exitCode}]`
  const output = terminal || shown || textOfRaw(rawOutput)
  const changed = output === '' ? diffs.map(({ path }) => `Changed ${path}.`) : []
  return [output.replace(/\n$/, ''), ...changed, code].filter(Boolean).join('\n')
}

/** The fields in which agents send the text of a result that is an object. */
const outputKeys = ['formatted_output', 'aggregated_output', 'output', 'stdout', 'text', 'result']

function textOfRaw(raw: unknown): string {
  if (typeof raw === 'string') return raw
  if (raw === undefined || raw === null) return ''
  if (isRecord(raw)) {
    const key = outputKeys.find((one) => typeof raw[one] === 'string' && raw[one] !== '')
    if (key !== undefined) return String(raw[key])
  }
  if (Array.isArray(raw)) {
    const texts = raw.map(textOfContent)
    if (texts.every((one) => one !== null)) return texts.join('\n')
  }
  return JSON.stringify(raw)
}

function textOf(content: unknown[]): string {
  const texts = content.flatMap((item) => {
    if (!isRecord(item) || item.type !== 'content') return []
    const shown = textOfContent(item.content)
    return shown === null ? [] : [shown]
  })
  // Some agents send a whole result in a fence of Markdown.
  return texts.join('\n').replace(/^```[\w-]*\n([\s\S]*?)\n?```\s*$/, '$1')
}

/** Keeps the earlier diffs if an update has none: agents replace an edit's diff by the text of its result. */
function diffsOf(content: unknown[], shown: ShownPath, before: FileDiff[]): FileDiff[] {
  const found = content.flatMap((item): FileDiff[] => {
    if (!isRecord(item) || item.type !== 'diff') return []
    const path = text(item.path)
    const newText = text(item.newText)
    if (path === null || newText === null) return []
    return [{ path: shown(path), oldText: text(item.oldText), newText }]
  })
  return found.length > 0 ? found : before
}

function locationsOf(given: unknown[], shown: ShownPath): CallLocation[] {
  return given.flatMap((one) => {
    const path = isRecord(one) ? text(one.path) : null
    if (!isRecord(one) || path === null) return []
    const line = typeof one.line === 'number' && one.line >= 1 ? Math.floor(one.line) : null
    return [{ path: shown(path), ...(line !== null && { line }) }]
  })
}

/** Longer patches are not shown. */
const patchCharsMax = 256 * 1024
/** A pathological diff must not hold up the agents. */
const diffTimeMsMax = 500

function detailOf({ diffs }: CallState): ToolDetail | null {
  const [diff] = diffs
  if (!diff || diffs.length > 1) return null
  const { path, oldText, newText } = diff
  const patch = createTwoFilesPatch(
    oldText === null ? '/dev/null' : `a/${path}`,
    `b/${path}`,
    oldText ?? '',
    newText,
    undefined,
    undefined,
    { context: 3, timeout: diffTimeMsMax, headerOptions: FILE_HEADERS_ONLY },
  )
  if (patch === undefined) return null
  const lines = patch.split('\n').slice(2)
  const additions = lines.filter((line) => line.startsWith('+')).length
  const deletions = lines.filter((line) => line.startsWith('-')).length
  return {
    kind: 'edit',
    path,
    additions,
    deletions,
    change: oldText === null ? 'created' : additions + deletions > 0 ? 'changed' : 'unchanged',
    patch: patch.length <= patchCharsMax ? patch : null,
  }
}

const kinds: Record<string, CallKind> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'execute',
  think: 'think',
  fetch: 'fetch',
  switch_mode: 'switch-mode',
  other: 'other',
}
