import { describe, expect, it } from 'vitest'
import { formatRoute, parseRoute, type Route } from '../../../../src/renderer/store/window/route.ts'

describe('route', () => {
  const routes: Route[] = [
    { screen: 'home' },
    { screen: 'project', projectId: 'abcd' },
    { screen: 'task', taskId: 'abcd', transcriptOf: null },
    { screen: 'task', taskId: 'abcd', transcriptOf: 'ef01' },
    { screen: 'task', taskId: 'abcd', transcriptOf: null, seq: 12 },
    { screen: 'task', taskId: 'abcd', transcriptOf: 'ef01', seq: 1 },
    { screen: 'archive', taskId: null, tab: 'report' },
    { screen: 'archive', taskId: 'abcd', tab: 'transcript', seq: 3 },
    { screen: 'task', taskId: 'abcd', transcriptOf: null, seq: 3, find: 'a & b?' },
    {
      screen: 'archive',
      taskId: 'abcd',
      tab: 'transcript',
      filter: { kind: 'errors', tool: 'bash', file: 'src/a b.ts' },
    },
    {
      screen: 'task',
      taskId: 'abcd',
      transcriptOf: 'ef01',
      filter: { kind: null, tool: null, file: null },
    },
    { screen: 'transcript', taskId: 'abcd' },
    { screen: 'transcript', taskId: 'abcd', seq: 7 },
    { screen: 'search', query: '' },
    { screen: 'search', query: 'is:error "a/b?" #é&=' },
    { screen: 'archive', taskId: 'abcd', tab: 'transcript' },
    { screen: 'settings', section: null },
    { screen: 'settings', section: 'installed-agents' },
    { screen: 'trash' },
  ]

  it.each(routes)('is restored from its address: $screen', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route)
  })

  it('reads a deep link as the same address', () => {
    expect(parseRoute('shiplog://t/abcd')).toEqual(parseRoute('#/t/abcd'))
    const atEntry = { screen: 'task', taskId: 'abcd', transcriptOf: null, seq: 12 }
    expect(parseRoute('shiplog://task/abcd?seq=12')).toEqual(atEntry)
  })

  it.each(['0', '-1', '1.5', 'x', ''])('ignores %j, which is not an entry', (seq) => {
    expect(parseRoute(`#/t/abcd?seq=${seq}`)).toEqual(parseRoute('#/t/abcd'))
  })

  it.each(['#/nowhere', '#/%E0%A4%A', '#/old/page'])(
    'does not show another screen for %j',
    (hash) => {
      const route = parseRoute(hash)
      expect(route).toEqual({ screen: 'unknown', address: hash.slice(2) })
      expect(formatRoute(route)).toBe(hash)
    },
  )

  it.each(['', '#', '#/', '#/t', '#/p/'])('shows home for %j', (hash) => {
    expect(parseRoute(hash)).toEqual({ screen: 'home' })
  })

  it('keeps an invalid id as text, so that the screen can report it', () => {
    expect(parseRoute('#/t/%2e%2e%2fx')).toEqual({
      screen: 'task',
      taskId: '../x',
      transcriptOf: null,
    })
  })
})
