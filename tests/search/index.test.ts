import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openJournal, type RecordBody } from '../../src/main/journal/index.ts'
import { find } from '../../src/main/search/index/find.ts'
import { isDamaged, openIndexDb } from '../../src/main/search/index/index-file.ts'
import { indexSession } from '../../src/main/search/index/session-indexer.ts'
import { parseQuery } from '../../src/main/search/query/query.ts'
import type { SearchSort } from '../../src/shared/contract/search.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { session } from '../fixtures/entries/builder.ts'
import { temporaryDir } from '../harness.ts'
import fc, { anyText } from '../random.ts'

/** An index, and transcripts that are added to it. */
async function opened() {
  const dir = await temporaryDir()
  const file = join(dir, 'search.db')
  const db = await openIndexDb(file)
  onTestFinished(() => db.close())
  const add = async (entries: Entry[], { taskId = newTaskId(), title = 'Untitled' } = {}) => {
    const chat = join(dir, `${taskId}.jsonl`)
    const journal = await openJournal(chat)
    for (const { seq, ...body } of entries)
      if (seq > journal.lastSeq) await journal.append(body as RecordBody)
    await journal.close()
    const added = await indexSession(db, { taskId, title, createdAt: 0, file: chat, report: null })
    return { taskId, chat, added }
  }
  const search = (query: string, taskIds: TaskId[] | null = null, sort: SearchSort = 'best') =>
    find(db, db.vocabulary(), { query: parseQuery(query, 0), taskIds, limit: 100, sort, nowMs: 0 })
  /** The kinds and places of the hits, best first. */
  const hits = (query: string, taskIds: TaskId[] | null = null) =>
    search(query, taskIds).hits.map(({ kind, seq }) => `${kind} ${seq}`)
  return { dir, file, db, add, search, hits }
}

it('ignores a filter without its value', () => {
  const keel = parseQuery('keel', 0)
  expect(parseQuery('keel tool:', 0)).toEqual(keel)
  expect(parseQuery('-is: keel', 0)).toEqual(keel)
  expect(parseQuery('tool: keel', 0)).toEqual(keel)
  expect(parseQuery('"tool:"', 0).terms).toEqual([[{ text: 'tool:', isPhrase: true }]])
  expect(parseQuery('https:', 0).terms).toEqual([[{ text: 'https:', isPhrase: false }]])
  expect(parseQuery('tool:bash', 0).tools).toEqual(['bash'])
})

it('joins the words beside an OR, and nothing else', () => {
  const texts = (query: string) =>
    parseQuery(query, 0).terms.map((term) => term.map(({ text }) => text).join('|'))
  expect(texts('red keel OR mast OR "main sail" blue')).toEqual([
    'red',
    'keel|mast|main sail',
    'blue',
  ])
  // The small word and the quoted one are looked for, and so is one that joins nothing.
  expect(texts('keel or mast')).toEqual(['keel', 'or', 'mast'])
  expect(texts('keel "OR" mast')).toEqual(['keel', 'OR', 'mast'])
  expect(texts('OR keel')).toEqual(['OR', 'keel'])
  // The rest is still to be typed.
  expect(texts('keel OR')).toEqual(['keel'])
  expect(texts('keel OR tool:')).toEqual(['keel'])
  expect(parseQuery('tool:bash OR tool:edit', 0).tools).toEqual(['bash', 'edit'])
  for (const query of [
    'keel OR -mast',
    '-keel OR mast',
    'keel OR tool:bash',
    'tool:bash OR is:error',
  ])
    expect(() => parseQuery(query, 0)).toThrow(/^OR joins two words/u)
  expect(parseQuery('keel OR mast', 0, { isPattern: true }).pattern).toBe('keel OR mast')
})

const someSession = () => session(newTaskId()).runStart()

const bash = (command: string, output: string, exitCode = 0) => ({
  call: {
    name: 'bash',
    input: { command },
    output,
    detail: { kind: 'bash' as const, exitCode, timedOut: false, omittedBytes: 0 },
  },
})

