/** What this process and its launcher send each other. Each program has a number, `id`. */
import type { ProgramStart } from './program.ts'

export type ToLauncher =
  | { id: number; start: Omit<ProgramStart, 'stdinFd' | 'stdoutFd'> }
  | { id: number; terminate: true }

export type FromLauncher =
  | { ready: true }
  | { id: number; stdout: Uint8Array }
  | { id: number; stderr: Uint8Array }
  | { id: number; exitCode: number | null }
  /** It could not be started. `code` is the system's, such as ENOENT. */
  | { id: number; error: { message: string; code?: string | undefined } }
