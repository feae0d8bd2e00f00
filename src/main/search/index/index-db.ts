/** Reads and writes the tables of the search index. See FORMAT.md. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type SearchKind, searchKinds } from '../../../shared/contract/search.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { SearchDocument } from '../documents.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'
import { errorFacet, facet, spaced } from './words.ts'

/** An id is a time and a counter, so ids sort by time. Ids stay below 2^53 until the year 2248. */
const documentsPerMs = 1 << 10

/**
 * Limits of one transaction. Each commit writes a segment of the full-text index, and segments are merged: committing
 * every 200 documents took most of the build time. Documents lost in a crash are indexed again.
 */
const transactionDocumentsMax = 20_000
const transactionCharsMax = 8 << 20
/** How much of a task's transcript is in the index. */
interface IndexedSession {
  taskId: TaskId
  title: string
  /** Seq of the last indexed record; 0: no record is indexed. */
  lastSeq: number
  /** Checksum of that record, which covers all records before it; null if `lastSeq` is 0. */
  lastSum: string | null
}

export interface NewDocument extends SearchDocument {
  /** Null: not an entry of a transcript, such as a title. */
  seq: number | null
  /** Milliseconds since the epoch. */
  at: number
}

/** A row that matched. */
export interface Candidate {
  taskId: TaskId
  kind: SearchKind
  seq: number | null
  part: number
  at: number
  tool: string | null
}

interface CandidateQuery {
  /** An FTS5 query; null: every row. */
  match: string | null
  /** Null: all tasks. */
  taskIds: readonly TaskId[] | null
  /** `after` <= at < `before`. */
  after: number | null
  before: number | null
  limit: number
}

export interface IndexDb {
  sessions(): IndexedSession[]
  session(taskId: TaskId): IndexedSession | null
  /** Adds documents of a task, which queries find immediately. They become durable with the next `commit`. */
  add(session: Pick<IndexedSession, 'taskId' | 'title'>, documents: readonly NewDocument[]): void
  /** Whether the open transaction has reached its size limit; `savePosition` then commits it. */
  isCommitDue(): boolean
  /**
   * Saves how much of a task's transcript was added, unless that was rolled back. Must be called before another
   * task's documents are added, because any commit makes these durable as well.
   */
  savePosition(position: Omit<IndexedSession, 'title'>): void
  /** Commits what was added, if anything. */
  commit(): void
  /** Replaces the document of a task's title. */
  retitle(taskId: TaskId, title: NewDocument): void
  /** Removes a task's documents and its indexing position. */
  remove(taskId: TaskId): void
  /** The newest rows that match, newest first. */
  newest(query: CandidateQuery): Candidate[]
  vocabulary(): Vocabulary
  /** Tokens of the facets of kinds, tools and models. */
  facets(): string[]
  /** Names of tools that were called, in order. */
  tools(): string[]
  tasksUsing(tool: string): TaskId[]
  /** May be called twice. */
  close(): void
}

