/** Reads a folder with an adapter, without a data directory, and checks what holds of every reading. */
import { expect } from 'vitest'
import type {
  DamagedLine,
  FoundSession,
  ImportAdapter,
  ReadEntry,
  ReadTask,
} from '../../src/main/imports/adapters/adapter.ts'
import { idsOf } from '../../src/main/imports/session-ids.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { parseEntry } from '../../src/shared/records/parse-entry.ts'

export interface ReadSession {
  found: FoundSession
  tasks: ReadTask[]
  links: { linked: number; unlinked: number; orphaned: number; missing: number }
  damage: DamagedLine[]
  entriesOf(key: string): Entry[]
}

const { signal } = new AbortController()

export async function readSessions(adapter: ImportAdapter, path: string): Promise<ReadSession[]> {
  const read: ReadSession[] = []
  for await (const found of adapter.discover(path, signal)) read.push(await readOne(adapter, found))
  return read
}

async function readOne(adapter: ImportAdapter, found: FoundSession): Promise<ReadSession> {
  const entries = new Map<TaskId, ReadEntry[]>()
  const damage: DamagedLine[] = []
  const idOf = idsOf(found.tool, found.key, 0)
  let end: { tasks: ReadTask[]; links: ReadSession['links'] } | null = null
  for await (const event of adapter.read(found, { idOf, signal })) {
    if (event.kind === 'entries')
      entries.set(event.task, [...(entries.get(event.task) ?? []), ...event.entries])
    else if (event.kind === 'damage') damage.push(event.damage)
    else if (event.kind === 'end') end = event
  }
  const { tasks = [], links } = end ?? {}
  for (const { counts } of tasks)
    expect(counts.lines, 'I2').toBe(counts.mapped + counts.foreign + counts.damaged)
  const parsed = new Map([...entries].map(([id, list]) => [id, list.map(asEntry)]))
  for (const list of parsed.values()) expectSound(list)
  return {
    found,
    tasks,
    damage,
    links: links ?? { linked: 0, unlinked: 0, orphaned: 0, missing: 0 },
    entriesOf: (key) => parsed.get(idOf(key)) ?? [],
  }
}

export const typesOf = (entries: Entry[]) => entries.map(({ type }) => type)

/** Who said what, calls by the type of their part. */
export const messagesOf = (entries: Entry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'message'
      ? [
          `${entry.role}: ${entry.parts.map((part) => ('text' in part ? part.text : part.type)).join('|')}`,
        ]
      : [],
  )

const asEntry = (entry: ReadEntry, index: number): Entry =>
  parseEntry({ v: 1, seq: index + 1, ...JSON.parse(JSON.stringify(entry)) })

/** Entries are of known shapes, have ids of their own, follow entries before them, and no fork stays open. */
function expectSound(entries: Entry[]): void {
  const seen = new Set<string>()
  let forks = 0
  for (const entry of entries) {
    expect(entry.type, JSON.stringify(entry).slice(0, 500)).not.toBe('unknown')
    expect(seen.has(entry.uuid)).toBe(false)
    if (entry.seq > 1) expect(seen.has(entry.parentUuid ?? '')).toBe(true)
    seen.add(entry.uuid)
    forks += entry.type === 'fork-start' ? 1 : entry.type === 'fork-end' ? -1 : 0
    expect(forks).toBeGreaterThanOrEqual(0)
  }
  expect(forks).toBe(0)
}
