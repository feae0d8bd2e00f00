import { expect, it } from 'vitest'
import {
  fingerprintOf,
  fingerprintsIn,
  textOfFingerprints,
} from '../../../src/main/journal/fingerprint.ts'

it('a fingerprint is the beginning of a sum', () => {
  const sums = ['-_09azAZ and more', '________', 'AAAAAAAA']
  expect(textOfFingerprints(sums.map(fingerprintOf))).toBe('-_09azAZ________AAAAAAAA')
  expect(fingerprintsIn('-_09azAZ________AAAAAAAA')).toEqual(sums.map(fingerprintOf))
  expect(fingerprintOf('________')).toBe(2 ** 48 - 1)
  for (const other of ['AAAAAAA', 'AAAAAAA.', 'AAAAAAAA=', 'AAAA AAAA'])
    expect(fingerprintsIn(other)).toBeNull()
})