/** Wraps a database that `index-file.ts` has opened. */
export function indexDbOn(db: DatabaseSync): IndexDb {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  const all = <Row>(sql: string, ...values: SQLInputValue[]): Row[] =>
    prepared(sql).all(...values) as Row[]
  const run = (sql: string, ...values: SQLInputValue[]) => prepared(sql).run(...values)

  /** Documents and characters in the open transaction. */
  let pending = { documents: 0, chars: 0 }

  /** Runs `work` in the open transaction, or in a new one, which stays open. Rolls back if `work` throws. */
  function inTransaction(work: () => void): void {
    try {
      if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
      work()
    } catch (error) {
      rollBack()
      throw error
    }
  }

  function commit(): void {
    if (!db.isTransaction) return
    try {
      db.exec('COMMIT')
    } catch (error) {
      rollBack()
      throw error
    }
    pending = { documents: 0, chars: 0 }
  }

  const isCommitDue = (): boolean =>
    pending.documents >= transactionDocumentsMax || pending.chars >= transactionCharsMax

  function rollBack(): void {
    // SQLite has already rolled the transaction back if the disk is full.
    if (db.isTransaction) db.exec('ROLLBACK')
    pending = { documents: 0, chars: 0 }
    knownFacets = storedFacets()
  }

  const storedFacets = () =>
    new Set(all<{ token: string }>('SELECT token FROM facets').map(({ token }) => token))
  let knownFacets = storedFacets()
  let lastId = 0

  /** Returns the new document's id: the first of its time, or the next free one. */
  function insertDocument(session: number, { seq, kind, part, tool, at }: NewDocument): number {
    const ofTime = idAt(at)
    // Continues after the last id; otherwise documents of the same millisecond would retry the same ids.
    let id = lastId >= ofTime && lastId < ofTime + documentsPerMs ? lastId + 1 : ofTime
    const insert = prepared(
      'INSERT OR IGNORE INTO documents (id, session, seq, kind, part, tool) VALUES (?, ?, ?, ?, ?, ?)',
    )
    while (insert.run(id, session, seq, searchKinds.indexOf(kind), part, tool).changes === 0) id++
    lastId = id
    return id
  }

  /** Returns the id of the task's row. A new row has no position until the documents are committed. */
  function saveSession({ taskId, title }: Pick<IndexedSession, 'taskId' | 'title'>): number {
    const saved = prepared(
      `INSERT INTO sessions (task, title, last_seq, last_sum) VALUES (?, ?, 0, NULL)
       ON CONFLICT (task) DO UPDATE SET title = excluded.title
       RETURNING id`,
    ).get(taskId, title) as { id: number }
    return saved.id
  }

  function addDocument(session: number, document: NewDocument): void {
    const { kind, text, paths, tool, model, isError } = document
    const tokens = [
      facet('kind', kind),
      ...(tool === null ? [] : [facet('tool', tool)]),
      ...(model === null ? [] : [facet('model', model)]),
    ]
    for (const token of tokens)
      if (!knownFacets.has(token)) {
        run('INSERT OR IGNORE INTO facets (token) VALUES (?)', token)
        knownFacets.add(token)
      }
    const searched = [...tokens, ...(isError ? [errorFacet] : [])]
    run(
      'INSERT INTO texts (rowid, text, paths, facets) VALUES (?, ?, ?, ?)',
      insertDocument(session, document),
      spaced(text),
      spaced(paths),
      searched.join(' '),
    )
    pending.documents++
    pending.chars += text.length
  }

  function removeDocuments(taskId: TaskId, which = ''): void {
    const ids = `SELECT id FROM documents
      WHERE session = (SELECT id FROM sessions WHERE task = ?) ${which}`
    run(`DELETE FROM texts WHERE rowid IN (${ids})`, taskId)
    run(`DELETE FROM documents WHERE id IN (${ids})`, taskId)
  }

  const sessionColumns = 'task AS taskId, title, last_seq AS lastSeq, last_sum AS lastSum'

  return {
    sessions: () => all(`SELECT ${sessionColumns} FROM sessions`),
    session: (taskId) =>
      all<IndexedSession>(`SELECT ${sessionColumns} FROM sessions WHERE task = ?`, taskId)[0] ??
      null,
    add(session, documents) {
      inTransaction(() => {
        const id = saveSession(session)
        for (const document of documents) addDocument(id, document)
        for (const tool of new Set(documents.flatMap((document) => document.tool ?? [])))
          run('INSERT OR IGNORE INTO tools (name, session) VALUES (?, ?)', tool, id)
      })
    },
    isCommitDue,
    savePosition({ taskId, lastSeq, lastSum }) {
      if (!db.isTransaction) return
      inTransaction(() => {
        const position = 'UPDATE sessions SET last_seq = ?, last_sum = ? WHERE task = ?'
        run(position, lastSeq, lastSum, taskId)
      })
      if (isCommitDue()) commit()
    },
    commit,
    retitle(taskId, document) {
      inTransaction(() => {
        const session = run('UPDATE sessions SET title = ? WHERE task = ?', document.text, taskId)
        if (session.changes === 0) return
        const title = searchKinds.indexOf('title')
        removeDocuments(taskId, `AND seq IS NULL AND kind = ${title}`)
        const [{ id } = { id: 0 }] = all<{ id: number }>(
          'SELECT id FROM sessions WHERE task = ?',
          taskId,
        )
        addDocument(id, document)
      })
      commit()
    },
    remove(taskId) {
      inTransaction(() => {
        removeDocuments(taskId)
        run('DELETE FROM tools WHERE session = (SELECT id FROM sessions WHERE task = ?)', taskId)
        run('DELETE FROM sessions WHERE task = ?', taskId)
      })
      commit()
    },
    newest({ match, taskIds, after, before, limit }) {
      const conditions = ['d.id >= ? AND d.id < ?']
      // Bound as integers: FTS5 ignores floating-point bounds and would read all rows.
      const values: SQLInputValue[] = [
        BigInt(after === null ? 0 : idAt(after)),
        BigInt(before === null ? Number.MAX_SAFE_INTEGER : idAt(before)),
      ]
      if (match !== null) {
        conditions.push('texts MATCH ? AND texts.rowid >= ? AND texts.rowid < ?')
        values.push(match, ...values.slice(0, 2))
      }
      if (taskIds !== null) {
        conditions.push('s.task IN (SELECT value FROM json_each(?))')
        values.push(JSON.stringify(taskIds))
      }
      const from = match === null ? 'documents d' : 'texts JOIN documents d ON d.id = texts.rowid'
      const rows = all<Omit<Candidate, 'kind' | 'at'> & { id: number; kind: number }>(
        `SELECT d.id, s.task AS taskId, d.kind, d.seq, d.part, d.tool
         FROM ${from} CROSS JOIN sessions s ON s.id = d.session
         WHERE ${conditions.join(' AND ')}
         ORDER BY ${match === null ? 'd.id' : 'texts.rowid'} DESC LIMIT ?`,
        ...values,
        limit,
      )
      return rows.map(({ id, kind, ...row }) => ({
        ...row,
        kind: searchKinds[kind] ?? 'foreign',
        at: Math.floor(id / documentsPerMs),
      }))
    },
    vocabulary() {
      db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab (main, texts, 'col')")
      const words = prepared("SELECT term FROM temp.words WHERE col <> 'facets'").iterate()
      return createVocabulary(words.map((row) => String(row.term)))
    },
    facets: () => [...knownFacets],
    tools: () =>
      all<{ name: string }>('SELECT DISTINCT name FROM tools ORDER BY name').map(
        ({ name }) => name,
      ),
    tasksUsing: (tool) =>
      all<{ task: TaskId }>(
        'SELECT s.task FROM tools t JOIN sessions s ON s.id = t.session WHERE t.name = ?',
        tool,
      ).map(({ task }) => task),
    close: () => {
      if (!db.isOpen) return
      commit()
      db.close()
    },
  }
}

const idAt = (at: number): number => Math.max(0, Math.floor(at)) * documentsPerMs
