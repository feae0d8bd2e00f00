/**
 * Paths as bytes. A name on a disk need not be UTF-8: as text it reads with U+FFFD in place of such bytes, and
 * that text names no file.
 */
import path from 'node:path'

export type RawPath = string | Buffer

/** Every byte one character, so that `node:path`, which looks at separators only, can work with it. */
const characters = (raw: RawPath): string =>
  (typeof raw === 'string' ? Buffer.from(raw) : raw).toString('latin1')
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

/** `name` as `readdir` gives it with `encoding: 'buffer'`. */
export const rawJoin = (dir: RawPath, name: Buffer): Buffer =>
  bytes(path.join(characters(dir), characters(name)))

export const rawDirname = (raw: RawPath): Buffer => bytes(path.dirname(characters(raw)))
