import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeFile } from '../../../src/main/agents/tools/files/change-file.ts'
import { fileBytesMax } from '../../../src/main/agents/tools/files/text-file.ts'
import type { ConfinedPath, FilesInside } from '../../../src/main/agents/tools/inside/index.ts'
import type { ToolContext } from '../../../src/shared/agents/driver/tool-context.ts'
import { imageBytesMax } from '../../../src/shared/agents/images.ts'
import { png, sha256Of } from '../../images.ts'
import { detailOf, openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

const put = async (path: string, content: string | Uint8Array) => {
  await mkdir(join(bench.dir, path, '..'), { recursive: true })
  await writeFile(join(bench.dir, path), content)
}
const text = (path: string) => readFile(join(bench.dir, path), 'utf8')

describe('read_file', () => {
  it('returns the lines of a file with their numbers', async () => {
    await put('a.txt', 'one\r\ntwo\n\nlast')
    const result = await bench.call('read_file', { path: 'a.txt' })
    expect(result).toMatchObject({
      outcome: 'ok',
      output: '1\tone\n2\ttwo\n3\t\n4\tlast\n[lines end with \\r\\n]',
    })
    expect(detailOf(result, 'read')).toEqual({
      kind: 'read',
      path: 'a.txt',
      lines: 4,
      truncated: false,
    })
  })

  it('returns a range of lines, and states it', async () => {
    await put('a.txt', 'one\ntwo\nthree\nfour\n')
    const result = await bench.call('read_file', { path: 'a.txt', fromLine: 2, lines: 2 })
    expect(result.output).toBe('2\ttwo\n3\tthree\n[lines 2-3 of 4; continue with fromLine: 4]')
    expect((await bench.call('read_file', { path: 'a.txt', fromLine: 9 })).output).toBe(
      'fromLine: a.txt has 4 lines.',
    )
  })

  it('returns as much of a long file as an agent can use', async () => {
    await put('long.txt', 'x'.repeat(99).concat('\n').repeat(5000))
    const result = await bench.call('read_file', { path: 'long.txt' })
    expect(result.output.length).toBeLessThan(70_000)
    const { lines, truncated } = detailOf(result, 'read')
    expect(truncated).toBe(true)
    expect(result.output).toContain(`continue with fromLine: ${lines + 1}`)
    await put('short-lines.txt', 'x\n'.repeat(5000))
    const part = await bench.call('read_file', { path: 'short-lines.txt' })
    expect(part.output).toContain('[lines 1-2000 of 5000; continue with fromLine: 2001]')
  })

  it('truncates long lines, and continues after them', async () => {
    await put('long-line.txt', `${'y'.repeat(200_000)}\nnext\n`)
    const cut = await bench.call('read_file', { path: 'long-line.txt' })
    expect(cut.output).toContain('y [198000 characters left out]\n2\tnext\n[lines over 2000')
    expect(detailOf(cut, 'read')).toMatchObject({ lines: 2, truncated: true })
  })

  it('says that a file is empty', async () => {
    await put('empty.txt', '')
    expect((await bench.call('read_file', { path: 'empty.txt' })).output).toBe(
      '[the file is empty]',
    )
  })

  it('returns an image, recognized by its content, and refuses one that is too large', async () => {
    await put('picture', png)
    const { output, images } = await bench.call('read_file', { path: 'picture' })
    expect(output).toBe(`picture: an image (image/png, 1 × 1 pixels, ${png.length} bytes)`)
    expect(images).toEqual([{ mediaType: 'image/png', sha256: sha256Of(png), data: png }])
    await put('large', Buffer.concat([png, Buffer.alloc(imageBytesMax)]))
    const refused = await bench.call('read_file', { path: 'large' })
    expect(refused.outcome).toBe('error')
    expect(refused.output).toContain('models take at most 3.9 MB: make it smaller')
  })

  it('refuses binary files, directories, missing files and files that are too large, with advice', async () => {
    await put('image.png', new Uint8Array([0x89, 0x50, 0, 1]))
    await put('latin1.txt', new Uint8Array([0x63, 0xe9]))
    await put('dir/a.txt', '')
    await put('huge.txt', 'x'.repeat(fileBytesMax + 1))
    const refusals = ['image.png', 'latin1.txt', 'dir', 'missing.txt', 'huge.txt']
    const outputs = await Promise.all(refusals.map((path) => bench.call('read_file', { path })))
    expect(outputs.map(({ outcome }) => outcome)).toEqual(refusals.map(() => 'error'))
    expect(outputs.map(({ output }) => output)).toEqual([
      expect.stringContaining('binary'),
      expect.stringContaining('UTF-8'),
      expect.stringContaining('is a directory'),
      expect.stringContaining('does not exist'),
      expect.stringContaining('too large'),
    ])
  })

  it.runIf(process.platform !== 'win32')('does not wait on a named pipe', async () => {
    await bench.call('bash', { command: 'mkfifo pipe' })
    expect((await bench.call('read_file', { path: 'pipe' })).output).toContain('not a regular file')
  })
})

describe('write_file', () => {
  it('creates a file and its parent directories, and records it', async () => {
    const result = await bench.call('write_file', {
      path: 'notes/new/plan.md',
      content: '# Plan\n',
    })
    expect(await text('notes/new/plan.md')).toBe('# Plan\n')
    expect(bench.recorded).toEqual([{ path: 'notes/new/plan.md', before: null, after: '# Plan\n' }])
    expect(detailOf(result, 'edit')).toEqual({
      kind: 'edit',
      path: 'notes/new/plan.md',
      change: 'created',
      additions: 1,
      deletions: 0,
      patch: '--- /dev/null\n+++ b/notes/new/plan.md\n@@ -0,0 +1,1 @@\n+# Plan\n',
    })
  })

  it('keeps the old content before the file is touched, and records the change after', async () => {
    await put('a.txt', 'old\n')
    await bench.call('write_file', { path: 'a.txt', content: 'new\n' })
    expect(bench.order).toEqual(['kept old\n', 'recorded a.txt'])
  })

  it('changes nothing if the old content could not be kept', async () => {
    await put('a.txt', 'old\n')
    const full = new Error('the disk is full')
    bench.keepOriginal = () => Promise.reject(full)
    await expect(bench.call('write_file', { path: 'a.txt', content: 'new\n' })).rejects.toBe(full)
    expect(await text('a.txt')).toBe('old\n')
  })

  it('keeps the mode of a file', async () => {
    await put('run.sh', 'echo 1\n')
    await chmod(join(bench.dir, 'run.sh'), 0o750)
    await bench.call('write_file', { path: 'run.sh', content: 'echo 2\n' })
    expect((await stat(join(bench.dir, 'run.sh'))).mode & 0o777).toBe(0o750)
    expect(await readdir(bench.dir)).toEqual(['run.sh'])
  })

  it('changes and records nothing if the content is the same', async () => {
    await put('a.txt', 'same\n')
    const result = await bench.call('write_file', { path: 'a.txt', content: 'same\n' })
    expect(detailOf(result, 'edit').change).toBe('unchanged')
    expect(bench.order).toEqual([])
  })

  it('has no diff for a file that was not text', async () => {
    await put('data.bin', new Uint8Array([0, 1, 2]))
    const result = await bench.call('write_file', { path: 'data.bin', content: 'text\n' })
    expect(detailOf(result, 'edit')).toMatchObject({ change: 'changed', additions: 1, patch: null })
  })

  it('refuses to write in .git', async () => {
    await bench.call('bash', { command: 'git init -q' })
    const result = await bench.call('write_file', { path: '.git/hooks/pre-commit', content: '#!' })
    expect(result.output).toContain('belongs to Git')
  })

  it('explains an error of the file system', async () => {
    await put('file', '')
    expect((await bench.call('write_file', { path: 'file/below', content: '' })).output).toContain(
      'uses a file as a directory',
    )
    const long = 'n'.repeat(300)
    expect(await bench.call('write_file', { path: long, content: '' })).toMatchObject({
      outcome: 'error',
      output: expect.stringContaining('too long'),
    })
  })

  it('records no change that the disk refused', async () => {
    const full = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
    const inside = { replace: () => Promise.reject(full) } as unknown as FilesInside
    const order: string[] = []
    const files = {
      keepOriginal: async () => void order.push('kept'),
      record: async () => void order.push('recorded'),
    }
    const context = { files, signal: bench.abort.signal } as unknown as ToolContext
    const path = { relative: 'a.txt' } as ConfinedPath
    await expect(
      changeFile(inside, { path, before: null, after: 'new' }, context),
    ).rejects.toThrow()
    expect(order).toEqual(['kept'])
  })
})

describe('edit_file', () => {
  it('replaces the one occurrence and shows the difference', async () => {
    await put('a.js', 'one\ntwo\nthree\n')
    const result = await bench.call('edit_file', { path: 'a.js', oldText: 'two', newText: '$& 2' })
    expect(await text('a.js')).toBe('one\n$& 2\nthree\n')
    expect(detailOf(result, 'edit')).toMatchObject({
      change: 'changed',
      additions: 1,
      deletions: 1,
    })
    expect(detailOf(result, 'edit').patch).toBe(
      '--- a/a.js\n+++ b/a.js\n@@ -1,3 +1,3 @@\n one\n-two\n+$& 2\n three\n',
    )
    expect(bench.recorded).toEqual([
      { path: 'a.js', before: 'one\ntwo\nthree\n', after: 'one\n$& 2\nthree\n' },
    ])
  })

  it('replaces every occurrence only if told to', async () => {
    await put('a.js', 'x x x')
    const refused = await bench.call('edit_file', { path: 'a.js', oldText: 'x', newText: 'y' })
    expect(refused.output).toContain('occurs 3 times')
    expect(await text('a.js')).toBe('x x x')
    await bench.call('edit_file', { path: 'a.js', oldText: 'x', newText: 'y', replaceAll: true })
    expect(await text('a.js')).toBe('y y y')
  })

  it('keeps a byte order mark and line ends', async () => {
    await put('a.txt', '\uFEFFone\r\ntwo\r\n')
    await bench.call('edit_file', { path: 'a.txt', oldText: 'two', newText: '2' })
    expect(await text('a.txt')).toBe('\uFEFFone\r\n2\r\n')
  })

  it('gives advice if the text is missing', async () => {
    await put('a.txt', 'one\r\ntwo\r\n')
    const edit = (oldText: string) =>
      bench.call('edit_file', { path: 'a.txt', oldText, newText: 'new' })
    expect((await edit('three')).output).toContain('does not occur in a.txt')
    expect((await edit('one\ntwo')).output).toContain('\\r\\n')
    expect((await edit('new')).output).toContain('nothing to change')
  })

  it('refuses a binary file', async () => {
    await put('data.bin', new Uint8Array([0, 1, 2]))
    const result = await bench.call('edit_file', { path: 'data.bin', oldText: 'a', newText: 'b' })
    expect(result.output).toContain('binary')
  })
})

describe('confined to the working directory', () => {
  const everyTool = (path: string) =>
    [
      ['read_file', { path }],
      ['write_file', { path, content: 'escaped' }],
      ['edit_file', { path, oldText: 'secret', newText: 'escaped' }],
      ['list_files', { path }],
      ['search_files', { path, pattern: 'secret' }],
    ] as const

  beforeEach(async () => {
    await writeFile(join(bench.outside, 'secret.txt'), 'secret')
  })

  const expectRefused = async (path: string, reason: RegExp) => {
    for (const [name, input] of everyTool(path)) {
      const result = await bench.call(name, input)
      expect(result, `${name} ${path}`).toMatchObject({ outcome: 'error' })
      expect(result.output).toMatch(reason)
    }
    expect(await readdir(bench.outside)).toEqual(['secret.txt'])
    expect(await readFile(join(bench.outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(bench.recorded).toEqual([])
  }

  it('refuses paths that lead outside', async () => {
    await expectRefused('../outside/secret.txt', /outside the working directory/)
    await expectRefused('sub/../../outside/secret.txt', /outside the working directory/)
    await expectRefused(join(bench.outside, 'secret.txt'), /outside the working directory/)
    await expectRefused('a\0b', /NUL/)
  })

  it('refuses a symbolic link to a file outside', async () => {
    await symlink(join(bench.outside, 'secret.txt'), join(bench.dir, 'link.txt'))
    await expectRefused('link.txt', /symbolic link/)
  })

  it('refuses a symbolic link among the parent directories of an existing or new file', async () => {
    await symlink(bench.outside, join(bench.dir, 'linked'))
    await expectRefused('linked/secret.txt', /symbolic link/)
    await expectRefused('linked/new.txt', /symbolic link/)
    await expectRefused('linked/new/deep/file.txt', /symbolic link/)
  })

  it('refuses a link to a missing file, which writing would create', async () => {
    await symlink(join(bench.outside, 'new.txt'), join(bench.dir, 'dangling'))
    await expectRefused('dangling', /symbolic link/)
  })

  it('refuses a loop of links', async () => {
    await symlink('loop', join(bench.dir, 'loop'))
    await expectRefused('loop/file', /loop/)
  })

  it('follows links that stay inside, and records the file that they lead to', async () => {
    await put('real/a.txt', 'one\n')
    await symlink('real', join(bench.dir, 'alias'))
    await bench.call('write_file', { path: 'alias/a.txt', content: 'two\n' })
    expect(await text('real/a.txt')).toBe('two\n')
    expect(bench.recorded.map(({ path }) => path)).toEqual(['real/a.txt'])
  })

  it('accepts absolute paths inside, and names that begin with two dots', async () => {
    await put('..hidden/a.txt', 'fine')
    const path = join(bench.dir, '..hidden/a.txt')
    expect(await bench.call('read_file', { path })).toMatchObject({ output: '1\tfine' })
  })
})

it('writes nothing once the signal is aborted', async () => {
  bench.abort.abort(new Error('stopped'))
  await expect(bench.call('write_file', { path: 'a', content: '' })).rejects.toThrow('stopped')
  expect(await readdir(bench.dir)).toEqual([])
})
