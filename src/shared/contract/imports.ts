/** Finds and imports what other tools recorded. */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { importToolSchema, sessionToolSchema } from '../records/exported-tasks.ts'
import { idTextSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

const count = z.number().int().min(0)
const path = z.string().max(4_096)
/** Of a request; a person chooses among them by hand. */
const projectsMax = 10_000

const lineCountFields = {
  /** Records of its files: the sum of the next three (I2). */
  lines: count,
  /** Became entries of their own meaning. */
  mapped: count,
  /** Kept verbatim, because Shiplog does not know their meaning. */
  foreign: count,
  /** Could not be read. */
  damaged: count,
}
const linkCountFields = {
  /** Sub-agents whose call is known. */
  linked: count,
  /** Sub-agents that no call refers to. */
  unlinked: count,
  /** Sub-agents whose session is gone. */
  orphaned: count,
}

export const importedSessionSchema = z.object({
  source: importToolSchema,
  taskId: taskIdSchema,
  title: z.string(),
  ...lineCountFields,
  ...linkCountFields,
  /** Of an export of Shiplog: what was masked or left out, of which a copy may be here. */
  withheld: count,
  /** False: it was here already, or only grew. */
  isNew: z.boolean(),
  /** It was here, and has more now. */
  isUpdated: z.boolean(),
})
export type ImportedSession = z.infer<typeof importedSessionSchema>

/** Sessions that were left out, and why. */
const skippedSessionSchema = z.object({
  source: importToolSchema,
  /** As the tool names it. */
  session: z.string(),
  reason: z.string(),
})
export type SkippedSession = z.infer<typeof skippedSessionSchema>

const foundProjectSchema = z.object({
  /** The folder as the sessions have it; null: they don't say. */
  dir: z.string().nullable(),
  sessions: count,
  bytes: count,
  /** ISO 8601. */
  lastAt: z.iso.datetime(),
})

const importSourceFoundSchema = z.object({
  tool: importToolSchema,
  path: z.string(),
  sessions: count,
  /** Files of sub-agents. */
  subAgents: count,
  bytes: count,
  projects: count,
  /** Which the tool deletes within `expiringDays`. */
  expiringSoon: count,
  /** Which the tool's own lists leave out. */
  hidden: count,
  /** Here already, as large as they are there. */
  imported: count,
  /** Most recent first. */
  byProject: z.array(foundProjectSchema),
})
export type ImportSourceFound = z.infer<typeof importSourceFoundSchema>

/** "Soon", for a person who looks once a week. */
export const expiringDays = 5

const importProgressSchema = z.object({
  sessions: count,
  sessionsTotal: count,
  bytes: count,
  bytesTotal: count,
})
export type ImportProgress = z.infer<typeof importProgressSchema>

const importDetailsSchema = z.object({
  source: importToolSchema,
  toolVersion: z.string(),
  /** The folder of its files. */
  folder: z.string(),
  importedAt: z.iso.datetime(),
  files: z.array(z.object({ name: z.string(), bytes: count, sha256: z.string() })),
  ...lineCountFields,
  ...linkCountFields,
  /** Calls that refer to a sub-agent without a transcript. */
  missing: count,
  tasks: z.array(z.object({ taskId: taskIdSchema, ...lineCountFields })),
  /** The first hundred. */
  damage: z.array(z.object({ file: z.string(), line: count, bytes: count, reason: z.string() })),
})
export type ImportDetails = z.infer<typeof importDetailsSchema>

export const imports = {
  /**
   * What is there, by names, sizes, times and first lines. Without `tool`: all tools; without `path`: each tool's own
   * place. `path` is absolute, on the machine that the host runs on.
   */
  scan: base
    .input(z.object({ tool: sessionToolSchema.optional(), path: path.optional() }))
    .output(z.object({ sources: z.array(importSourceFoundSchema) })),
  /**
   * Imports sessions as archived roots, those that expire first before others. Importing again adds only what is new.
   * Ending the iterator stops it: what was imported so far stays. `projects`: only those whose folder is named. INVALID
   * (field `path`) if there is no session.
   */
  run: base
    .input(
      z.object({
        tool: sessionToolSchema,
        path: path.optional(),
        projects: z.array(z.string().nullable()).max(projectsMax).optional(),
      }),
    )
    .output(
      eventIterator(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('progress'), ...importProgressSchema.shape }),
          z.object({ type: z.literal('session'), session: importedSessionSchema }),
          z.object({ type: z.literal('skipped'), skipped: skippedSessionSchema }),
        ]),
      ),
    ),
  /** What an import made of the lines of a session, and where they came from (I2, I4). Null: it was made elsewhere. */
  details: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ details: importDetailsSchema.nullable() })),
}
