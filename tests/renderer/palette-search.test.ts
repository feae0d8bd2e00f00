import { describe, expect, it } from 'vitest'
import { projectMarks, taskMarks } from '../../src/renderer/views/palette/distinguishing-marks.ts'
import { rankedMatches, scoreOf } from '../../src/renderer/views/palette/search.ts'
import type { ProjectId, TaskId } from '../../src/shared/records/ids.ts'

const id = '5706f4ab-0000-4000-8000-000000000000'
const matches = (query: string, title: string) => scoreOf(query, [title], id) !== null

describe('the palette', () => {
  it('finds a title by its words, in any order', () => {
    expect(matches('line parser', 'Cover the line parser')).toBe(true)
    expect(matches('parser cover', 'Cover the line parser')).toBe(true)
    expect(matches('prsr', 'Cover the line parser')).toBe(true)
    expect(matches('parser nothing', 'Cover the line parser')).toBe(false)
  })

  it('never matches scattered letters, of words or of ids', () => {
    expect(matches('stop', 'Shard 185: Document the error pages')).toBe(false)
    expect(matches('5f4', 'Cover the line parser')).toBe(false)
    expect(matches('5706', 'Cover the line parser')).toBe(true)
    expect(matches('0000', 'Cover the line parser')).toBe(false)
  })

  it('sorts by match, and keeps the order of equal matches', () => {
    const titles = ['Comparser', 'Parser two', 'Parser one', 'Docs']
    expect(rankedMatches(titles, (title) => scoreOf('parser', [title]))).toEqual([
      'Parser two',
      'Parser one',
      'Comparser',
    ])
  })

  it('sorts whole words before words that only begin so', () => {
    const titles = ['Fix issue 72', 'Fix issue 71', 'Fix issue 7']
    expect(rankedMatches(titles, (title) => scoreOf('issue 7', [title]))[0]).toBe('Fix issue 7')
  })

  it('finds a task by its agent or project, after those with it in the title', () => {
    const items = [
      { title: 'Write it', agent: 'tester' },
      { title: 'Tester of lines', agent: 'lead' },
    ]
    expect(
      rankedMatches(items, ({ title, agent }) => scoreOf('tester', [title, agent])).map(
        ({ title }) => title,
      ),
    ).toEqual(['Tester of lines', 'Write it'])
  })
})

describe('entries of the palette with the same title', () => {
  const [api, site] = ['p-api', 'p-site'] as ProjectId[] as [ProjectId, ProjectId]
  const names = new Map([
    [api, 'api'],
    [site, 'site'],
  ])
  const task = (id: string, title: string, projectId = api) => ({
    id: `${id}-0000-4000-8000-000000000000` as TaskId,
    title,
    projectId,
  })
  const marksOf = (...tasks: ReturnType<typeof task>[]) =>
    tasks.map(({ id }) => taskMarks(tasks, names).get(id) ?? null)

  it('are distinguished by their project, or by a short id if that is the same', () => {
    expect(marksOf(task('aaaaaaaa', 'Fix it'), task('bbbbbbbb', 'Write it'))).toEqual([null, null])
    expect(marksOf(task('aaaaaaaa', 'Fix it'), task('bbbbbbbb', 'fix it ', site))).toEqual([
      'api',
      'site',
    ])
    expect(marksOf(task('aaaaaaaa', 'Fix it'), task('bbbbbbbb', 'Fix it'))).toEqual([
      'aaaaaaaa',
      'bbbbbbbb',
    ])
    expect(
      marksOf(
        task('aaaaaaaa', 'Fix it'),
        task('bbbbbbbb', 'Fix it'),
        task('cccccccc', 'Fix it', site),
      ),
    ).toEqual(['api · aaaaaaaa', 'api · bbbbbbbb', 'site'])
  })

  it('are projects in different folders', () => {
    const project = (id: ProjectId, name: string, dir: string) => ({ id, name, dir })
    const other = project('p-other' as ProjectId, 'docs', '/docs')
    const marks = projectMarks([
      project(api, 'app', '/a/app'),
      project(site, 'app', '/b/app'),
      other,
    ])
    expect([...marks]).toEqual([
      [api, '/a/app'],
      [site, '/b/app'],
    ])
  })
})
