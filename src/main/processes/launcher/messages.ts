/** The messages between this process and its launcher. `id` identifies a started program. */
import type { ProgramStart } from './program.ts'

export type ToLauncher =
  | { id: number; start: Omit<ProgramStart, 'stdinFd' | 'stdoutFd'> }
  | { id: number; terminate: true }

export type FromLauncher =
  | { ready: true }
  | { id: number; pid: number }
  | { id: number; stdout: Uint8Array }
  | { id: number; stderr: Uint8Array }
  | { id: number; exitCode: number | null }
  /** The program could not be started. `code` is the system's, such as ENOENT. */
  | { id: number; error: { message: string; code?: string | undefined } }
