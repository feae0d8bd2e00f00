import { expect, it } from 'vitest'
import { safePath } from '../../../src/main/hosts/cli/terminal/safe-text.ts'

it('shows a path with a line break as another one than with a space', () => {
  expect(safePath('/a\nb')).toBe('/a␊b')
  expect(safePath('/a b')).toBe('/a b')
})
