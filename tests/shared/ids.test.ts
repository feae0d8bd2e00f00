import { describe, expect, it } from 'vitest'
import { newTaskId, parseTaskId, resolveId, type TaskId } from '../../src/shared/records/ids.ts'

const id = (start: string): TaskId => `${start}0000-0000-4000-8000-000000000000` as TaskId

describe('ids', () => {
  it('[A3] refuses any id that is not a UUID v4, such as a path', () => {
    for (const text of [
      '../../x',
      '',
      '..',
      'a/b',
      `${id('aaaa')}/..`,
      42,
      null,
      id('aaaa').toUpperCase().slice(1),
    ]) {
      expect(parseTaskId(text)).toBeNull()
    }
    const minted = newTaskId()
    expect(parseTaskId(minted)).toBe(minted)
  })

  it('[S1] finds by a unique prefix of four characters or more; an exact match wins', () => {
    const ids = [id('abcd'), id('abce'), id('ffff')]
    expect(resolveId('ffff', ids)).toEqual({ kind: 'found', id: ids[2] })
    expect(resolveId('FFFF', ids)).toEqual({ kind: 'found', id: ids[2] })
    expect(resolveId('fff', ids)).toEqual({ kind: 'not-found', text: 'fff' })
    expect(resolveId('abc', ids)).toEqual({ kind: 'not-found', text: 'abc' })
    expect(resolveId(ids[0] as string, ids)).toEqual({ kind: 'found', id: ids[0] })
  })

  it('[S1] lists the candidates of an ambiguous prefix', () => {
    const ids = [id('abcdef'), id('abcdee')].map(
      (one) => one.replace('0000-0000', '00-0000') as TaskId,
    )
    expect(resolveId('abcd', ids)).toEqual({ kind: 'ambiguous', text: 'abcd', candidates: ids })
  })
})
