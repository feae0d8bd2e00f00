/** The file of the search index: a SQLite database that can be deleted at any time. See FORMAT.md. */
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type IndexDb, indexDbOn } from './index-db.ts'

/** Version of the tables and of the documents in them. An index of any other version is deleted. */
const version = 4

/** Fewer and larger pages than the default of 4 KB build faster, and need fewer levels of the trees. */
const pageBytes = 16_384
/** Room in a page for what SQLite stores beside a page of the full-text index; without it each takes two. */
const pageHeadBytes = 128
/** 32 MB in the write-ahead log. */
const checkpointPages = (32 << 20) / pageBytes
/** Bytes of the full-text index that are collected in memory before they are written as a segment, 1 MB by default. */
const collectedBytes = 4 << 20

/** Segments per level before a merge; the default is 4. A higher value builds faster and looks up slower. */
const automergeSegments = 8

/** The index can't be used on this machine; the message contains the reason. */
export class NoFullTextSearchError extends Error {}

/**
 * Opens the index at `file`, or creates it. A damaged index, or one of another version, is deleted first. Throws
 * NoFullTextSearchError without SQLite or its FTS5.
 */
export async function openIndexDb(file: string): Promise<IndexDb> {
  const sqlite = await import('node:sqlite').catch(() => {
    throw new NoFullTextSearchError('This version of Node has no SQLite; version 24 has.')
  })
  // Other users must not read the file, whatever the umask. SQLite gives its WAL files the same mode.
  closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600))
  try {
    return useIndexDb(new sqlite.DatabaseSync(file))
  } catch (error) {
    if (error instanceof NoFullTextSearchError || !isUnusable(error)) throw error
    deleteIndexDb(file)
    closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
    return useIndexDb(new sqlite.DatabaseSync(file))
  }
}

export function deleteIndexDb(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

class OtherVersionError extends Error {}

/** SQLITE_CORRUPT and SQLITE_NOTADB: its content can't be trusted. */
const damagedCodes = new Set([11, 26])

export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && damagedCodes.has(Number(error.errcode) & 0xff)

const isUnusable = (error: unknown): boolean =>
  error instanceof OtherVersionError || isDamaged(error)

function useIndexDb(db: DatabaseSync): IndexDb {
  try {
    prepareTables(db)
    return indexDbOn(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function prepareTables(db: DatabaseSync): void {
  // Has no effect on a database that has tables.
  db.exec(`PRAGMA page_size = ${pageBytes}`)
  // A power loss may lose the last transactions, which are then indexed again; it does not corrupt the database.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768')
  // Checkpoints sync the disk and delay journal appends, so they are made less often.
  db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  const found = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (found !== 0 && found !== version) throw new OtherVersionError()
  if (found === version) return
  const { has } = db
    .prepare(
      "SELECT count(*) AS has FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'",
    )
    .get() as { has: number }
  if (has === 0) throw new NoFullTextSearchError('SQLite has no full-text search here.')
  db.exec(`
    BEGIN;
    CREATE TABLE sessions (
      id INTEGER PRIMARY KEY, task TEXT UNIQUE, title TEXT, last_seq INTEGER, last_sum TEXT);
    CREATE TABLE documents (
      id INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, kind INTEGER, part INTEGER, tool TEXT);
    CREATE INDEX documents_of_session ON documents (session);
    CREATE VIRTUAL TABLE texts USING fts5 (
      text, paths, facets, content = '', contentless_delete = 1);
    CREATE TABLE facets (token TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE tools (name TEXT, session INTEGER, PRIMARY KEY (name, session)) WITHOUT ROWID;
    INSERT INTO texts (texts, rank) VALUES ('automerge', ${automergeSegments});
    INSERT INTO texts (texts, rank) VALUES ('hashsize', ${collectedBytes});
    INSERT INTO texts (texts, rank) VALUES ('pgsz', ${pageBytes - pageHeadBytes});
    PRAGMA user_version = ${version};
    COMMIT;
  `)
}
