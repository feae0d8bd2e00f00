/** Reports: `subagent-reports/<taskId>/<run>/report.md` and `report.json`, in the parent's session directory. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Report } from '../../shared/records/tasks/reports.ts'
import { makeDirInside, readDataFile, readJsonFile, writeFileDurable } from '../journal/index.ts'
import { type ArtifactIndex, artifactFields, openArtifactIndex } from './artifact-index.ts'

export const reportsDir = 'subagent-reports'
export const reportsIndexFile = 'subagent-reports.json'

const run = z.number().int().min(1)

/** `report.json`: the fields that are not in the Markdown file. */
export const reportFileSchema = z.object({
  version: z.literal(1),
  ...artifactFields,
  title: z.string(),
  run,
  taskResults: z.json().optional(),
  /** The hash of `report.md` in hex, so that a changed report is not mistaken for the original. */
  markdownSha256: z.string(),
})
type ReportFile = z.infer<typeof reportFileSchema>

export const reportEntrySchema = z.object({
  ...artifactFields,
  runs: z.array(
    z.object({
      run,
      title: z.string(),
      /** Relative to the index. */
      jsonPath: z.string(),
      markdownPath: z.string(),
      createdAtMs: z.number(),
      updatedAtMs: z.number(),
    }),
  ),
})
export type ReportEntry = z.infer<typeof reportEntrySchema>

export type ReportLookup =
  | { kind: 'found'; report: Report; taskResults: ReportFile['taskResults'] }
  | { kind: 'not-found' }
  | { kind: 'damaged'; file: string; reason: string }

export const reportIndex = (sessionDir: string): ArtifactIndex<ReportEntry> =>
  openArtifactIndex({
    path: join(sessionDir, reportsIndexFile),
    payloadDir: join(sessionDir, reportsDir),
    entrySchema: reportEntrySchema,
    rebuild: entryFromPayload,
    unite: withLostRuns,
  })

/**
 * Saves the report of one run into `sessionDir`: the payload is durable before the index lists it
 * (A1), and every run keeps its own (A4). Rejects if it could not be written (A6).
 */
export async function saveReport(sessionDir: string, report: NewReport): Promise<void> {
  const dir = join(sessionDir, reportsDir, report.taskId, String(report.run))
  const file = reportFile(report)
  await makeDirInside(sessionDir, dir)
  await writeFileDurable(join(dir, 'report.md'), report.markdown)
  await writeFileDurable(join(dir, 'report.json'), reportFileText(file))
  await reportIndex(sessionDir).update(report.taskId, (known) => withRun(known, file))
}

export interface NewReport {
  taskId: TaskId
  run: number
  title: string
  markdown: string
  /** Parent first. */
  ancestorIds: TaskId[]
  taskResults?: ReportFile['taskResults']
  nowMs: number
}

export const reportFile = (report: NewReport): ReportFile => ({
  version: 1,
  childTaskId: report.taskId,
  parentWorkspaceId: report.ancestorIds[0] ?? null,
  ancestorWorkspaceIds: report.ancestorIds,
  title: report.title,
  run: report.run,
  taskResults: report.taskResults,
  markdownSha256: sha256Of(report.markdown),
  createdAtMs: report.nowMs,
  updatedAtMs: report.nowMs,
})

export const reportFileText = (file: ReportFile): string => `${JSON.stringify(file, null, 2)}\n`

/** Reads the report of one run of a task, or of its newest run, from `sessionDir`. */
export async function readReport(
  sessionDir: string,
  taskId: TaskId,
  wantedRun?: number,
): Promise<ReportLookup> {
  const entry = await reportIndex(sessionDir).get(taskId)
  const runs = entry?.runs ?? []
  const found = wantedRun === undefined ? runs.at(-1) : runs.find((one) => one.run === wantedRun)
  if (!entry || !found) return { kind: 'not-found' }
  const folder = `${reportsDir}/${taskId}/${found.run}`
  const file = await readJsonFile(join(sessionDir, folder, 'report.json'), reportFileSchema)
  if (file.kind !== 'ok' || file.value.childTaskId !== taskId || file.value.run !== found.run) {
    const reason = file.kind === 'damaged' ? file.reason : 'it is missing, or of another report'
    return { kind: 'damaged', file: `${folder}/report.json`, reason }
  }
  const { title, createdAtMs, ancestorWorkspaceIds, markdownSha256, taskResults } = file.value
  try {
    const markdown = await readDataFile(join(sessionDir, folder, 'report.md'))
    if (sha256Of(markdown) !== markdownSha256)
      throw new Error('it was changed since the agent gave it')
    const report = {
      taskId,
      run: found.run,
      title,
      reportMarkdown: markdown.toString('utf8'),
      createdAt: new Date(createdAtMs).toISOString(),
      ancestorIds: ancestorWorkspaceIds,
    }
    return { kind: 'found', report, taskResults }
  } catch (error) {
    // The index lists the report, so this is damage and not a report that never existed.
    return { kind: 'damaged', file: `${folder}/report.md`, reason: String(error) }
  }
}

function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Adds one run to an entry; for the same run the newer one wins (R4). Runs stay in order. */
export function withRun(known: ReportEntry | null, file: ReportFile): ReportEntry {
  const folder = `${reportsDir}/${file.childTaskId}/${file.run}`
  const added = {
    run: file.run,
    title: file.title,
    jsonPath: `${folder}/report.json`,
    markdownPath: `${folder}/report.md`,
    createdAtMs: file.createdAtMs,
    updatedAtMs: file.updatedAtMs,
  }
  const others = (known?.runs ?? []).filter((one) => one.run !== file.run)
  const runs = [...others, added].sort((a, b) => a.run - b.run)
  return {
    childTaskId: file.childTaskId,
    parentWorkspaceId: file.parentWorkspaceId,
    ancestorWorkspaceIds: file.ancestorWorkspaceIds,
    title: runs.at(-1)?.title,
    createdAtMs: Math.min(file.createdAtMs, known?.createdAtMs ?? file.createdAtMs),
    updatedAtMs: Math.max(file.updatedAtMs, known?.updatedAtMs ?? file.updatedAtMs),
    runs,
  }
}

/** Returns the payload's entry, with the runs that only the index lists. */
function withLostRuns(known: ReportEntry, found: ReportEntry): ReportEntry {
  const lost = known.runs.filter((one) => !found.runs.some((run) => run.run === one.run))
  return { ...found, runs: [...lost, ...found.runs].sort((a, b) => a.run - b.run) }
}

async function entryFromPayload(taskId: TaskId, payload: string): Promise<ReportEntry | null> {
  let entry: ReportEntry | null = null
  const folders = await readdir(payload)
  for (const folder of folders.filter((name) => /^[1-9][0-9]*$/.test(name))) {
    const file = await readJsonFile(join(payload, folder, 'report.json'), reportFileSchema)
    if (file.kind === 'ok' && file.value.childTaskId === taskId) entry = withRun(entry, file.value)
  }
  return entry
}