it('knows which tasks called a tool, until they are removed', async () => {
  const { add, db } = await opened()
  const listing = someSession().turn([bash('ls', 'README.md')]).entries
  const { taskId } = await add(listing)
  await add(someSession().prompt('No tools').entries)
  expect(db.tools()).toEqual(['bash'])
  expect(db.tasksUsing('bash')).toEqual([taskId])
  expect(db.tasksUsing('edit_file')).toEqual([])
  db.remove(taskId)
  expect(db.tools()).toEqual([])
})

describe('a search', () => {
  it('[F1] finds words, phrases, prefixes and parts of identifiers, and nothing else', async () => {
    const { add, hits } = await opened()
    await add(someSession().prompt('Fix parseLedgerLine in src/main.ts').entries)
    for (const query of [
      'fix',
      'PARSELEDGERLINE',
      'parseLed',
      'ledgerli',
      'erline in src/ma',
      '"fix parseledgerline"',
      'main.ts fix',
      'fix -absent',
      'absent OR ledgerli',
      'fix "no such words" OR "in src"',
      'fix nowhere OR main.ts -absent',
    ])
      expect([query, hits(query)]).toEqual([query, ['prompt 2']])
    for (const query of [
      '"parseledgerline fix"',
      '"parseled"',
      'fix -main',
      'fix absent',
      'in.parse',
      'zz',
      '"erline in"',
      'erline-src',
      'fix absent OR nowhere',
      'absent OR fix nowhere',
      '->',
    ])
      expect([query, hits(query)]).toEqual([query, []])
  })

  it('[F1] finds text in scripts without spaces, and accents with or without', async () => {
    const { add, hits } = await opened()
    await add(someSession().prompt('日本語の検索を直す。 Größe prüfen, cafe\u0301').entries)
    for (const query of [
      '検索',
      '検',
      '語の検',
      'GRÖßE',
      'grö',
      'grosse',
      'prufen',
      'CAFÉ',
      'cafe',
    ])
      expect([query, hits(query)]).toEqual([query, query === 'grosse' ? [] : ['prompt 2']])
    expect(hits('索検')).toEqual([])
  })

  it('[F1] finds every part of every word', async () => {
    const { add, hits } = await opened()
    const words = fc.array(fc.stringMatching(/^[a-zA-Zäöüß0-9]{3,20}$/), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(words, fc.nat(), fc.nat(), async (list, from, length) => {
        const { taskId } = await add(someSession().prompt(list.join(' ')).entries)
        const word = list[from % list.length] ?? ''
        const start = from % (word.length - 2)
        const part = word.slice(start, start + 3 + (length % (word.length - start - 2)))
        expect(hits(part, [taskId])).toEqual(['prompt 2'])
      }),
      { numRuns: 60 },
    )
  })

  it('searches prompts, messages, reasoning, calls, outputs, reports, plans and paths, each by its kind', async () => {
    const { add, hits } = await opened()
    const { entries } = someSession()
      .prompt('needle one')
      .turn([
        { think: 'needle two' },
        { say: 'needle three' },
        bash('grep needle', 'needle four'),
        {
          call: {
            name: 'agent_report',
            input: { title: 'T', markdown: 'needle five' },
            output: '',
          },
        },
        { call: { name: 'write_file', input: { path: 'src/needle.ts', content: '' }, output: '' } },
        { call: { name: 'update_plan', input: { items: [{ text: 'needle' }] }, output: '' } },
      ])
      .unknown('weird', { said: 'needle' })
    await add(entries)
    expect(hits('needle').toSorted()).toEqual(
      [
        'prompt 2',
        'call 3',
        'output 4',
        'report 5',
        'call 7',
        'plan 9',
        'message 11',
        'reasoning 11',
        'foreign 12',
      ].toSorted(),
    )
    expect(hits('needle').slice(0, 2)).toEqual(['report 5', 'prompt 2'])
  })

  it('narrows by filters, of which one key widens and different ones narrow', async () => {
    const { add, hits } = await opened()
    const { entries } = someSession()
      .prompt('go')
      .turn([bash('ls src', 'word'), bash('false', 'word', 1)])
      .turn([{ call: { name: 'read_file', input: { path: 'src/a.ts' }, output: 'word' } }])
    const one = await add(entries)
    const other = await add(someSession().prompt('word').entries)
    expect(hits('word tool:bash')).toHaveLength(2)
    expect(hits('word tool:bash tool:read')).toHaveLength(3)
    expect(hits('word is:error')).toEqual(['output 6'])
    expect(hits('word tool:read is:error')).toEqual([])
    expect(hits('tool:nosuch')).toEqual([])
    expect(hits('file:src/a.ts')).toEqual(['call 8'])
    expect(hits('file:a.ts')).toEqual(['call 8'])
    expect(hits('file:b.ts')).toEqual([])
    expect(hits('kind:prompt kind:call').toSorted()).toEqual(
      ['call 3', 'call 5', 'call 8', 'prompt 2', 'prompt 2'].toSorted(),
    )
    expect(hits('word', [other.taskId])).toEqual(['prompt 2'])
    expect(hits('word', [])).toEqual([])
    expect(hits('word', [one.taskId])).toHaveLength(3)
  })

  it('counts all hits by task and kind, and says that there are more than it ranks', async () => {
    const { add, search } = await opened()
    const entries = someSession()
    for (let n = 0; n < 120; n++) entries.prompt(`keel ${n}`)
    const { taskId } = await add(entries.entries)
    const { hits, counts, countIsMinimum } = search('keel')
    expect(hits).toHaveLength(100)
    expect(counts).toEqual([{ taskId, kind: 'prompt', count: 120 }])
    expect(countIsMinimum).toBe(false)
    for (let n = 0; n < 400; n++) entries.prompt(`keel again ${n}`)
    await add(entries.entries)
    expect(search('keel').countIsMinimum).toBe(true)
  })

  it('finds the newest first, whatever their kind and fit', async () => {
    const { add, search } = await opened()
    await add(
      someSession()
        .prompt('keel')
        .turn([bash('ls', 'outkeeled')]).entries,
    )
    const kinds = (sort: SearchSort) => search('keel', null, sort).hits.map(({ kind }) => kind)
    expect(kinds('best')).toEqual(['prompt', 'output'])
    expect(kinds('newest')).toEqual(['output', 'prompt'])
  })

  it('finds by time', async () => {
    const { add, hits } = await opened()
    const startMs = new Date(2026, 9, 15).getTime()
    await add(session(newTaskId(), { startMs }).runStart().prompt('word').entries)
    expect(hits('word after:2026-10')).toHaveLength(1)
    expect(hits('word after:2026-10-16')).toEqual([])
    expect(hits('word before:2026-10-15')).toEqual([])
    expect(hits('word after:2026-10-15 before:2026-10-16')).toHaveLength(1)
    expect(() => hits('after:2026-13')).toThrow('is not a date')
    expect(() => hits('is:nothing')).toThrow('is not known')
  })

  it('begins a day where the user is', () => {
    const zone = process.env.TZ
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    })
    process.env.TZ = 'Pacific/Auckland'
    const { after } = parseQuery('after:2026-10-15', Date.now())
    expect(after).toBe(Date.parse('2026-10-15T00:00:00+13:00'))
  })

  it('accepts any text as a query', async () => {
    const { add, hits } = await opened()
    await add(someSession().prompt('word').entries)
    await fc.assert(
      fc.asyncProperty(anyText(), async (text) => {
        expect(Array.isArray(hits(`"${text}`))).toBe(true)
        expect(Array.isArray(hits(text.replaceAll(':', '')))).toBe(true)
      }),
      { numRuns: 200 },
    )
    for (const text of ['(', '"', 'NEAR(word', 'word AND', '*', 'text:word OR', '^word', "'; --"])
      expect(Array.isArray(hits(text))).toBe(true)
  })

  it('finds words in every part of a long output', async () => {
    const { add, search } = await opened()
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n} of many`)
    await add(someSession().turn([bash('print', lines.join('\n'))]).entries)
    for (const n of [0, 9_999, 19_999]) expect(search(`"line ${n}"`).hits).toHaveLength(1)
    expect(search('many').hits).toHaveLength(1)
  })
})

describe('the index', () => {
  it('[F2] reads only the new part of a transcript', async () => {
    const { add, hits } = await opened()
    const built = someSession().prompt('one')
    const { taskId, added } = await add(built.entries)
    expect(added).toBe(2)
    expect(await add(built.entries, { taskId })).toMatchObject({ added: 0 })
    built.turn([{ say: 'two' }])
    expect(await add(built.entries, { taskId })).toMatchObject({ added: 1 })
    expect(hits('one', [taskId])).toEqual(['prompt 2'])
    expect(hits('two', [taskId])).toEqual(['message 3'])
  })

  it('[F2] has nothing of a transcript after a kill before the commit, and all of it after one', async () => {
    const { dir, file, add, db } = await opened()
    /** The index that a process finds that starts now, without the open transaction. */
    const asAfterKill = async (name: string) => {
      const copy = join(dir, name)
      for (const suffix of ['', '-wal']) await copyFile(`${file}${suffix}`, `${copy}${suffix}`)
      const found = await openIndexDb(copy)
      onTestFinished(() => found.close())
      return found
    }
    const one = await add(someSession().prompt('one').entries)
    const two = await add(someSession().prompt('two').entries)
    expect((await asAfterKill('before.db')).sessions()).toEqual([])
    db.commit()
    const kept = await asAfterKill('after.db')
    for (const { taskId, chat } of [one, two]) {
      expect(kept.session(taskId)).toMatchObject({ lastSeq: 2 })
      const session = { taskId, title: 'Untitled', createdAt: 0, file: chat, report: null }
      expect(await indexSession(kept, session)).toBe(0)
    }
  })

  it('[F2] adds a transcript again whose position was not saved', async () => {
    const { add, db, hits } = await opened()
    const { taskId } = await add(someSession().prompt('one').entries)
    db.savePosition({ taskId, lastSeq: 0, lastSum: null })
    await add(someSession().prompt('one').entries, { taskId })
    expect(hits('one')).toEqual(['prompt 2'])
  })

  it('[F2] indexes a replaced transcript again', async () => {
    const { add, hits, db } = await opened()
    const { taskId, chat } = await add(someSession().prompt('one').entries)
    await writeFile(chat, '')
    await add(someSession().prompt('three').entries, { taskId })
    expect(hits('one')).toEqual([])
    expect(hits('three')).toEqual(['prompt 2'])
    db.remove(taskId)
    expect(hits('three')).toEqual([])
    expect(db.sessions()).toEqual([])
  })

  it('keeps the report of a deleted transcript, and the newest title', async () => {
    const { add, hits, db } = await opened()
    const { taskId } = await add(someSession().prompt('one').entries, { title: 'Before' })
    expect(hits('before')).toEqual(['title null'])
    await add([], { taskId, title: 'After' })
    expect(hits('before')).toEqual([])
    expect(hits('after')).toEqual(['title null'])
    const report = { title: 'Result', markdown: 'It held.', at: 1 }
    await indexSession(db, { taskId, title: 'After', createdAt: 0, file: null, report })
    expect(hits('one')).toEqual([])
    expect(hits('held')).toEqual(['report null'])
    expect(hits('after')).toEqual(['title null'])
  })

  it('is created again if it has another version, is damaged, or is not a database', async () => {
    const { file, db, add } = await opened()
    await add(someSession().prompt('one').entries)
    db.close()
    const other = new DatabaseSync(file)
    other.exec('PRAGMA user_version = 99')
    other.close()
    const second = await openIndexDb(file)
    expect(second.sessions()).toEqual([])
    second.close()
    await writeFile(file, 'no database'.repeat(1_000))
    const third = await openIndexDb(file)
    expect(third.sessions()).toEqual([])
    third.close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('reports damage that is found later', async () => {
    const { file, db, add } = await opened()
    for (let n = 0; n < 60; n++)
      await add(
        someSession().prompt(Array.from({ length: 900 }, (_, k) => `w${n}x${k}`).join(' ')).entries,
      )
    db.close()
    const bytes = await readFile(file)
    bytes.fill(0xff, bytes.length / 2)
    await writeFile(file, bytes)
    const reopened = await openIndexDb(file)
    onTestFinished(() => reopened.close())
    expect(isDamaged(caught(() => reopened.vocabulary()))).toBe(true)
  })
})

function caught(work: () => unknown): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}
