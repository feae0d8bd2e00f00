/** Reasons why the content of a path was not recorded. */
import {
  type NotStoredPath,
  untrackedFileBytesMax,
  untrackedFolderBytesMax,
  untrackedFolderFilesMax,
} from '../records/entry-types/files.ts'

const mebibytes = (count: number): string => `${count / 1024 ** 2} MiB`

const reasons: Record<NotStoredPath['why'], string> = {
  repository: 'a Git repository of its own',
  'file-bytes': `new and larger than ${mebibytes(untrackedFileBytesMax)}`,
  'folder-bytes': `a new folder of more than ${mebibytes(untrackedFolderBytesMax)}`,
  'folder-files': `a new folder of more than ${untrackedFolderFilesMax.toLocaleString('en')} files`,
  unreadable: 'could not be read',
  special: 'a pipe, a socket or a device',
  name: 'Git refuses the name',
  'path-length': 'its path is longer than the system allows',
}

/** Returns a phrase, such as "a Git repository of its own". */
export const notStoredReason = ({ why }: Pick<NotStoredPath, 'why'>): string => reasons[why]

/** Returns the entry for the path or for a folder above it. */
export const notStoredAt = (
  notStored: readonly NotStoredPath[],
  path: string,
): NotStoredPath | undefined =>
  notStored.find((left) => path === left.path || path.startsWith(`${left.path}/`))
