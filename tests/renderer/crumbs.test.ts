import { expect, it } from 'vitest'
import { crumbsOf } from '../../src/renderer/views/task/crumbs.ts'

it('collapses the middle of a deep breadcrumb, never the root or the parent', () => {
  expect(crumbsOf([])).toEqual({ first: [], hidden: [], last: [] })
  expect(crumbsOf(['root', 'one'])).toEqual({ first: ['root', 'one'], hidden: [], last: [] })
  expect(crumbsOf(['root', 'one', 'two', 'three', 'parent'])).toEqual({
    first: ['root'],
    hidden: ['one', 'two', 'three'],
    last: ['parent'],
  })
})
