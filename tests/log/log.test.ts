import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Log, openLog } from '../../src/main/log/log.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import { record } from '../crash/fault-fs/record.ts'
import { temporaryDir } from '../harness.ts'

interface Opened {
  log: Log
  dir: string
  failures: unknown[]
  /** Milliseconds since the epoch; what the log takes for the time. */
  time: { nowMs: number }
}

async function open(options: { dir?: string; bytesMax?: number } = {}): Promise<Opened> {
  const dir = options.dir ?? join(await temporaryDir(), 'logs')
  const failures: unknown[] = []
  const time = { nowMs: Date.UTC(2026, 10, 22, 12) }
  const masker = createMasker()
  masker.learn([{ name: 'STRIPE_KEY', value: 'correct-horse-battery' }])
  const log = openLog(dir, {
    mask: masker.text,
    clock: () => time.nowMs,
    onFailed: (error) => failures.push(error),
    bytesMax: options.bytesMax,
  })
  return { log, dir, failures, time }
}

const newest = (dir: string) => readFile(join(dir, 'shiplog.log'), 'utf8')

it('writes one line for each event, in order, to a file that only its owner can read', async () => {
  const { log, dir } = await open()
  log.info('host.started', { host: 'web', pid: 12, endpoint: null, note: 'two words' })
  log.warning('second')
  await log.close()
  expect(await newest(dir)).toBe(
    '2026-11-22T12:00:00.000Z info host.started host=web pid=12 note="two words"\n' +
      '2026-11-22T12:00:00.000Z warning second\n',
  )
  expect((await stat(log.file)).mode & 0o777).toBe(0o600)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
})

it('continues the file of the previous process', async () => {
  const { log, dir } = await open()
  log.info('first')
  await log.close()
  const next = await open({ dir })
  next.log.info('second')
  await next.log.close()
  expect((await newest(dir)).split('\n').map((line) => line.split(' ')[2])).toEqual([
    'first',
    'second',
    undefined,
  ])
})

it('rotates: keeps the set number of files, none much longer than its limit', async () => {
  const { log, dir } = await open({ bytesMax: 2_000 })
  for (let n = 1; n <= 400; n++) log.info('line', { n, text: 'x'.repeat(90) })
  await log.close()
  const names = (await readdir(dir)).sort()
  expect(names).toEqual([...['1', '2', '3', '4'].map((n) => `shiplog.${n}.log`), 'shiplog.log'])
  for (const name of names) {
    const { size, mode } = await stat(join(dir, name))
    expect(size).toBeLessThan(2_200)
    expect(mode & 0o777).toBe(0o600)
  }
  // The newest are kept, without a gap.
  const kept = (await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))).join('')
  const numbers = [...kept.matchAll(/ n=(\d+)/g)].map(([, n]) => Number(n)).sort((a, b) => a - b)
  expect(numbers.at(-1)).toBe(400)
  expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at))
})

it('[K3][K4] masks known secrets and texts that look like one', async () => {
  const { log, dir } = await open()
  const planted = [
    'correct-horse-battery',
    `sk-proj-${'a1B2'.repeat(8)}`,
    'ghp_0123456789012345678901234567890123456789',
    'hunter22hunter22',
    'p4ssw0rd',
    'MIIEvQIBADANBgkqhkiG9w0BAQEF',
    'sVuXfC7rKqPz',
  ]
  const [known, provider, github, password, inUrl, pem, variable] = planted
  const cause = new Error(`login failed: Authorization: Bearer ${provider}.`)
  log.error('failed', {
    error: new Error(`It said ${known}, ${github}`, { cause }),
    url: `https://me:${inUrl}@host.example/path`,
    env: `DB_PASSWORD=${password} {"api_key":"${variable}"}`,
    file: `-----BEGIN RSA PRIVATE KEY-----\n${pem}\n-----END RSA PRIVATE KEY-----`,
  })
  await log.close()
  const text = await newest(dir)
  for (const secret of planted) expect(text).not.toContain(secret)
  expect(text).toContain('[hidden: STRIPE_KEY]')
  expect(text).toContain('https://[hidden: credentials]@host.example/path')
  expect(text).toContain('[hidden: DB_PASSWORD]')
})

it('[K3] shows no beginning of a secret where a long value is cut', async () => {
  const { log, dir } = await open()
  log.info('long', { text: `${'y'.repeat(1_990)}correct-horse-battery` })
  await log.close()
  expect(await newest(dir)).not.toContain('yc')
})

it('continues after dropping lines that may not wait for the disk', async () => {
  const { log, dir } = await open()
  for (let n = 0; n < 1_200; n++) log.info('line')
  await log.close()
  log.info('after')
  await log.close()
  const lines = (await newest(dir)).trimEnd().split('\n')
  expect(lines).toHaveLength(1_001)
  expect(lines.at(-1)).toContain('after droppedLines=200')
})

it('keeps each event on one line, and escapes control sequences of a terminal', async () => {
  const { log, dir } = await open()
  log.info('odd', { text: 'a\nb\r\u001b]0;title\u0007\u202e\u009b31m', long: 'y'.repeat(100_000) })
  await log.close()
  const text = await newest(dir)
  expect(text.trimEnd().split('\n')).toHaveLength(1)
  expect(text).toMatch(/^[\x20-\x7e\n\u2400-\u2421…]*$/)
  expect(text).toContain('<U+202E>')
  expect(text.length).toBeLessThan(3_000)
})

it.each<[string, (dir: string) => Promise<unknown>]>([
  ['a file in place of its folder', (dir) => writeFile(dir, '')],
  ['a link in place of its folder', (dir) => symlink('/tmp', dir)],
  ['a folder in place of its file', (dir) => mkdir(join(dir, 'shiplog.log'), { recursive: true })],
  [
    'a named pipe in place of its file',
    async (dir) => {
      await mkdir(dir)
      execFileSync('mkfifo', [join(dir, 'shiplog.log')])
    },
  ],
])('with %s reports that once, and goes on without', async (_, prepare) => {
  const dir = join(await temporaryDir(), 'logs')
  await prepare(dir)
  const { log, failures, time } = await open({ dir })
  log.info('first')
  log.info('second')
  await log.close()
  time.nowMs += 120_000
  log.info('third')
  log.crashed(new Error('fourth'))
  await log.close()
  expect(failures).toHaveLength(1)
})

it('reports a disk that is full once, and writes again a minute after it was last full', async () => {
  const { log, dir, failures, time } = await open()
  log.info('before')
  await log.close()
  let isFull = true
  const recording = record(dir, {
    inject: ({ call }) => (isFull && call.startsWith('write') ? { code: 'ENOSPC' } : null),
  })
  try {
    log.info('lost')
    await log.close()
    isFull = false
    log.info('too early')
    time.nowMs += 60_000
    log.info('after')
    await log.close()
  } finally {
    recording.stop()
  }
  expect((await newest(dir)).split('\n').map((line) => line.split(' ')[2])).toEqual([
    'before',
    'after',
    undefined,
  ])
  expect(failures).toHaveLength(1)
})

it('has written the last message of a process when the call returns', async () => {
  const { log, dir } = await open()
  log.info('first')
  await log.close()
  log.crashed(new Error('out of order'))
  expect(await newest(dir)).toMatch(/first\n.* error crashed error="Error: out of order\\n/)
})
