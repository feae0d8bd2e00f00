/** The result of `shiplog doctor`. src/main/doctor/README.md describes each kind of problem and its repair. */
import { z } from 'zod'
import { base } from './base.ts'

export const problemKinds = [
  'journal-damaged',
  'snapshot-wrong',
  'torn-tail',
  'transcript-shortened',
  'transcript-missing',
  'blob-missing',
  'blob-damaged',
  'file-history-missing',
  'file-history-damaged',
  'scenario-missing',
  'scenario-damaged',
  'report-missing',
  'report-damaged',
  'patch-missing',
  'patch-damaged',
  'payload-damaged',
  'index-missing',
  'index-damaged',
  'index-other-version',
  'index-incomplete',
  'index-names-missing',
  'archive-missing',
  'archive-in-trash',
  'orphan-session',
  'orphan-record',
  'orphan-archive',
  'worktree-missing',
  'worktree-broken',
  'worktree-moved',
  'worktree-unregistered',
  'stray-worktree',
  'stray-changes',
  'update-unsettled',
  'turn-store-damaged',
  'tree-missing',
  'temporary-file',
  'file-mode',
  'symlink',
  'special-file',
  'unreadable',
] as const
const problemKindSchema = z.enum(problemKinds)
export type ProblemKind = z.infer<typeof problemKindSchema>

const problemSchema = z.object({
  /** Relative to the data directory, with forward slashes; `.`: the data directory itself. */
  path: z.string(),
  kind: problemKindSchema,
  detail: z.string(),
  /** True if `doctor --repair` can repair it without loss. */
  repairable: z.boolean(),
  /** True if this run repaired it. */
  repaired: z.boolean(),
})
export type Problem = z.infer<typeof problemSchema>

/** An observation that is not damage. */
const doctorNoteSchema = z.object({
  /** `healed`: repaired at start. `stray-ref`: a hidden ref without a task. `project-gone`: a project's folder is missing. */
  kind: z.enum(['healed', 'stray-ref', 'project-gone', 'not-understood', 'not-judged']),
  path: z.string(),
  detail: z.string(),
})
export type DoctorNote = z.infer<typeof doctorNoteSchema>

const examinationSchema = z.object({
  /** True if no problem was found, not even one that was repaired. */
  ok: z.boolean(),
  /** The number of files, folders and worktrees that were checked. */
  checked: z.number().int().min(0),
  problems: z.array(problemSchema),
  notes: z.array(doctorNoteSchema),
})
export type Examination = z.infer<typeof examinationSchema>

export const doctor = {
  /** Compares everything on disk with the ledger. `repair` is REFUSED while agents are running. */
  check: base.input(z.object({ repair: z.boolean() })).output(examinationSchema),
}
