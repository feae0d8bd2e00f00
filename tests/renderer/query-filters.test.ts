import { describe, expect, it } from 'vitest'
import { filterValue, withFilter } from '../../src/renderer/views/search/query-filters.ts'

describe('filters in the text of a query', () => {
  it('are added, replaced and removed, and the words stay', () => {
    expect(withFilter('a "b c"', 'kind', 'report')).toBe('a "b c" kind:report')
    expect(withFilter('kind:report a kind:call', 'kind', 'plan')).toBe('a kind:plan')
    expect(withFilter('a project:"my app" b', 'project', null)).toBe('a b')
    expect(withFilter('', 'project', 'my app')).toBe('project:"my app"')
  })

  it('are read if there is one of a key', () => {
    expect(filterValue('a project:"my app"', 'project')).toBe('my app')
    expect(filterValue('kind:call kind:plan', 'kind')).toBeNull()
    expect(filterValue('-kind:call subkind:plan', 'kind')).toBeNull()
  })
})
