import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchTimeMsMax } from '../../../src/main/agents/tools/search/matcher.ts'
import { itInSoak } from '../../soak.ts'
import { detailOf, openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

const put = async (files: Record<string, string | Uint8Array>) => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(bench.dir, path)), { recursive: true })
    await writeFile(join(bench.dir, path), content)
  }
}
const list = async (input: object = {}) =>
  (await bench.call('list_files', input)).output.split('\n')

describe('list_files', () => {
  const files = { 'b.md': '', 'src/a.ts': '', 'src/deep/c.ts': '', 'node_modules/x/i.js': '' }

  it('lists files below the working directory or one of its directories', async () => {
    await put({ ...files, '.git/HEAD': '' })
    expect(await list()).toEqual(['b.md', 'src/a.ts', 'src/deep/c.ts'])
    expect(await list({ path: 'src/deep' })).toEqual(['src/deep/c.ts'])
    expect(await list({ path: 'b.md' })).toEqual(['b.md'])
    expect(await list({ path: 'node_modules/x' })).toEqual(['node_modules/x/i.js'])
  })

  it('accepts a glob for names at any depth, or for paths', async () => {
    await put(files)
    expect(await list({ glob: '*.ts' })).toEqual(['src/a.ts', 'src/deep/c.ts'])
    expect(await list({ glob: 'src/*.{ts,md}' })).toEqual(['src/a.ts'])
    expect(await list({ path: 'src', glob: 'deep/**' })).toEqual(['src/deep/c.ts'])
    expect(await list({ glob: '*.rs' })).toEqual(['[no files]'])
  })

  it('omits ignored and deleted files, and includes new ones', async () => {
    await put({ ...files, '.gitignore': 'dist/\nnode_modules/\n', 'dist/out.js': '', 'ü.txt': '' })
    await bench.call('bash', { command: 'git init -q && git add b.md src && rm src/a.ts' })
    expect(await list()).toEqual(['.gitignore', 'b.md', 'src/deep/c.ts', 'ü.txt'])
    expect(await list({ path: 'dist' })).toEqual(['dist/out.js'])
  })

  it('does not follow links, in a repository or out of one', async () => {
    await put(files)
    await writeFile(join(bench.outside, 'secret.txt'), 'secret')
    await symlink(bench.outside, join(bench.dir, 'linked'))
    await symlink(join(bench.outside, 'secret.txt'), join(bench.dir, 'secret.txt'))
    expect(await list()).toEqual(['b.md', 'src/a.ts', 'src/deep/c.ts'])
    await bench.call('bash', { command: 'git init -q && git add -A' })
    expect((await list()).filter((path) => /secret|linked/.test(path))).toEqual([])
    const found = await bench.call('search_files', { pattern: 'secret' })
    expect(found.output).toBe('[no matches]')
  })

  it('limits the list to what an agent can use, and says so', async () => {
    await put(Object.fromEntries(Array.from({ length: 1005 }, (_, i) => [`f${i}`, ''])))
    const result = await bench.call('list_files')
    expect(detailOf(result, 'files')).toEqual({ kind: 'files', count: 1000, truncated: true })
    expect(result.output).toContain('narrow it down')
  })
})

