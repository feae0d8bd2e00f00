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

/** From each version there has been to the next: none yet. */
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
 * Reads one journal record as an event; one of an older version as if it had been written by this one. Null
 * for an unknown type or a newer version: it is kept on disk, and not folded (J5).
 */
export function parseLedgerEvent(record: Record<string, unknown>): LedgerEvent | null {
  const upgraded = upgradeRecord(record, ledgerUpgrades, ledgerVersion)
  if (upgraded.kind !== 'ready') return null
  const parsed = ledgerEventSchema.safeParse(upgraded.record)
  return parsed.success ? parsed.data : null
}

/** An event with what the journal stamped on it. */
export const ledgerRecordSchema = z.object({
  seq: z.number().int().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  event: ledgerEventSchema,
})
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>
