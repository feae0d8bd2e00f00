/** Why the content of a path is in no recorded state of the files. */
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
}

/** A phrase, such as "a Git repository of its own". */
export const whyNotStored = ({ why }: Pick<NotStoredPath, 'why'>): string => reasons[why]

/** The path itself, or the folder of it, that was left out. */
export const notStoredAt = (
  notStored: readonly NotStoredPath[],
  path: string,
): NotStoredPath | undefined =>
  notStored.find((left) => path === left.path || path.startsWith(`${left.path}/`))
