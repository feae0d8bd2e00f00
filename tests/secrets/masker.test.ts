import { describe, expect, it } from 'vitest'
import { createMasker } from '../../src/main/secrets/masker.ts'

// Parts, so that no scanner takes this file for a leak.
const stripe = ['sk', 'live', '51Hx9QeZvKYlo2CAb+/='].join('_')
const password = 'p@ss w0rd/ü"x'
const pem = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  '-----END PRIVATE KEY-----',
].join('\n')

function maskerOf(...secrets: [name: string, value: string][]) {
  const masker = createMasker()
  masker.learn(secrets.map(([name, value]) => ({ name, value })))
  return masker
}
const masker = maskerOf(['STRIPE_KEY', stripe], ['DB_PASSWORD', password], ['DEPLOY_KEY', pem])

const base64 = (text: string) => Buffer.from(text).toString('base64')
const wrapped = (text: string, width: number) =>
  text.replace(new RegExp(`.{${width}}`, 'g'), '$&\n')

describe('known values', () => {
  it.each([
    ['as it is', `a ${stripe} b`, 'a [hidden: STRIPE_KEY] b'],
    ['twice in a row', stripe + stripe, '[hidden: STRIPE_KEY][hidden: STRIPE_KEY]'],
    ['two kinds', `${stripe}${password}`, '[hidden: STRIPE_KEY][hidden: DB_PASSWORD]'],
    ['URL-encoded', `?k=${encodeURIComponent(password)}&`, '?k=[hidden: DB_PASSWORD]&'],
    [
      'URL-encoded in small letters',
      encodeURIComponent(password).toLowerCase().replace('p', 'p'),
      '[hidden: DB_PASSWORD]',
    ],
    [
      'as a form sends it',
      encodeURIComponent(password).replaceAll('%20', '+'),
      '[hidden: DB_PASSWORD]',
    ],
    ['in JSON', JSON.stringify({ a: password }), '{"a":"[hidden: DB_PASSWORD]"}'],
    ['a line of a key', 'x\n  MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n', 'x\n  [hidden: DEPLOY_KEY]\n'],
  ])('[K3] are hidden %s', (_, text, hidden) => expect(masker.text(text)).toBe(hidden))

  it.each([0, 1, 2, 3, 4, 5])(
    '[K3] are hidden in base64 of a text with %i bytes before',
    (before) => {
      for (const after of ['', 'a', 'ab', 'abc\n']) {
        for (const encoded of [
          base64('x'.repeat(before) + stripe + after),
          Buffer.from('x'.repeat(before) + stripe + after).toString('base64url'),
          wrapped(base64('x'.repeat(before) + stripe + after), 7),
        ]) {
          expect(masker.text(encoded)).toContain('[hidden: STRIPE_KEY]')
          const left = masker.text(encoded).replace('[hidden: STRIPE_KEY]', '').replaceAll('\n', '')
          expect(left.length).toBeLessThanOrEqual(Math.ceil((before + after.length + 2) * 2))
        }
      }
    },
  )

  it('[K3] are masked wherever a stream is split', () => {
    const text = `a ${stripe}${password} b ${encodeURIComponent(password)} ${base64(`xy${stripe}`)} ${stripe.slice(0, 9)}`
    const whole = masker.text(text)
    for (let size = 1; size < 30; size++) {
      const stream = masker.stream()
      let out = ''
      for (let at = 0; at < text.length; at += size) {
        out += stream.push(text.slice(at, at + size))
        expect(whole.startsWith(out)).toBe(true)
      }
      expect(out + stream.end()).toBe(whole)
    }
  })

  it('[K3] do not delay text that can’t be part of one', () => {
    expect(masker.stream().push('Hello, I read the file ')).toBe('Hello, I read the file ')
  })

  it('[K3] of several names: a longer value has one mark, and overlaps leave no rest', () => {
    const both = maskerOf(
      ['SHORT_KEY', 'abcdefgh12'],
      ['LONG_KEY', 'abcdefgh1234'],
      ['END_KEY', '34567890ab'],
    )
    expect(both.text('-abcdefgh1234-')).toBe('-[hidden: LONG_KEY]-')
    expect(both.text('-abcdefgh1234567890ab-')).toBe('-[hidden: LONG_KEY]-')
    expect(both.text('-abcdefgh12-')).toBe('-[hidden: SHORT_KEY]-')
  })

  it('[K3] that overlap are masked wherever a stream is split', () => {
    const both = maskerOf(['FIRST_KEY', 'abcdefgh1234'], ['SECOND_KEY', '1234567890ab'])
    for (const text of ['-abcdefgh1234-', '-abcdefgh1234567890ab-', '-abcdefgh12345-']) {
      for (let at = 0; at <= text.length; at++) {
        const stream = both.stream()
        const [before, after] = [stream.push(text.slice(0, at)), stream.push(text.slice(at))]
        expect(both.text(text).startsWith(before)).toBe(true)
        expect(before + after + stream.end()).toBe(both.text(text))
      }
    }
  })

  it('[K3] are masked in every string of a value', () => {
    expect(masker.value({ a: [stripe, 1, null], [stripe]: { b: `x${stripe}` } })).toEqual({
      a: ['[hidden: STRIPE_KEY]', 1, null],
      '[hidden: STRIPE_KEY]': { b: 'x[hidden: STRIPE_KEY]' },
    })
  })

  it('[K3] learnt in the middle of a stream are masked from then on', () => {
    const learning = createMasker()
    const stream = learning.stream()
    expect(stream.push('one ')).toBe('one ')
    learning.learn([{ name: 'NEW_KEY', value: 'q1w2e3r4t5' }])
    expect(stream.push('q1w2e3r4t5 two')).toBe('[hidden: NEW_KEY] two')
  })

  it.each([
    ['short', 'a1b2c3d'],
    ['a path', '/usr/lib/ssl/key.pem'],
    ['a path of a home', '~/.ssh/id_ed25519'],
    ['a path of Windows', 'C:\\Users\\a\\key.pem'],
    ['a number', '1234567890123'],
    ['a plain word', 'development'],
    ['a bare address', 'https://api.example.com/v1'],
  ])('[K3] are never what is %s', (_, value) => {
    expect(maskerOf(['SOME_KEY', value]).text(`x ${value} x`)).toBe(`x ${value} x`)
  })

  it('[K3] includes the password of an address', () => {
    const url = maskerOf(['DATABASE_URL', 'postgres://app:s3cr3t%2Fpass@db.local/main'])
    expect(url.text('password s3cr3t/pass and s3cr3t%2Fpass')).toBe(
      'password [hidden: DATABASE_URL] and [hidden: DATABASE_URL]',
    )
  })
})

