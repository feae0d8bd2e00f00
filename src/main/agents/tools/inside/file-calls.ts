/** The system calls of the file tools. Tests intercept them to act between two calls. */
import {
  access,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises'

export const fileCalls = {
  access,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  unlink,
}
export type FileCalls = typeof fileCalls
