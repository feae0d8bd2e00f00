import { afterEach, expect, it, vi } from 'vitest'
import { tokensOf } from '../../src/renderer/components/text/highlight-tokens.ts'

afterEach(() => vi.restoreAllMocks())

it('highlights the same on a machine so busy that each step takes a second', async () => {
  const code = '// A comment.\nexport const answer = 42\n'
  let nowMs = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => {
    nowMs += 1_000
    return nowMs
  })
  const lines = await tokensOf({ code, language: 'typescript' })
  expect(lines?.[0]).toEqual([['// A comment.', 'var(--code-token-comment)']])
  expect(lines?.[1]).toContainEqual(['export', 'var(--code-token-keyword)'])
})
