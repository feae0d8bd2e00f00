import { ToolError } from '../tool.ts'
import type { FoundFile } from './project-files.ts'

export const searchTimeMsMax = 10_000

export interface LineMatch {
  /** The index of the text. */
  text: number
  /** Counted from 1. */
  line: number
}

export interface Matcher {
  /**
   * Resolves with the paths of files that may contain a match, in the order of `files`. A path may lead elsewhere later,
   * so each file must be opened inside the working directory and matched again.
   */
  narrow(files: FoundFile[]): Promise<string[]>
  /** Resolves with the first `max` matching lines, in the order of the texts. A text is its lines without line ends. */
  match(texts: string[][], max: number): Promise<LineMatch[]>
  close(): Promise<void>
}

export interface MatcherOptions {
  ignoreCase: boolean
  signal: AbortSignal
  /** When it is aborted, the matcher rejects with `searchTimedOut()`. */
  timeLimit: AbortSignal
}

export const searchTimedOut = (): ToolError =>
  new ToolError(
    `pattern: took longer than ${searchTimeMsMax / 1000} s and was stopped. Use a simpler one, or narrow the search down with path or glob.`,
  )