describe('the time of masking', () => {
  it('grows with the text and not with the number of values', () => {
    const many = createMasker()
    many.learn(
      Array.from({ length: 100 }, (_, at) => ({
        name: `KEY_${at}`,
        value: Buffer.from(`${at}-${Math.sin(at)}-${Math.cos(at)}`).toString('base64url'),
      })),
    )
    const lines = Array.from({ length: 40_000 }, (_, at) => `${at} ${base64(`line ${at * 7919}`)}`)
    const text = lines.join('\n')
    many.text(text.slice(0, 1000))
    const timed = (copies: number) => {
      // Joined, and not one string that is made of others: that would be measured as well.
      const given = Array.from({ length: copies }, () => text).join('\n')
      const before = process.cpuUsage()
      many.text(given)
      return process.cpuUsage(before).user
    }
    timed(1)
    const once = Math.min(timed(1), timed(1), timed(1))
    const many16 = timed(16)
    // Processor time, which other processes hardly change: quadratic work takes 256 times as much.
    expect(many16 / once).toBeLessThan(128)
  })

  it('is the same for a stream in small pieces that consist of prefixes', () => {
    const stream = masker.stream()
    const before = process.cpuUsage()
    let out = 0
    for (let at = 0; at < 200_000; at++) out += stream.push(at % 3 ? '\n' : 's').length
    out += stream.end().length
    expect(out).toBe(200_000)
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000)
  })
})
