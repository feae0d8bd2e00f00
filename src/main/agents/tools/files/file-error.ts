import { ToolError } from '../tool.ts'

const meanings: Record<string, string> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  ENOTDIR: 'is not a directory',
  EACCES: 'may not be used: permission denied',
  EPERM: 'may not be changed: permission denied',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'could not be written: the disk is full',
  EDQUOT: 'could not be written: the disk quota is used up',
  ENAMETOOLONG: 'has a name that is too long',
  EMFILE: 'could not be opened: too many open files',
}

/** Converts a file system error about a project's file into one for the agent. */
export function fileError(path: string, error: unknown): ToolError {
  const code = errorCode(error)
  return new ToolError(
    `${path} ${meanings[code] ?? `could not be used: the system says ${code}`}.`,
    error,
  )
}

/** Returns the system's error code, such as ENOENT; empty for other errors. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}
