/** Reads records of `chat.jsonl` as entries. */

import type { z } from 'zod'
import { type Entry, entrySchema } from './entries.ts'
import type { UnknownEntry } from './entry-types/annotations.ts'
import { entryIdSchema } from './ids.ts'
import { type Upgrade, upgradeRecord } from './upgrades.ts'

export const entryVersion = 1

/** One upgrade from each version to the next; none yet. */
export const entryUpgrades: readonly Upgrade[] = []

/**
 * Reads one journal record as an entry, upgrading one of an older version. Never throws: for a record of an unknown type
 * or a newer version, it returns an `unknown` entry with the record unchanged (J5).
 */
export function parseEntry(record: Record<string, unknown>): Entry {
  const upgraded = upgradeRecord(record, entryUpgrades, entryVersion)
  if (upgraded.kind === 'newer')
    return unknownEntry(record, `written by a newer version (${upgraded.version})`)
  if (upgraded.kind === 'failed') return unknownEntry(record, upgraded.reason)
  const parsed = entrySchema.safeParse(upgraded.record)
  return parsed.success ? parsed.data : unknownEntry(record, problemOf(parsed.error))
}

function unknownEntry(record: Record<string, unknown>, reason: string): UnknownEntry {
  const { v, seq, at, uuid, parentUuid } = record
  const id = entryIdSchema.safeParse(uuid)
  const parent = entryIdSchema.safeParse(parentUuid)
  return {
    v: typeof v === 'number' ? v : entryVersion,
    seq: typeof seq === 'number' ? seq : 1,
    at: typeof at === 'number' ? at : 0,
    type: 'unknown',
    uuid: id.success ? id.data : unknownEntryId(seq),
    parentUuid: parent.success ? parent.data : null,
    originalType: String(record.type),
    reason,
    record: record as UnknownEntry['record'],
  }
}

/** Derives an id from the record's position, so that lists have a stable key. */
function unknownEntryId(seq: unknown): Entry['uuid'] {
  const digits = String(typeof seq === 'number' ? seq : 0)
    .padStart(12, '0')
    .slice(-12)
  return `00000000-0000-4000-8000-${digits}` as Entry['uuid']
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'not an entry'
  if (issue.path[0] === 'type') return 'of a type that this version does not know'
  return `${issue.path.join('.') || 'record'}: ${issue.message}`
}
