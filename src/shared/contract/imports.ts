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
/** Limit for a request: sessions that an earlier import skipped. */
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
  /** The tool's name for it. */
  session: z.string(),
  taskId: taskIdSchema,
  title: z.string(),
  ...lineCountFields,
  ...linkCountFields,
  /** Part of `foreign`: omitted from an export of Shiplog, and perhaps still in this record. */
  withheld: count,
  /** False: it was imported before. */
  isNew: z.boolean(),
  /** True: it was imported before and has new lines. */
  isUpdated: z.boolean(),
})
export type ImportedSession = z.infer<typeof importedSessionSchema>

/** A session that was not imported, and why. */
const skippedSessionSchema = z.object({
  source: importToolSchema,
  /** The tool's name for it. */
  session: z.string(),
  reason: z.string(),
})
export type SkippedSession = z.infer<typeof skippedSessionSchema>

const foundProjectSchema = z.object({
  /** The folder that the sessions recorded; null: not recorded. */
  dir: z.string().nullable(),
  sessions: count,
  bytes: count,
  /** The number that the tool deletes within `expiringDays`. */
  expiringSoon: count,
  /** The number that were imported and have not grown since. */
  imported: count,
  /** ISO 8601. */
  lastAt: z.iso.datetime(),
})

const importSourceFoundSchema = z.object({
  tool: importToolSchema,
  path: z.string(),
  sessions: count,
  /** The number of files of sub-agents. */
  subAgents: count,
  bytes: count,
  projects: count,
  /** The number that the tool deletes within `expiringDays`. */
  expiringSoon: count,
  /** The days without activity after which the tool deletes a session; null: unknown, or it never does. */
  keptDays: z.number().nonnegative().nullable(),
  /** The number that the tool's own lists omit. */
  hidden: count,
  /** The number that were imported and have not grown since. */
  imported: count,
  /** Most recent first. */
  byProject: z.array(foundProjectSchema),
})
export type ImportSourceFound = z.infer<typeof importSourceFoundSchema>

const foundImportSessionSchema = z.object({
  /** The tool's name for it. */
  session: z.string(),
  /** Given by a user or the tool, or the beginning of its first prompt; null: unknown before it is read. */
  title: z.string().nullable(),
  bytes: count,
  /** ISO 8601. */
  lastAt: z.iso.datetime(),
  /** Whether the tool deletes it within `expiringDays`. */
  expiringSoon: z.boolean(),
  /** It was imported and has not grown since. */
  imported: z.boolean(),
})
export type FoundImportSession = z.infer<typeof foundImportSessionSchema>

/** Sessions of a folder that are listed one by one. */
export const listedSessionsMax = 500

/** Days before a deletion that count as soon. */
export const expiringDays = 5

const importProgressSchema = z.object({
  sessions: count,
  sessionsTotal: count,
  /** Those of unchanged sessions count in neither: they are not read, and the rate would promise too early an end. */
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
  /** Sessions that were imported or updated since the process started. */
  kept: count,
  /** The newest ones; each is tried again once its files change. */
  failed: z.array(skippedSessionSchema),
  /** Why changes are detected late, or not at all; null: no problem. */
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
  /** The imported session that it continues; `copies`: records in both files, which are shown in that session. */
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
  /** The agent and model in the report; null: none. */
  agent: z.string().nullable(),
  /** `lines` as in the report, such as `1-4,9`; null: it names only the file. */
  files: z.array(z.object({ path: z.string(), lines: z.string().nullable() })),
  /** The number of other files. */
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
   * Lists the sessions that `scan` found in one folder, `dir` as there, the most recent first. `more`: the number of older
   * ones. INVALID (field `path`) if the tool has no folder here.
   */
  sessions: base
    .input(z.object({ tool: importToolSchema, path: path.optional(), dir: path.nullable() }))
    .output(z.object({ sessions: z.array(foundImportSessionSchema), more: count })),
  /**
   * Imports sessions as archived roots, those that expire soonest first. A repeated import adds only new lines. Ending
   * the iterator stops it and keeps what was imported. `projects`: only the sessions of these folders. `sessions`: only
   * those, by the tool's names; `except`: not those. INVALID (field `path`) if there is no session.
   */
  run: base
    .input(
      z.object({
        tool: importToolSchema,
        path: path.optional(),
        projects: z.array(z.string().nullable()).max(projectsMax).optional(),
        sessions: z.array(z.string()).max(sessionsMax).optional(),
        except: z.array(z.string()).max(sessionsMax).optional(),
      }),
    )
    .output(eventIterator(z.discriminatedUnion('type', importEvents))),
  /**
   * Imports the existing sessions, then new and growing ones, until the iterator is ended. A session that is being
   * written is imported after a pause in the writes. Sessions that the user deleted from Shiplog are skipped.
   */
  watch: base.input(z.object({ tool: importToolSchema, path: path.optional() })).output(
    eventIterator(
      z.discriminatedUnion('type', [
        ...importEvents,
        z.object({
          type: z.literal('scanned'),
          /** ISO 8601. */
          at: z.iso.datetime(),
          /** The number of existing sessions. */
          sessions: count,
          /** Why changes may be detected late; null: no problem. */
          problem: z.string().nullable(),
        }),
      ]),
    ),
  ),
  /** Yields the state of the app's watch on the folders of all tools, and each change of it. */
  watchState: base.output(eventIterator(importWatchStateSchema)),
  /**
   * Imports the sessions that begin or grow from now on. Durable when it resolves. Off by default. Sessions of before are
   * left out until they grow.
   */
  setWatch: base.input(z.object({ enabled: z.boolean() })).output(z.object({})),
  /** Returns how the lines of a session were imported, and from which files (I2, I4). Null: imported by another Shiplog. */
  details: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ details: importDetailsSchema.nullable() })),
  /**
   * Lists commits in the repository of an imported session that other tools attribute to it (Git AI's notes, entire's
   * checkpoints), unverified, newest first. Empty: there are none, or the folder is gone.
   */
  reported: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ commits: z.array(reportedCommitSchema), moreCommits: count })),
}
