import { expect, it } from 'vitest'
import { nearestText } from '../../../src/shared/text/nearest-text.ts'

it('finds the text with the fewest typing errors', () => {
  const tools = ['bash', 'bash_output', 'edit_file', 'read_file', 'write_file']
  expect(nearestText('bsh', tools)).toBe('bash')
  expect(nearestText('Bahs', tools)).toBe('bash')
  expect(nearestText('edit_flie', tools)).toBe('edit_file')
  expect(nearestText('rite_file', tools)).toBe('write_file')
})

it('finds nothing if no text is near', () => {
  expect(nearestText('ls', ['js', 'bash'])).toBeNull()
  expect(nearestText('webfetch', ['bash', 'edit_file'])).toBeNull()
  expect(nearestText('', ['a'])).toBeNull()
  expect(nearestText('x'.repeat(1_000), ['x'.repeat(999)])).toBeNull()
})
