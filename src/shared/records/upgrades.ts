/**
 * Upgrades records of older versions step by step, on every read; the file is never changed. How to add a version:
 * src/main/journal/FORMAT.md, "Versions".
 */
import { messageOf } from '../error-message.ts'

export interface Upgrade {
  /** The version of its input. Its output has the next one. */
  from: number
  /** What is different since, in a sentence. */
  change: string
  /** Must not change `record`; the caller sets `v`. Throws if the record does not have that version's shape. */
  apply(record: Readonly<Record<string, unknown>>): Record<string, unknown>
}

type Upgraded =
  | { kind: 'ready'; record: Record<string, unknown> }
  | { kind: 'newer'; version: number }
  | { kind: 'failed'; reason: string }

/**
 * Returns the record in the shape of version `newest`. Returns a record without a version unchanged, because its schema
 * rejects it. Never throws.
 */
export function upgradeRecord(
  record: Record<string, unknown>,
  upgrades: readonly Upgrade[],
  newest: number,
): Upgraded {
  const { v } = record
  if (typeof v !== 'number' || !Number.isInteger(v) || v < 1) return { kind: 'ready', record }
  if (v > newest) return { kind: 'newer', version: v }
  let upgraded = record
  for (let version = v; version < newest; version++) {
    const upgrade = upgrades.find(({ from }) => from === version)
    if (!upgrade) return { kind: 'failed', reason: `nothing reads version ${version} any more` }
    try {
      upgraded = { ...upgrade.apply(upgraded), v: version + 1 }
    } catch (error) {
      const why = messageOf(error)
      return { kind: 'failed', reason: `can't be read as version ${version + 1}: ${why}` }
    }
  }
  return { kind: 'ready', record: upgraded }
}
