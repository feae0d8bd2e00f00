/** The meanings of disk errors, with the remedies. */
const meanings: Record<string, string> = {
  ENOSPC: 'the disk is full (ENOSPC); free some space and try again',
  EDQUOT: 'the disk quota is used up (EDQUOT); free some space and try again',
  EIO: 'the disk reports an input/output error (EIO); check the disk',
  EROFS: 'the file system is read-only (EROFS)',
  EACCES: 'permission denied (EACCES); check who owns the file and its folder',
  EPERM: 'not permitted (EPERM); check who owns the file and its folder',
  EMFILE: 'too many open files (EMFILE); close some programs and try again',
  ENFILE: 'too many open files on this machine (ENFILE); close some programs and try again',
  ENOENT: 'it does not exist (ENOENT)',
  ELOOP: 'a symbolic link is in its place (ELOOP); Shiplog does not follow those',
  ENOTDIR: 'a file is in place of a directory above it (ENOTDIR); move it away',
  EISDIR: 'a directory is in its place (EISDIR); move it away',
}

/** Explains a system's error code such as ENOSPC; undefined for one that is not about the disk. */
export const explainErrno = (code: string): string | undefined => meanings[code]
