/**
 * The LedgerEvent union: every event of projects, workspaces, tasks and runs, in the past tense; see `ledger-events/`.
 * An event is durable before it is published (T2); `projections/ledger/fold-ledger.ts` folds them.
 */

import { z } from 'zod'
import { limitEventSchemas } from './ledger-events/limit-events.ts'
import { projectEventSchemas } from './ledger-events/project-events.ts'
import { runEventSchemas } from './ledger-events/run-events.ts'
import { taskEventSchemas } from './ledger-events/task-events.ts'
import { transcriptEventSchemas } from './ledger-events/transcript-events.ts'
import { workspaceEventSchemas } from './ledger-events/workspace-events.ts'
import { reviewEventSchemas } from './review-comments.ts'
import { type Upgrade, upgradeRecord } from './upgrades.ts'

export const ledgerVersion = 1

/** One upgrade from each version to the next; none yet. */
export const ledgerUpgrades: readonly Upgrade[] = []

const ledgerEventSchemas = [
  ...projectEventSchemas,
  ...taskEventSchemas,
  ...runEventSchemas,
  ...workspaceEventSchemas,
  ...limitEventSchemas,
  ...reviewEventSchemas,
  ...transcriptEventSchemas,
] as const

export const ledgerEventSchema = z.discriminatedUnion('type', ledgerEventSchemas)
export type LedgerEvent = z.infer<typeof ledgerEventSchema>
export type LedgerEventOf<Type extends LedgerEvent['type']> = Extract<LedgerEvent, { type: Type }>

/**
 * Parses one journal record as an event, upgrading one of an older version. Returns null for an unknown type or a newer
 * version: the record is kept on disk, but not folded (J5).
 */
export function parseLedgerEvent(record: Record<string, unknown>): LedgerEvent | null {
  const upgraded = upgradeRecord(record, ledgerUpgrades, ledgerVersion)
  if (upgraded.kind !== 'ready') return null
  const parsed = ledgerEventSchema.safeParse(upgraded.record)
  return parsed.success ? parsed.data : null
}

/** An event with the fields that the journal adds. */
export const ledgerRecordSchema = z.object({
  seq: z.number().int().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  event: ledgerEventSchema,
})
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>
