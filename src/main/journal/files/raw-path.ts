/**
 * Paths as bytes. A name on disk need not be UTF-8: decoded as text it has U+FFFD in place of
 * invalid bytes and no longer refers to the file.
 */
import path from 'node:path'

export type RawPath = string | Buffer

/** What Node puts in the place of bytes that are not UTF-8. A path with it may lead to no file, or to one that has this name. */
const replacement = '\ufffd'

export const isNotUtf8 = (name: string): boolean => name.includes(replacement)

/**
 * One character per byte, so that `node:path`, which interprets only separators, can process it.
 */
const characters = (raw: RawPath): string =>
  (typeof raw === 'string' ? Buffer.from(raw) : raw).toString('latin1')
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Joins a folder and a `name` that `readdir` returned with `encoding: 'buffer'`. */
export const rawJoin = (dir: RawPath, name: Buffer): Buffer =>
  bytes(path.join(characters(dir), characters(name)))

export const rawDirname = (raw: RawPath): Buffer => bytes(path.dirname(characters(raw)))
