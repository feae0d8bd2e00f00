import { describe, expect, it } from 'vitest'
import { found, scoreOf } from '../../src/renderer/views/palette/search.ts'

const id = '5706f4ab-0000-4000-8000-000000000000'
const matches = (query: string, title: string) => scoreOf(query, [title], id) !== null

describe('the palette', () => {
  it('finds by the words of a title, in any order', () => {
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

  it('puts the better match first, and keeps the order of equals', () => {
    const titles = ['Comparser', 'Parser two', 'Parser one', 'Docs']
    expect(found(titles, (title) => scoreOf('parser', [title]))).toEqual([
      ...['Parser two', 'Parser one', 'Comparser'],
    ])
  })

  it('finds a task by its agent or project, after those with it in the title', () => {
    const items = [
      { title: 'Write it', agent: 'tester' },
      { title: 'Tester of lines', agent: 'lead' },
    ]
    expect(
      found(items, ({ title, agent }) => scoreOf('tester', [title, agent])).map(
        ({ title }) => title,
      ),
    ).toEqual(['Tester of lines', 'Write it'])
  })
})
