// Reports, transcripts and patches kept in a session directory: payload first, index after. See FORMAT.md.
export {
  changePatchStatus,
  type PatchEntry,
  patchDir,
  patchIndex,
  savePatch,
  seriesFile,
  worktreePatchFile,
} from './patches.ts'
export { type ReportLookup, readReport, reportIndex, saveReport } from './reports.ts'
export { rollUpArtifacts } from './roll-up.ts'
export { createSerially, type Serially } from './serially.ts'
export { exists, setAside } from './set-aside.ts'
export { archivedTranscriptDir, archiveTranscript, transcriptIndex } from './transcripts.ts'
