import { beforeEach, describe, expect, it } from 'vitest'
import { searchFilters } from '../../../src/shared/contract/search.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { runToEnd } from '../fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from '../fake-shiplog.ts'

let fake: FakeShiplog
let lead: TaskId

beforeEach(() => {
  fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  lead = fake.createTask({ projectId, title: 'Fix the parser' })
  fake.spawn(lead)
  fake.say(lead, 'The albatross \u001b[31mflew\u202e away.')
})

const run = (...argv: string[]) => runToEnd(['search', ...argv], { fake })

describe('search', () => {
  it('asks what to search for', async () => {
    const { code, stderr } = await run('')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name what'),
    })
  })

  it('lists every filter in its help', async () => {
    const { stdout } = await run('--help')
    for (const filter of searchFilters) expect(stdout).toContain(`${filter}:`)
  })

  it('prints each match with its task and entry, and shows hidden characters', async () => {
    const { code, stdout, stderr } = await run('albatross')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`^Fix the parser  message · ${lead.slice(0, 8)}:\\d+ · .*\\n    The albatross `),
    )
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('<U+202E>')
    expect(stderr).toContain(`shiplog transcripts show ${lead.slice(0, 8)} --from `)
  })

  it('answers --json with one document, and passes filters on', async () => {
    const { code, stdout, stderr } = await run(
      'albatross',
      'flew',
      '--json',
      '--kind',
      'transcript',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      query: 'albatross flew',
      hits: [{ kind: 'message', taskId: lead, title: 'Fix the parser', archived: false }],
      took_ms: expect.any(Number),
    })
    expect(JSON.parse(stdout).hits[0].at).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(fake.asked('search.find')).toMatchObject([
      { query: expect.stringMatching(/^albatross flew kind:title .*kind:foreign$/), wait: true },
    ])
    await run('x', '--project', '/code/api', '--regex', '--limit', '3')
    expect(fake.asked('search.find').at(-1)).toMatchObject({
      query: 'x project:"/code/api"',
      isPattern: true,
      limit: 3,
    })
  })

  it('refuses a folder that is no project with 3, unless something of it is found', async () => {
    const none = await run('albatross', '--project', '/code/apo')
    expect(none).toMatchObject({ code: 3, stdout: '' })
    expect(none.stderr).toContain('/code/apo is not a project of Shiplog.')
    expect(await run('nothing-like-it', '--project', '/code/api')).toMatchObject({ code: 0 })
  })

  it('reports that nothing matches, what was not searched, and an invalid query', async () => {
    expect(await run('nothing-like-it')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No matches.\n',
    })
    const wrong = await run('is:wrong')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('is:wrong is not known. Use is: with one of error, archived')
    fake.given.searchIndex = { state: 'unavailable', indexed: 0, total: 1, reason: 'no SQLite' }
    expect((await run('albatross')).stderr).toContain('can’t be used (no SQLite)'.replace('’', "'"))
    expect((await run()).code).toBe(2)
  })
})

describe('transcripts find', () => {
  const find = (...argv: string[]) => runToEnd(['transcripts', 'find', ...argv], { fake })

  it('prints each text with a match, its entry and a line of it, and shows hidden characters', async () => {
    const { code, stdout, stderr } = await find(lead, 'ALBATROSS')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+ {2}message\n {4}The albatross .*<U\+202E> away\.\n$/)
    expect(stdout).not.toContain('\u001b')
    expect(stderr).toContain(`1 match in 1 text. \`shiplog transcripts show ${lead} --from ENTRY`)
    expect((await find(lead, 'ALBATROSS', '--case')).stderr).toBe('No matches.\n')
    expect((await find(lead, 'batross', '--word')).stderr).toBe('No matches.\n')
  })

  it('answers --json with one document, and says what is wrong with an expression', async () => {
    const { stdout } = await find(lead, 'al\\w+', '--regex', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      query: { text: 'al\\w+', isPattern: true },
      matches: 1,
      placeCount: 1,
      places: [{ kind: 'message', count: 1, texts: ['albatross'], marks: [[4, 13]] }],
    })
    const wrong = await find(lead, '(a', '--regex')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('(a is not a regular expression: unterminated group.')
  })
})
