/** Parses `agent-history.json`, and upgrades older versions. See FORMAT.md. */

export const historyFile = 'agent-history.json'
export const pointerFile = 'current-agent-id.txt'

const historyVersion = '1.2'
const maxEntriesDefault = 50
/** A longer file is of no use to a user or a tool. */
const maxEntriesMax = 10_000

export type HistoryStatus =
  | 'queued'
  | 'spawned'
  | 'completed'
  | 'interrupted'
  | 'resumed'
  | 'failed'

/** Shiplog's entry for one agent, or for a part of its life that an interruption ended. */
export interface HistoryEntry {
  agent_id: string
  task_description: string
  phase: string
  plan: string
  segment: number | null
  /** ISO 8601: when it was spawned or resumed; when it never ran, when it was requested. */
  timestamp: string
  status: HistoryStatus
  completion_timestamp: string | null
  execution_mode: 'sequential' | 'parallel'
  parallel_group: string | null
  granularity: 'plan' | 'task_group'
  depends_on: string[] | null
  files_modified: string[] | null
  checkpoints_skipped: number | null
  task_results: Record<string, unknown> | null
  spawn_commit: string | null
}

export type JsonObject = Record<string, unknown>

/** The content of the file: fields and entries of other tools may have any shape. */
export interface HistoryDocument extends JsonObject {
  version: string
  max_entries: number
  entries: unknown[]
}

export type ParsedHistory =
  /** `written`: as in the file, in any version. */
  | { kind: 'ok'; document: HistoryDocument; written: unknown }
  /** A later version than this Shiplog knows. */
  | { kind: 'newer'; version: string }
  | { kind: 'damaged'; reason: string }

export const emptyHistory = (): HistoryDocument => ({
  version: historyVersion,
  max_entries: maxEntriesDefault,
  entries: [],
})

/** Parses any version up to the present one and upgrades it. */
export function parseHistory(text: string): ParsedHistory {
  let value: unknown
  try {
    // Some editors put a byte order mark in front, which JSON does not allow.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { kind: 'damaged', reason: 'it is not JSON' }
  }
  if (!isObject(value)) return { kind: 'damaged', reason: 'it is not a JSON object' }
  const version = versionOf(value.version)
  if (version === null) return { kind: 'damaged', reason: 'it has no readable version' }
  const order = compareVersions(version, historyVersion)
  if (order > 0) return { kind: 'newer', version }
  if (!Array.isArray(value.entries)) return { kind: 'damaged', reason: 'it has no list of entries' }
  const from = upgrades.findIndex((upgrade) => upgrade.from === version)
  if (from === -1 && order !== 0)
    return { kind: 'damaged', reason: `version ${version} is unknown` }
  const entries = (from === -1 ? [] : upgrades.slice(from)).reduce<unknown[]>(
    (upgraded, { upgrade }) => upgraded.map((entry) => (isObject(entry) ? upgrade(entry) : entry)),
    value.entries,
  )
  const max_entries = sensibleMax(value.max_entries)
  const document = { ...value, version: historyVersion, max_entries, entries }
  return { kind: 'ok', document, written: value }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the agent id of an entry of any tool; null if it has none. */
export function agentIdOf(entry: unknown): string | null {
  return isObject(entry) && typeof entry.agent_id === 'string' ? entry.agent_id : null
}

/** One step per version, applied in order: a file of version N passes through all from N on. */
const upgrades: { from: string; upgrade: (entry: JsonObject) => JsonObject }[] = [
  {
    // 1.1 supports agents that ran concurrently; before, they ran one after the other.
    from: '1.0',
    upgrade: (entry) => ({
      execution_mode: 'sequential',
      parallel_group: null,
      granularity: null,
      depends_on: null,
      ...entry,
    }),
  },
  {
    // 1.2 adds the results.
    from: '1.1',
    upgrade: (entry) => ({
      files_modified: null,
      checkpoints_skipped: null,
      task_results: null,
      ...entry,
    }),
  },
]

/** `"1.2"`; a tool that writes it as a number means the same. */
function versionOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value)
  if (!/^\d{1,9}(\.\d{1,9})*$/.test(text)) return null
  return text.includes('.') ? text : `${text}.0`
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function sensibleMax(value: unknown): number {
  const sensible = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxEntriesMax
  return sensible ? Number(value) : maxEntriesDefault
}
