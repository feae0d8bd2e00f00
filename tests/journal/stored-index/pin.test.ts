import { expect, it } from 'vitest'
import { pinOf, pinsIn, textOfPins } from '../../../src/main/journal/pin.ts'

it('a pin is the beginning of a sum', () => {
  const sums = ['-_09azAZ and more', '________', 'AAAAAAAA']
  expect(textOfPins(sums.map(pinOf))).toBe('-_09azAZ________AAAAAAAA')
  expect(pinsIn('-_09azAZ________AAAAAAAA')).toEqual(sums.map(pinOf))
  expect(pinOf('________')).toBe(2 ** 48 - 1)
  for (const other of ['AAAAAAA', 'AAAAAAA.', 'AAAAAAAA=', 'AAAA AAAA'])
    expect(pinsIn(other)).toBeNull()
})
