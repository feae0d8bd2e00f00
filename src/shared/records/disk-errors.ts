/**
 * The system's errors for a disk that can't be written. `cause`: of a run that ends with this error. `message`: the
 * system's text in the C locale, as programs print it.
 */
export const diskErrors = [
  { code: 'ENOSPC', cause: 'disk-full', message: 'No space left on device' },
  { code: 'EDQUOT', cause: 'disk-full', message: 'Disk quota exceeded' },
  { code: 'EROFS', cause: 'disk-failed', message: 'Read-only file system' },
  { code: 'EIO', cause: 'disk-failed', message: 'Input/output error' },
] as const
