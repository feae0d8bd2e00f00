// Reports, transcripts and patches kept in a session directory: payload first, index after. See FORMAT.md.
export {
  bytesBelow,
  contentBytes,
  contentDir,
  expireTranscript,
  holdsTranscript,
  type TranscriptPlace,
  takeBackTranscript,
} from './expired-transcripts.ts'
export { findMovedTranscript } from './moved-transcripts.ts'
export {
  changePatchStatus,
  describeFiles,
  type PatchEntry,
  patchDir,
  patchIndex,
  savePatch,
  seriesFile,
  worktreePatchFile,
} from './patches.ts'
export { type ReportLookup, readReport, reportIndex, reportsDir, saveReport } from './reports.ts'
export { rollUpArtifacts } from './roll-up.ts'
export {
  archivedTranscriptDir,
  archiveTranscript,
  returnTranscript,
  transcriptIndex,
  transcriptsDir,
} from './transcripts.ts'
