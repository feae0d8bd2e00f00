// Reports, transcripts and patches in a session directory. The payload is written before the index.
// See FORMAT.md.
export {
  bytesBelow,
  contentBytes,
  contentDir,
  expireTranscript,
  holdsTranscript,
  type TranscriptPlace,
  unexpireTranscript,
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
export {
  type NewReport,
  type ReportLookup,
  readReport,
  reportIndex,
  reportsDir,
  saveReport,
} from './reports.ts'
export { rollUpArtifacts } from './roll-up.ts'
export { addStagedArtifacts } from './staged-artifacts.ts'
export {
  archivedTranscriptDir,
  archiveTranscript,
  returnTranscript,
  transcriptIndex,
  transcriptsDir,
} from './transcripts.ts'
