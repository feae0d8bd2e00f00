/**
 * Records of older versions, taken to the newest one step after the other. It happens each time they are
 * read and never in the file. How to add a version: src/main/journal/FORMAT.md, "Versions".
 */

export interface Upgrade {
  /** The version that it takes; what it gives is of the next one. */
  from: number
  /** What is different since, in a sentence. */
  change: string
  /** `record` must stay as it is. Its `v` is seen to. Throws when the record is not of that version's shape. */
  apply(record: Readonly<Record<string, unknown>>): Record<string, unknown>
}

type Upgraded =
  | { kind: 'ready'; record: Record<string, unknown> }
  | { kind: 'newer'; version: number }
  | { kind: 'failed'; reason: string }

/**
 * The record in the shape of version `newest`. One without a version is given back as it is: its schema
 * refuses it. Never throws.
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
      const why = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', reason: `can't be read as version ${version + 1}: ${why}` }
    }
  }
  return { kind: 'ready', record: upgraded }
}
