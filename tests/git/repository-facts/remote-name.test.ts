/** The name of a repository by its remote's address: what tells moved from other, and never a secret. */

import { expect, it } from 'vitest'
import { remoteName } from '../../../src/main/git/repository/remote-name.ts'
import fc, { anyText } from '../../random.ts'

it.each([
  'https://github.com/harbour/lights',
  'https://github.com/harbour/lights.git',
  'https://github.com/harbour/lights.git/',
  'https://GitHub.com/harbour/lights//',
  'https://ada:s3cret@github.com/harbour/lights.git',
  'https://ghp_0123456789012345678901234567890123456789@github.com/harbour/lights',
  'https://github.com:443/harbour/lights',
  'https://github.com/harbour/lights.git?token=s3cret#s3cret',
  'http://github.com/harbour/lights',
  'git://github.com/harbour/lights.git',
  'ssh://git@github.com/harbour/lights.git',
  'ssh://git@github.com:22/harbour/lights.git',
  'ssh://git@github.com:2222/harbour/lights.git',
  'git+ssh://git@github.com/harbour/lights.git',
  'git@github.com:harbour/lights.git',
  'git@GITHUB.com:/harbour/lights',
  'github.com:harbour/lights',
  '  https://github.com/harbour/lights\n',
])('%j is github.com/harbour/lights', (address) => {
  expect(remoteName(address)).toBe('github.com/harbour/lights')
})

it.each([
  ['https://git.example.org/Harbour/Lights', 'git.example.org/Harbour/Lights'],
  ['https://git.example.org/a%20b/c', 'git.example.org/a%20b/c'],
  ['https://git.example.org/li\u0000ghts\u202e', 'git.example.org/li%00ghts%E2%80%AE'],
  ['https://git.example.org/~ada/lights.git', 'git.example.org/~ada/lights'],
  ['ada@shed:lights.git', 'shed/lights'],
  // In this form there is no port: it is a folder called 2222.
  ['shed:2222/lights', 'shed/2222/lights'],
  // Servers side by side on one machine are told apart by it.
  ['http://localhost:3000/ada/lights', 'localhost:3000/ada/lights'],
  ['git@[::1]:ada/lights', '[::1]/ada/lights'],
  ['ssh://git@[::1]/ada/lights', '[::1]/ada/lights'],
  ['/srv/git/lights.git', 'file:/srv/git/lights'],
  ['/srv/git/lights/.git/', 'file:/srv/git/lights'],
  ['file:///srv/git/lights.git', 'file:/srv/git/lights'],
  ['C:\\git\\lights', 'file:C:/git/lights'],
])('%j is %s', (address, name) => {
  expect(remoteName(address)).toBe(name)
})

it.each(['', '  ', '\n'])('%j is none', (address) => {
  expect(remoteName(address)).toBeNull()
})

const hashed = /^sha256:[0-9a-f]{64}$/

it.each([
  'ext::sh -c "curl https://ada:s3cret@shed/lights"',
  'https://ada:s3c/ret@github.com/harbour/lights',
  'ada:s3cret@shed:lights',
  'http//ada:s3cret@shed/lights',
  '../lights',
  '/srv/git/li\u202eghts',
  'git@shed:li\u0000ghts',
  'file://ada:s3cret@shed/lights',
  'https://github.com/ghp_0123456789012345678901234567890123456789/lights@s3cret',
  `https://github.com/${'a'.repeat(5000)}`,
  '://',
  'https://',
  '\u0000',
])('keeps of %j no more than a hash', (address) => {
  expect(remoteName(address)).toMatch(hashed)
})

it('gives the same hash for the same address only, with and without who asks', () => {
  expect(remoteName('ext::one')).not.toBe(remoteName('ext::two'))
  expect(remoteName('../lights')).toBe(remoteName('../lights'))
  expect(remoteName('ada:s3cret@shed:lights')).toBe(remoteName('bob:0ther@shed:lights'))
})

it('never throws, and never returns the part before an @', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (before, after) => {
      const name = remoteName(`${before}hunter2hunter2@${after}`)
      expect(name ?? '').not.toContain('hunter2hunter2')
      expect((name ?? '').length).toBeLessThan(1000)
    }),
  )
  const segment = anyText({ minLength: 1 }).map((text) => encodeURIComponent(text.toWellFormed()))
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join('/'))
  fc.assert(
    fc.property(fc.constantFrom('https', 'ssh', 'git'), path, fc.string(), (scheme, at, query) => {
      const address = (who: string) => `${scheme}://${who}shed.example/${at}?${query}#${query}`
      expect(remoteName(address('ada:hunter2@'))).toBe(remoteName(address('')))
    }),
  )
})
