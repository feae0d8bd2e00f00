import { ToolError } from '../tool.ts'
import type { FoundFile } from './project-files.ts'

export const searchTimeMsMax = 10_000

export interface LineMatch {
  /** Index of the text. */
  text: number
  /** From 1. */
  line: number
}

export interface Matcher {
  /**
   * Paths of the files that may hold a match, in the order of `files`. By a file's path alone, which may lead elsewhere
   * later: each file that is found must be opened and matched again.
   */
  narrow(files: FoundFile[]): Promise<string[]>
  /** The first `max` lines that match, in the order of the texts. A text: its lines, without line ends. */
  match(texts: string[][], max: number): Promise<LineMatch[]>
  close(): Promise<void>
}

export interface MatcherOptions {
  ignoreCase: boolean
  signal: AbortSignal
  /** Aborted when the time is up: the matcher then rejects with `timeIsUp()`. */
  timeLimit: AbortSignal
}

export const timeIsUp = (): ToolError =>
  new ToolError(
    `pattern: took longer than ${searchTimeMsMax / 1000} s and was stopped. Use a simpler one, or narrow the search down with path or glob.`,
  )
