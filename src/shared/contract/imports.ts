/** Finds and imports sessions of other tools. */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { importToolSchema } from '../records/exported-tasks.ts'
import { idTextSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

const count = z.number().int().min(0)
const path = z.string().max(4_096)
/** Limit for a request. */
const projectsMax = 10_000
/** Limit for a request: the sessions that an import left out. */
const sessionsMax = 10_000

const lineCountFields = {
  /** Records of its files: the sum of the next three (I2). */
  lines: count,
  /** Converted to entries. */
  mapped: count,
  /** Kept verbatim, because Shiplog can't interpret them. */
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

const importedSessionSchema = z.object({
  source: importToolSchema,
  /** As the tool names it. */
  session: z.string(),
  taskId: taskIdSchema,
  title: z.string(),
  ...lineCountFields,
  ...linkCountFields,
  /** Part of `foreign`, in an export of Shiplog: what was masked or left out, and may still be here. */
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
  /** Which the tool deletes within `expiringDays`. */
  expiringSoon: count,
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

/** Days before a deletion that count as soon. */
export const expiringDays = 5

const importProgressSchema = z.object({
  sessions: count,
  sessionsTotal: count,
  bytes: count,
  bytesTotal: count,
})
export type ImportProgress = z.infer<typeof importProgressSchema>

const importEvents = [
  z.object({ type: z.literal('progress'), ...importProgressSchema.shape }),
  z.object({ type: z.literal('session'), session: importedSessionSchema }),
  z.object({ type: z.literal('skipped'), skipped: skippedSessionSchema }),
] as const

const importWatchStateSchema = z.object({
  enabled: z.boolean(),
  /** When sessions were looked for last, ISO 8601; null: not yet since it began to watch. */
  checkedAt: z.iso.datetime().nullable(),
  /** Sessions that were imported, or grew, since this process has started. */
  kept: count,
  /** The newest ones; each is tried again once its files change. */
  failed: z.array(skippedSessionSchema),
  /** Why changes are found late, or not at all; null: they are found. */
  problem: z.string().nullable(),
})
export type ImportWatchState = z.infer<typeof importWatchStateSchema>

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
  /** The imported session that it continues from; `copies`: records that both files have, and that are shown there. */
  continues: z.object({ taskId: taskIdSchema, copies: count }).nullable(),
  tasks: z.array(z.object({ taskId: taskIdSchema, ...lineCountFields })),
  /** The first hundred. */
  damage: z.array(z.object({ file: z.string(), line: count, bytes: count, reason: z.string() })),
})
export type ImportDetails = z.infer<typeof importDetailsSchema>

const reportedCommitSchema = z.object({
  by: z.enum(['git-ai', 'entire']),
  commit: z.string(),
  subject: z.string(),
  /** When it was committed, ISO 8601. */
  at: z.iso.datetime(),
  /** The agent and model that the report names; null: none. */
  agent: z.string().nullable(),
  /** `lines` as the report has them, such as `1-4,9`; null: it names only the file. */
  files: z.array(z.object({ path: z.string(), lines: z.string().nullable() })),
  /** Files beyond those. */
  moreFiles: count,
})
export type ReportedCommit = z.infer<typeof reportedCommitSchema>

export const imports = {
  /**
   * Lists the sessions that can be imported, from names, sizes, times and first lines. Without `tool`: those of all
   * tools; without `path`: in each tool's own folder. `path` is absolute, on the machine that the host runs on.
   */
  scan: base
    .input(z.object({ tool: importToolSchema.optional(), path: path.optional() }))
    .output(z.object({ sources: z.array(importSourceFoundSchema) })),
  /**
   * Imports sessions as archived roots, those that expire first before others. Importing again adds only what is new.
   * Ending the iterator stops it: what was imported so far stays. `projects`: only those whose folder is named.
   * `sessions`: only those, as the tool names them. INVALID (field `path`) if there is no session.
   */
  run: base
    .input(
      z.object({
        tool: importToolSchema,
        path: path.optional(),
        projects: z.array(z.string().nullable()).max(projectsMax).optional(),
        sessions: z.array(z.string()).max(sessionsMax).optional(),
      }),
    )
    .output(eventIterator(z.discriminatedUnion('type', importEvents))),
  /**
   * Imports the sessions that are there, then new ones and those that grow, until the iterator is ended. A session that
   * is being written is imported once it is quiet. Those that a person deleted here are left out.
   */
  watch: base.input(z.object({ tool: importToolSchema, path: path.optional() })).output(
    eventIterator(
      z.discriminatedUnion('type', [
        ...importEvents,
        z.object({
          type: z.literal('scanned'),
          /** ISO 8601. */
          at: z.iso.datetime(),
          /** Which are there now. */
          sessions: count,
          /** Why changes may be found late; null: they are not. */
          problem: z.string().nullable(),
        }),
      ]),
    ),
  ),
  /** The state of watching all tools with a folder of their own while the app runs, and each change of it. */
  watchState: base.output(eventIterator(importWatchStateSchema)),
  /** Durable when it resolves; off unless a person turned it on. */
  setWatch: base.input(z.object({ enabled: z.boolean() })).output(z.object({})),
  /** What an import made of the lines of a session, and where they came from (I2, I4). Null: it was made elsewhere. */
  details: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ details: importDetailsSchema.nullable() })),
  /**
   * Commits in the repository of an imported session that other tools ascribe to it: Git AI's notes, entire's
   * checkpoints. Nobody checked what they say. Newest first; empty: there are none, or the folder is gone.
   */
  reported: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ commits: z.array(reportedCommitSchema), moreCommits: count })),
}
