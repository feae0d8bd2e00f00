/**
 * Looks at files of a repository before each Git process. Synchronous, because a look takes microseconds, and dozens of
 * turns through the thread pool would cost more than Git itself. Starting Git waits for the same folders anyway.
 */
import { lstatSync, type Stats, statSync } from 'node:fs'

/** Also true for a dangling symbolic link. False if the file can't be read. */
export const exists = (file: string): boolean => lstatOf(file) !== null

/** Follows links. Null if there is nothing, or it can't be read. */
export const statOf = (file: string): Stats | null => orNull(() => statSync(file, quiet))

/** Does not follow links. Null if there is nothing, or it can't be read. */
export const lstatOf = (file: string): Stats | null => orNull(() => lstatSync(file, quiet))

const quiet = { throwIfNoEntry: false } as const

export function orNull<Found>(look: () => Found | undefined): Found | null {
  try {
    return look() ?? null
  } catch {
    return null
  }
}
