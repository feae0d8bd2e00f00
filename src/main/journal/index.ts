// Records to bytes and back. The journal does not depend on the records' meaning. See FORMAT.md.
export {
  blobDirectory,
  blobReferences,
  extractBlobs,
  readBlob,
  readBlobPart,
  restoreBlobs,
  storeBlob,
  storeBlobFile,
} from './blobs.ts'
export { readRange } from './byte-ranges.ts'
export {
  explain,
  InvalidRecordError,
  isWrittenByOthers,
  JournalClosedError,
  JournalQueueFullError,
  JournalReadError,
  JournalWriteError,
  systemCode,
} from './errors.ts'
export {
  appendToFileNow,
  describeNoFile,
  isNoFile,
  openDataFile,
  readDataFile,
  readStartNow,
  sha256OfDataFile,
} from './files/data-file.ts'
export * from './files/durable-files.ts'
export { isInside, pathWithin } from './files/is-inside.ts'
export { createMountCheck, type IsMount } from './files/mounts.ts'
export { holdsTheSame, isLeftOfMove, MoveError, moveDurable } from './files/move.ts'
export { namesIn } from './files/names-in.ts'
export { type RawPath, rawDirname, rawJoin } from './files/raw-path.ts'
export { removeDurable } from './files/remove.ts'
export { setAside } from './files/set-aside.ts'
export { createStagedFiles, type StagedFiles } from './files/staged-files.ts'
export {
  createChainCheck,
  lineBatchesOf,
  linesOf,
  type RawRecord,
  readLines,
  readRawRecords,
  type UnreadableBytes,
} from './raw-lines.ts'
export { readJournal, readJournalPage, readJournalSum } from './reader.ts'
export { createStagedJournal, type StagedJournal } from './staged-journal.ts'
export { indexFileOf } from './stored-index.ts'
export type {
  BlobReference,
  Damage,
  Healing,
  Journal,
  JournalOptions,
  JournalRecord,
  Page,
  PageQuery,
  RecordBody,
} from './types.ts'
export { type JournalCheck, verifyJournal } from './verify.ts'
export { openJournal } from './writer.ts'
