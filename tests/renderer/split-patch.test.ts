import { execFile } from 'node:child_process'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { splitPatch } from '../../src/renderer/views/inspector/split-patch.ts'

const run = promisify(execFile)

describe('split patch', () => {
  let dir: string
  const git = async (...args: string[]) => (await run('git', ['-C', dir, ...args])).stdout
  const write = (name: string, content: string | Uint8Array) => writeFile(join(dir, name), content)
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'shiplog-split-patch-'))
    await git('init', '-q')
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('finds each file of a Git diff by its new path', async () => {
    await write('changed.txt', 'one\n')
    await write('gone.txt', 'gone\n')
    await write('old name.txt', 'a long enough text to be found again\n'.repeat(5))
    await write('picture.bin', new Uint8Array([0, 1, 2, 255]))
    await git('add', '-A')
    await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one')
    await write('changed.txt', 'two\n')
    await rm(join(dir, 'gone.txt'))
    await rename(join(dir, 'old name.txt'), join(dir, 'new name.txt'))
    await write('picture.bin', new Uint8Array([0, 3, 2, 255]))
    await write('Füße "q".txt', 'new\n')
    const everyEscape = 'bell\x07 back\b feed\f line\n return\r tab\t vertical\v \\ \x1b.txt'
    await write(everyEscape, 'new\n')
    // A line of content that looks like the start of another file's part.
    await write('tricky.txt', '+++ b/not-a-file\n--- a/neither\n')
    await git('add', '-A')
    const files = splitPatch(await git('diff', '--cached', '--find-renames', '--binary'))
    expect([...files.keys()].sort()).toEqual(
      [
        'changed.txt',
        'gone.txt',
        'new name.txt',
        'picture.bin',
        'Füße "q".txt',
        everyEscape,
        'tricky.txt',
      ].sort(),
    )
    expect(files.get('changed.txt')).toContain('+two')
    expect(files.get('changed.txt')).not.toContain('gone')
    expect(files.get('tricky.txt')).toContain('+--- a/neither')
  })

  it('finds nothing in a text that is not a patch', () => {
    expect(splitPatch('').size).toBe(0)
    expect(splitPatch('hello\nworld\n').size).toBe(0)
  })
})
