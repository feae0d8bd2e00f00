/** Applying a part of a task's changes. */
import { expect, it } from 'vitest'
import type { ChangeSelection, HunkRange } from '../../../src/shared/contract/changes/changes.ts'
import { bytes, type Family, family } from '../family.ts'
import { git } from '../repository.ts'
import { mergeInto } from '../writing.ts'

const numbered = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`
const withLines = (changed: Record<number, string>) =>
  text(numbered.map((one, at) => changed[at + 1] ?? one))

async function apply(
  { parent, child, baseCommit }: Family,
  files: ChangeSelection['files'],
  tree?: string,
) {
  const { commit: theirCommit, tree: now } = await git.commitSnapshot(child.dir)
  const selection = { tree: tree ?? now, files }
  return mergeInto({ targetDir: parent.dir, baseCommit, theirCommit, selection })
}

const range = (oldStart: number, oldLines = 7, newStart = oldStart, newLines = 7): HunkRange => ({
  oldStart,
  oldLines,
  newStart,
  newLines,
})

it('applies whole files: changed, added, deleted, renamed, binary and their modes, and nothing else', async () => {
  const setting = await family({
    'a.txt': text(numbered),
    'b.txt': 'b\n',
    'gone.txt': 'g\n',
    'kept.txt': 'k\n',
    'old.txt': text(numbered.toReversed()),
  })
  const { parent, child } = setting
  await child.write('a.txt', withLines({ 2: 'two', 25: 'twenty-five' }))
  await child.write('b.txt', 'changed, not chosen\n')
  await child.write('dir/new [x]*.txt', 'new\n')
  await child.write('data.bin', bytes(3))
  await child.remove('gone.txt')
  await child.remove('kept.txt')
  child.git('mv', 'old.txt', 'moved.txt')
  const paths = ['a.txt', 'dir/new [x]*.txt', 'data.bin', 'gone.txt', 'moved.txt']
  const files = paths.map((path) => ({ path }))
  await expect(apply(setting, files)).resolves.toEqual({
    kind: 'applied',
    files: ['a.txt', 'data.bin', 'dir/new [x]*.txt', 'gone.txt', 'old.txt -> moved.txt'],
  })
  expect(await parent.read('b.txt')).toBe('b\n')
  expect(await parent.read('kept.txt')).toBe('k\n')
  await expect(apply(setting, files)).resolves.toEqual({ kind: 'already-applied' })
  // What was left out can follow.
  await expect(apply(setting, [{ path: 'b.txt' }])).resolves.toMatchObject({ files: ['b.txt'] })
})

it('applies the changes inside the chosen hunks, beside what the target changed itself', async () => {
  const setting = await family({ 'a.txt': text(numbered) })
  const { parent, child } = setting
  await child.write('a.txt', withLines({ 2: 'two', 14: 'fourteen', 15: 'fifteen', 25: 'x\xff\ny' }))
  await parent.write('a.txt', withLines({ 8: 'of the target' }))
  await expect(apply(setting, [{ path: 'a.txt', hunks: [range(11, 8, 11, 8)] }])).resolves.toEqual({
    kind: 'applied',
    files: ['a.txt'],
  })
  const both = { 8: 'of the target', 14: 'fourteen', 15: 'fifteen' }
  expect(await parent.read('a.txt')).toBe(withLines(both))
  await expect(
    apply(setting, [{ path: 'a.txt', hunks: [range(22, 7, 22, 8), range(1, 5, 1, 5)] }]),
  ).resolves.toMatchObject({ kind: 'applied' })
  expect(await parent.read('a.txt')).toBe(withLines({ ...both, 2: 'two', 25: 'x\xff\ny' }))
})

it('applies a hunk of a renamed file with the rename, and of a file without a newline at its end', async () => {
  const setting = await family({ 'old.txt': text(numbered) })
  const { parent, child } = setting
  child.git('mv', 'old.txt', 'new [1].txt')
  await child.write('new [1].txt', withLines({ 2: 'two', 30: 'thirty' }).trimEnd())
  await expect(
    apply(setting, [{ path: 'new [1].txt', hunks: [range(27, 4, 27, 4)] }]),
  ).resolves.toMatchObject({ files: ['old.txt -> new [1].txt'] })
  expect(await parent.read('new [1].txt')).toBe(withLines({ 30: 'thirty' }).trimEnd())
})

it('puts a file in the place of what the target made of it, where that is asked for', async () => {
  const setting = await family({ 'a.txt': text(numbered), 'gone.txt': 'g\n' })
  const { parent, child } = setting
  await child.write('a.txt', withLines({ 2: 'of the child' }))
  await child.remove('gone.txt')
  await parent.write('a.txt', withLines({ 2: 'of the parent', 20: 'of the parent' }))
  await parent.write('gone.txt', 'changed\n')
  const files = [{ path: 'a.txt' }, { path: 'gone.txt' }]
  await expect(apply(setting, files)).resolves.toMatchObject({ kind: 'conflict' })
  const replacing = files.map((one) => ({ ...one, replace: true }))
  await expect(apply(setting, replacing)).resolves.toMatchObject({ files: ['a.txt', 'gone.txt'] })
  expect(await parent.read('a.txt')).toBe(withLines({ 2: 'of the child' }))
})

it('compares with the target: what is there, which hunks, and both sides of a conflict', async () => {
  const setting = await family({
    'a.txt': text(numbered),
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'd.txt': 'd\n',
    'e.txt': text(numbered),
    'f.txt': text(numbered),
  })
  const { parent, child, baseCommit } = setting
  await child.write('f.txt', withLines({ 2: 'two' }))
  await parent.write('f.txt', withLines({ 2: 'two', 20: 'twenty' }))
  await child.write('a.txt', withLines({ 2: 'two', 25: 'twenty-five' }))
  await child.write('b.txt', 'child\n')
  await child.write('c.txt', 'child\n')
  await child.remove('d.txt')
  await child.write('e.txt', withLines({ 3: 'of the child' }))
  await parent.write('a.txt', withLines({ 2: 'two', 10: 'ten' }))
  await parent.write('c.txt', 'child\n')
  await parent.write('d.txt', 'parent\n')
  await parent.write('e.txt', withLines({ 3: 'of the parent', 4: '=' }))
  const { commit: theirCommit, tree } = await git.commitSnapshot(child.dir)
  const before = await parent.account()
  const found = await git.compareTarget({ targetDir: parent.dir, baseCommit, theirCommit })
  expect(await parent.account()).toEqual(before)
  expect(found).toEqual({
    tree,
    files: [
      { path: 'a.txt', state: 'partly', hunks: [range(2, 1, 2, 1)], uncommitted: true },
      { path: 'b.txt', state: 'open', hunks: [], uncommitted: false },
      { path: 'c.txt', state: 'applied', hunks: [], uncommitted: true },
      { path: 'd.txt', state: 'open', hunks: [], uncommitted: true },
      { path: 'e.txt', state: 'open', hunks: [], uncommitted: true },
      // All of its change is there, beside another one of the target's own.
      { path: 'f.txt', state: 'applied', hunks: [], uncommitted: true },
    ],
    conflicts: [
      { path: 'd.txt', message: expect.stringContaining('modify/delete'), places: [] },
      {
        path: 'e.txt',
        message: expect.stringContaining('content'),
        places: [{ target: 'of the parent\n=\n', changes: 'of the child\nline 4\n' }],
      },
    ],
  })
})

it('changes nothing for a change that there is not, or after the changes became others', async () => {
  const setting = await family({ 'a.txt': text(numbered), 'b.txt': 'b\n' })
  const { parent, child } = setting
  await child.write('a.txt', withLines({ 2: 'two' }))
  const before = await parent.account()
  await expect(apply(setting, [{ path: 'b.txt' }])).resolves.toEqual({
    kind: 'no-such-change',
    what: 'b.txt',
  })
  await expect(apply(setting, [{ path: 'a.txt', hunks: [range(20)] }])).resolves.toEqual({
    kind: 'no-such-change',
    what: 'a.txt: -20,7 +20,7',
  })
  const shown = (await git.snapshot(child.dir)).tree
  await child.write('a.txt', withLines({ 2: 'zwei' }))
  await expect(apply(setting, [{ path: 'a.txt' }], shown)).resolves.toEqual({
    kind: 'changed-since-shown',
  })
  expect(await parent.account()).toEqual(before)
})
