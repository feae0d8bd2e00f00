/** Where open folders have no paths, such as on macOS, folders are deleted by path. */
import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { removeDurable } from '../../src/main/journal/index.ts'
import { removeTree } from '../../src/main/open-folders/remove-tree.ts'
import { temporaryDir } from '../harness.ts'

vi.mock('../../src/main/open-folders/open-folders.ts', async (original) => ({
  ...(await original<object>()),
  hasOpenPaths: false,
}))

it('deletes what is too deep for a path, and follows no link', async () => {
  const root = await temporaryDir()
  const top = path.join(root, 'a')
  mkdirSync(path.join(root, 'outside'))
  writeFileSync(path.join(root, 'outside/kept'), 'kept')
  mkdirSync(top)
  symlinkSync('../outside', path.join(top, 'link'))
  // From the inside out, because no call takes the path of the innermost.
  for (let level = 0; level < 100; level++) {
    const around = path.join(root, 'around')
    mkdirSync(around)
    writeFileSync(path.join(around, 'file'), 'x')
    renameSync(top, path.join(around, 'd'.repeat(100)))
    renameSync(around, top)
  }
  chmodSync(top, 0o500)
  await removeDurable(top)
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(['outside', 'outside/kept'])
})

it('deletes nothing of a folder that its caller refuses, and nothing after it', async () => {
  const root = await temporaryDir()
  const top = path.join(root, 'a')
  mkdirSync(path.join(top, 'kept'), { recursive: true })
  writeFileSync(path.join(top, 'kept/file'), 'x')
  const removed = removeTree(top, async ({ below }) => {
    if (below().toString() === 'kept') throw new Error('refused')
  })
  await expect(removed).rejects.toThrow('refused')
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(['a', 'a/kept', 'a/kept/file'])
})
