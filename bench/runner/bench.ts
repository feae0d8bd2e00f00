/** The parameters of every measurement: its folder, sizes and rounds. */
import type { Measured } from './rounds.ts'

export interface Sizes {
  /** Records of the one writer; each of many writers makes a fifth as many. */
  appends: number
  writers: number
  /** Approximate size of one appended record. */
  recordBytes: number
  /** Entries of the long journal that is opened, read and healed. */
  entries: number
  journalMb: number
  /** Sub-agents of the workspace that is removed. */
  children: number
  transcriptsMb: number
  /** Archived tasks in the data directory of a measured start. */
  tasks: number
  /** Files of the repository that is snapshotted, and turns that change some of them. */
  files: number
  turns: number
  /** Files of the project that is searched. */
  searched: number
  /** Entries of the transcripts that full-text search reads. */
  searchedEntries: number
  /** Turns of one conversation with a model. */
  modelTurns: number
  /** Agents that stream concurrently. */
  streaming: number
  /** Imported sessions of another tool, and the size of each. The real ones that were at hand have 835 kB on average. */
  sessions: number
  sessionKb: number
  /** Size of a single imported session. */
  longSessionMb: number
}

export interface Bench {
  /** An empty folder for this measurement; removed afterwards. */
  dir: string
  sizes: Sizes
  rounds: number
  /** The same seed makes the same data. */
  seed: number
  /** Prints progress. */
  say(text: string): void
}

export type Measure = (bench: Bench) => Promise<Measured>

/** Decimal, as file sizes are displayed. */
export const megabyte = 1e6

/** The sizes that the targets are defined for. */
export const fullSizes: Sizes = {
  appends: 5_000,
  writers: 20,
  recordBytes: 1_000,
  entries: 50_000,
  journalMb: 200,
  children: 200,
  transcriptsMb: 107,
  tasks: 10_000,
  files: 50_000,
  turns: 1_000,
  searched: 100_000,
  searchedEntries: 1_000_000,
  modelTurns: 2_000,
  streaming: 20,
  sessions: 500,
  sessionKb: 835,
  longSessionMb: 4_000,
}

/** A smoke test of a few seconds; ratios at these sizes mean little. */
export const quickSizes: Sizes = {
  appends: 500,
  writers: 20,
  recordBytes: 1_000,
  entries: 2_500,
  journalMb: 10,
  children: 20,
  transcriptsMb: 5,
  tasks: 500,
  files: 2_000,
  turns: 60,
  searched: 2_000,
  searchedEntries: 20_000,
  modelTurns: 100,
  streaming: 4,
  sessions: 50,
  sessionKb: 200,
  longSessionMb: 40,
}

/** Targets in milliseconds and megabytes apply only to the sizes they were set for. */
export const notJudged = 'Targets are for the full size, so they are not judged at this one.'
