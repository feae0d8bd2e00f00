/**
 * Adds the artifacts of sub-agents to a session directory that nobody reads before it is complete. Unlike in one that is
 * in use, each index is written once, and all files are made durable together.
 */
import { join } from 'node:path'
import type { TaskId } from '../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../shared/records/tasks/transcript-status.ts'
import type { StagedFiles } from '../journal/index.ts'
import { indexFileText } from './artifact-index.ts'
import {
  type NewReport,
  type ReportEntry,
  reportFile,
  reportFileText,
  reportsDir,
  reportsIndexFile,
  withRun,
} from './reports.ts'
import {
  type AboutTranscript,
  fieldsOf,
  type TranscriptEntry,
  transcriptEntry,
  transcriptFile,
  transcriptFileText,
  transcriptsDir,
  transcriptsIndexFile,
} from './transcripts.ts'

/** A transcript that is in its folder, `archivedTranscriptDir`, already. `counted`: null without a `chat.jsonl`. */
type StagedTranscript = AboutTranscript & {
  hasPartial: boolean
  counted: TranscriptCounts | null
}

export async function addStagedArtifacts(
  files: StagedFiles,
  { transcripts, reports }: { transcripts: StagedTranscript[]; reports: NewReport[] },
): Promise<void> {
  const transcriptEntries = new Map<TaskId, TranscriptEntry>()
  for (const transcript of transcripts) {
    const fields = fieldsOf(transcript)
    const folder = join(transcriptsDir, transcript.taskId)
    await files.add(join(folder, transcriptFile), transcriptFileText(fields))
    transcriptEntries.set(transcript.taskId, transcriptEntry(fields, transcript))
  }
  if (transcripts.length > 0)
    await files.add(transcriptsIndexFile, indexFileText(transcriptEntries))
  const reportEntries = new Map<TaskId, ReportEntry>()
  for (const report of reports) {
    const file = reportFile(report)
    const folder = join(reportsDir, report.taskId, String(report.run))
    await files.add(join(folder, 'report.md'), report.markdown)
    await files.add(join(folder, 'report.json'), reportFileText(file))
    reportEntries.set(report.taskId, withRun(reportEntries.get(report.taskId) ?? null, file))
  }
  if (reports.length > 0) await files.add(reportsIndexFile, indexFileText(reportEntries))
}
