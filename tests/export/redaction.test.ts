import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/main/export/redaction/redactor.ts'
import { findSecretPatterns, redactPatterns } from '../../src/main/secrets/redact-patterns.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'

const place = { taskId: newTaskId(), seq: 3 }
/** Separate, so that the texts of shells are no template literals. */
const dollar = '$'
const key = `sk-ant-${'a1B2'.repeat(8)}`

function redactor(keep: string[] = [], person = { home: '/srv/people/ada', user: 'ada' }) {
  return createRedactor({
    person,
    maskKnown: (text) => text.replaceAll('known-value', '[hidden: KNOWN]'),
    keep: new Set(keep),
  })
}
const masked = (text: string) => redactor().text(text, place)

describe('[K4] masking in an export', () => {
  it.each([
    [`the key ${key}.`, 'the key [hidden: key].'],
    ['postgres://ada:hunter22@db/x', 'postgres://[hidden: credentials]@db/x'],
    ['API_TOKEN="correct-horse"', 'API_TOKEN="[hidden: API_TOKEN]"'],
    [`API_KEY=${key}`, 'API_KEY=[hidden: API_KEY]'],
    ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----!', '[hidden: private key]!'],
    ['a known-value here', 'a [hidden: KNOWN] here'],
    ['API_KEY=[hidden: API_KEY] stays', 'API_KEY=[hidden: API_KEY] stays'],
    // Code that computes the value, unless it could be the value.
    ['token = Store.mint(project.id)', 'token = Store.mint(project.id)'],
    ['secret: createSecret(seed)', 'secret: createSecret(seed)'],
    ['SECRET=createSecret(seed)', 'SECRET=[hidden: SECRET]'],
    ['secret = "createSecret(seed"', 'secret = "[hidden: secret]"'],
  ])('%j', (text, expected) => {
    expect(masked(text)).toBe(expected)
  })

  it.each([
    // Code that refers to the value.
    '_csrf_token: csrfToken',
    'thread_key: line_meta[:thread_key]',
    'this.token = options.token',
    'self.password = user_password',
    'key = tool_use_id || "none"',
    'password = os.environ["DB_PASSWORD"]',
    'api_key=os.getenv("API_KEY")',
    'apiKey: process.env.API_KEY',
    'let token: Option<String> = None',
    'export TOKEN=$OTHER_TOKEN',
    `TOKEN="${dollar}{REVIEW_TOKEN:-}"`,
    'TOKEN=$(cat token.txt)',
    `token: ${dollar}{{ secrets.GITHUB_TOKEN }}`,
    '<li key={item.id}>',
    // Keys and tokens that are no secrets.
    '{ key: "primary-button" }',
    '"key": "ArrowDown"',
    'foreign_key: user_account_id',
    '"input_tokens": 15290519',
    "credentials: 'same-origin'",
    // Placeholders.
    '"password": "********"',
    'password: <your-password>',
    'API_KEY=your_api_key_here',
  ])('leaves alone what only looks like the value of a secret: %j', (text) => {
    expect(masked(text)).toBe(text)
  })

  it.each([
    ['password: correcthorse', 'correcthorse'],
    ['PASSWORD=hunter2hunter', 'hunter2hunter'],
    ['password: Tr0ub4dor&3x', 'Tr0ub4dor&3x'],
    ['https://api/x?token=abcd1234efgh&page=2', 'abcd1234efgh'],
    ['url=https://api/x?a=1&access_token=abcd1234efgh', 'abcd1234efgh'],
    ['{"command":"API_KEY=correct-horse node x"}', 'correct-horse'],
    [String.raw`"{\"api_key\":\"abcdefgh12\",\"x\":1}"`, 'abcdefgh12'],
    ['key=$(TOKEN=abcdefgh12', 'abcdefgh12'],
    ['password: SuperSecretPassword', 'SuperSecretPassword'],
    ['password = my.pass.word', 'my.pass.word'],
    ['DB_PASS=p4ssw0rd.example', 'p4ssw0rd.example'],
    ['password: hunter[2hunter', 'hunter[2hunter'],
    ['"authToken":"abcd.efgh.ijkl"', 'abcd.efgh.ijkl'],
    ['token: "csrfToken"', 'csrfToken'],
    [`TOKEN=${dollar}{TOKEN:-realsecret1}`, `${dollar}{TOKEN:-realsecret1}`],
    ['token=$ecretvalue1', '$ecretvalue1'],
    ['key: Zx81PqLm99', 'Zx81PqLm99'],
    ['STRIPE_KEY=abcdefghij', 'abcdefghij'],
    ['sort_key: QWErtyUIOpasDFGhjklZXCvb', 'QWErtyUIOpasDFGhjklZXCvb'],
    ['access_token: 1234567890', '1234567890'],
    ['secret_key: "not-for-production"', 'not-for-production'],
  ])('masks all of a value: %j', (text, secret) => {
    expect(masked(text)).not.toContain(secret)
    expect(masked(text).replace(/\[hidden: \w+\]/, () => secret)).toBe(text)
  })

  it.each([
    ['cd /srv/people/ada/api', 'cd ~/api'],
    ['/home/grace/x and /Users/grace', '~/x and ~'],
    ['C:\\Users\\grace\\x', '~\\x'],
    ['/home/jürgen/x, /Users/山田', '~/x, ~'],
    ['It is in /home/grace.hopper-2. And /Users/.../x', 'It is in ~. And /Users/.../x'],
    ['"C:\\\\Users\\\\grace\\\\x"', '"~\\\\x"'],
    ['written by ada on a Monday', 'written by [hidden: user name] on a Monday'],
    [
      '/srv/people/adaline and adamant, /var/home/x',
      '/srv/people/adaline and adamant, /var/home/x',
    ],
  ])('home directories and the name of the user: %j', (text, expected) => {
    expect(masked(text)).toBe(expected)
  })

  it('does not treat a generic account name as a user’s name', () => {
    const root = redactor([], { home: '/sroot', user: 'root' })
    expect(root.text('the root task in /sroot/api', place)).toBe('the root task in ~/api')
  })

  it('masks values by the names of their fields, and leaves ids, hashes and words of the format alone', () => {
    const record = {
      type: 'ada',
      uuid: place.taskId,
      tree: 'ada0'.repeat(10),
      input: { password: 'just-words', '/home/grace': [1, null, 'fine'] },
    }
    expect(redactor().value(record, place)).toEqual({
      ...record,
      input: { password: '[hidden: password]', '~': [1, null, 'fine'] },
    })
    expect(redactor().value({ key: 'ArrowDown', token: 'xxxxxxxx' }, place)).toEqual({
      key: 'ArrowDown',
      token: 'xxxxxxxx',
    })
    const harmless = { text: 'nothing of the kind', list: [{ a: 1 }] }
    expect(redactor().value(harmless, place)).toBe(harmless)
  })

  it('lists each value once with its places, and keeps chosen ones in all places', () => {
    const first = redactor()
    first.text(`one ${key}`, place)
    first.value({ deep: [`two ${key} three`] }, { ...place, seq: 9 })
    const { hits, masked } = first.result()
    expect({ hits, masked }).toMatchObject({
      masked: 2,
      hits: [{ kind: 'key', match: key, kept: false, count: 2, mark: '[hidden: key]' }],
    })
    expect(hits[0]?.places).toMatchObject([
      { seq: 3, before: 'one ', after: '' },
      { seq: 9, before: 'two ', after: ' three' },
    ])
    const second = redactor([hits[0]?.id ?? ''])
    expect(second.text(`one ${key}`, place)).toBe(`one ${key}`)
    expect(second.result()).toMatchObject({ masked: 0, hits: [{ kept: true }] })
  })

  it('masks every planted secret in any context, and changes nothing else', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'Z', '9', ' ', '\n', '"', '=', ':', '.') })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const whole = `${before} ${key} ${after}`
        expect(masked(whole)).not.toContain(key)
        expect(redactPatterns(whole)).not.toContain(key)
        for (const { start, end } of findSecretPatterns(whole)) expect(start).toBeLessThan(end)
      }),
    )
  })

  it('takes linear time for long runs of the characters of names and schemes', () => {
    // Quadratic time would be minutes, which the test's own limit catches.
    for (const unit of ['a.', 'a-', 'a', '1a', '+', 'a://', '=a', 'key=', 'token=$('] as const)
      masked(unit.repeat(300_000))
  })
})