describe.each([
  { engine: 'ripgrep', options: {} },
  { engine: 'JavaScript', options: { ripgrep: null } },
] as const)('search_files by $engine', ({ options }) => {
  beforeEach(async () => {
    await bench.close()
    bench = await openToolBench(options)
  })

  it('returns path, line and text of each match', async () => {
    await put({ 'a.ts': 'one\r\nTwo two\r\n', 'src/b.ts': 'x\n  two\n', 'c.md': 'two' })
    const result = await bench.call('search_files', { pattern: '\\btwo', glob: '*.ts' })
    expect(result.output).toBe('a.ts:2: Two two\nsrc/b.ts:2:   two')
    expect(detailOf(result, 'matches')).toEqual({
      kind: 'matches',
      count: 2,
      files: 2,
      truncated: false,
    })
    const anchored = { pattern: '^TWO TWO$', ignoreCase: true }
    expect((await bench.call('search_files', anchored)).output).toBe('a.ts:2: Two two')
    expect((await bench.call('search_files', { pattern: 'two', path: 'c.md' })).output).toBe(
      'c.md:1: two',
    )
  })

  it('searches tracked and unignored files, whatever other ignore files contain', async () => {
    await put({
      '.gitignore': 'dist/\n*.log\n',
      '.ignore': '*\n',
      '.rgignore': '*\n',
      'kept.log': 'two',
      'new.log': 'two',
      'dist/out.js': 'two',
      '.hidden/a.txt': 'two',
      'a.txt': 'two',
      'deleted.txt': 'two',
    })
    await bench.call('bash', {
      command: 'git init -q && git add -f kept.log deleted.txt && rm deleted.txt',
    })
    const { output } = await bench.call('search_files', { pattern: 'two' })
    expect(output).toBe('.hidden/a.txt:1: two\na.txt:1: two\nkept.log:1: two')
  })

  it('numbers the lines of each file, of one with a byte order mark and one without a last line end', async () => {
    await put({ a: '\ufefftwo\n\nx two', b: 'x\ntwo', c: 'two\n', d: '', '-e': 'two' })
    const { output } = await bench.call('search_files', { pattern: '^two$' })
    expect(output).toBe('-e:1: two\na:1: two\nb:2: two\nc:1: two')
    expect((await bench.call('search_files', { pattern: '^$' })).output).toBe('a:2: ')
  })

  it('searches a single file, and skips one that is too large', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`many/f${i}.ts`, 'two']))
    await put({ ...many, 'many/one.md': 'two', 'large.txt': `two${'\n'.repeat(2_100_000)}` })
    const { output } = await bench.call('search_files', { pattern: 'two', glob: '*.{md,txt}' })
    expect(output).toBe('many/one.md:1: two')
  })

  it('masks secrets in a match before it is shortened', async () => {
    bench.secrets.learn([{ name: 'THE_KEY', value: 'hunter2hunter2' }])
    await put({ 'a.txt': `two ${'x'.repeat(290)}hunter2hunter2` })
    const { output } = await bench.call('search_files', { pattern: 'two' })
    expect(output).not.toContain('hunter2')
  })

  it('skips binary files, dependencies and long lines', async () => {
    await put({
      'data.bin': new Uint8Array([0, 0x74, 0x77, 0x6f]),
      'node_modules/a/index.js': 'two',
      'min.js': `two${'x'.repeat(5000)}`,
    })
    const { output } = await bench.call('search_files', { pattern: 'two' })
    expect(output).toMatch(/^min\.js:1: twox+$/)
    expect(output.length).toBeLessThan(400)
  })

  it('stops at the limit of matches', async () => {
    await put({ 'a.txt': 'hit\n'.repeat(150), 'b.txt': 'hit\n'.repeat(150), 'c.txt': 'hit' })
    const result = await bench.call('search_files', { pattern: 'hit' })
    expect(detailOf(result, 'matches')).toEqual({
      kind: 'matches',
      count: 200,
      files: 2,
      truncated: true,
    })
  })
})

describe('search_files', () => {
  it('searches in JavaScript for a pattern that ripgrep does not support', async () => {
    await put({ 'a.ts': 'get get\nget set\nsetGet', 'b.ts': 'foo() {' })
    const search = async (pattern: string) => (await bench.call('search_files', { pattern })).output
    expect(await search('(get) \\1')).toBe('a.ts:1: get get')
    expect(await search('get(?! get)')).toBe('a.ts:1: get get\na.ts:2: get set')
    expect(await search('() {')).toBe('b.ts:1: foo() {')
  })

  it('searches by ripgrep for a pattern that JavaScript does not support', async () => {
    await put({ 'a.ts': 'Größe: 3' })
    const result = await bench.call('search_files', { pattern: '(?i)\\bgrÖsse|^\\w+: \\d$' })
    expect(result.output).toBe('a.ts:1: Größe: 3')
  })

  it('states that a line end can’t be searched for', async () => {
    const result = await bench.call('search_files', { pattern: 'a\\nb' })
    expect(result.outcome).toBe('error')
    expect(result.output).toContain('line by line')
  })

  it('refuses an invalid regular expression', async () => {
    const result = await bench.call('search_files', { pattern: '(' })
    expect(result.outcome).toBe('error')
    expect(result.output).toMatch(/^pattern: .*regular expression/)
  })

  // ripgrep has no lookahead, and no pattern of its own takes that long.
  const catastrophic = { pattern: '^(?=a)(a+)+$' }
  const trap = { 'a.txt': `${'a'.repeat(40)}!` }

  itInSoak(
    'stops a pattern that takes exponential time',
    async () => {
      await put(trap)
      const result = await bench.call('search_files', catastrophic)
      expect(result.outcome).toBe('error')
      expect(result.output).toContain('took longer than')
    },
    searchTimeMsMax + 10_000,
  )

  it('stops searching on abort, even inside such a pattern', async () => {
    await put(trap)
    const running = bench.call('search_files', catastrophic)
    setTimeout(() => bench.abort.abort(new Error('stopped')), 200)
    await expect(running).rejects.toThrow('stopped')
  })
})
