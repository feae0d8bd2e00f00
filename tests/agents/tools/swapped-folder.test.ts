/** A folder that is swapped for a link while a file tool is at work, before each of its calls of the system. */
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FileCalls, fileCalls } from '../../../src/main/agents/tools/inside/file-calls.ts'
import { createFilesInside } from '../../../src/main/agents/tools/inside/index.ts'
import type { FilesOfGit } from '../../../src/main/agents/tools/search/project-files.ts'
import { isSoak, reportFigure, soakFactor } from '../../crash/effort.ts'
import { casesOf } from '../../soak.ts'
import { openToolBench, type ToolBench } from './tool-bench.ts'

const secret = 'the secret outside\n'
const outsideAlone = 'outside-alone.txt'

async function openSwapBench({
  hasOpenPaths = process.platform === 'linux',
  beforeCall,
  filesOfGit = async () => null,
}: {
  hasOpenPaths?: boolean
  /** Runs before each call that a tool makes of the system. */
  beforeCall?: (bench: ToolBench) => Promise<void>
  filesOfGit?: FilesOfGit
}): Promise<ToolBench> {
  const calls = Object.fromEntries(
    Object.entries(fileCalls).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        await beforeCall?.(bench)
        return (call as (...args: unknown[]) => Promise<unknown>)(...args)
      },
    ]),
  ) as unknown as FileCalls
  const inside = createFilesInside({ calls, hasOpenPaths })
  const bench = await openToolBench({ inside, filesOfGit })
  onTestFinished(() => bench.close())
  await mkdir(join(bench.dir, 'sub', 'kept'), { recursive: true })
  await writeFile(join(bench.dir, 'sub', 'file.txt'), 'inside\n')
  await mkdir(join(bench.outside, 'kept'))
  for (const name of ['file.txt', outsideAlone]) await writeFile(join(bench.outside, name), secret)
  return bench
}

async function swap({ dir, outside }: ToolBench): Promise<void> {
  await rename(join(dir, 'sub'), join(dir, 'away'))
  await symlink(outside, join(dir, 'sub'))
}
async function swapBack({ dir }: ToolBench): Promise<void> {
  await unlink(join(dir, 'sub'))
  await rename(join(dir, 'away'), join(dir, 'sub'))
}

const isDone = () => true
const isNot = () => false

/** All that is outside, but empty files and folders: those can't always be taken back without open folders. */
async function foundOutside({ outside }: ToolBench, { empty }: { empty: boolean }) {
  const found: Record<string, string> = {}
  for (const name of await readdir(outside, { recursive: true })) {
    const path = join(outside, name)
    const stats = await lstat(path)
    if (stats.isFile() && (empty || stats.size > 0)) found[name] = await readFile(path, 'utf8')
    else if (stats.isDirectory() && empty) found[name] = 'a folder'
  }
  return found
}
const untouched = { 'file.txt': secret, [outsideAlone]: secret }

const toolCalls: [name: string, input: object][] = [
  ['read_file', { path: 'sub/file.txt' }],
  ['write_file', { path: 'sub/file.txt', content: 'written' }],
  ['write_file', { path: 'sub/kept/new.txt', content: 'written' }],
  ['write_file', { path: 'sub/new/deep/new.txt', content: 'written' }],
  ['edit_file', { path: 'sub/file.txt', oldText: 'inside', newText: 'written' }],
  ['list_files', { path: 'sub' }],
  ['list_files', {}],
  ['search_files', { path: 'sub', pattern: '.' }],
  ['search_files', { pattern: '.' }],
]

describe.each([
  { system: 'where open folders have paths', hasOpenPaths: true },
  { system: 'elsewhere', hasOpenPaths: false },
])('$system', ({ hasOpenPaths }) => {
  // A search asks for its folder many times, and below a folder as in all of it.
  const isCore = ([name, input]: (typeof toolCalls)[number]) =>
    name !== 'search_files' || (hasOpenPaths && 'path' in input)
  it.skipIf(hasOpenPaths && process.platform !== 'linux').each(casesOf(toolCalls, isCore))(
    '%s %o neither shows nor changes what is outside, whenever the folder is swapped, and back',
    async (name, input) => {
      for (const isSwappedBack of [false, true]) {
        let isOver = false
        for (let at = 0; !isOver; at++) {
          let count = 0
          const bench = await openSwapBench({
            hasOpenPaths,
            async beforeCall(bench) {
              if (count === at) await swap(bench)
              if (count === at + 1 && isSwappedBack) await swapBack(bench)
              count++
            },
          })
          const result = await bench.call(name, input)
          isOver = count <= at
          const step = `${isSwappedBack ? 'swapped back' : 'swapped'} before call ${at}`
          expect(result.output, step).not.toContain('secret')
          // By paths alone nobody sees that a folder was another one for a moment, and its names may be listed.
          if (hasOpenPaths || !isSwappedBack)
            expect(result.output, step).not.toContain(outsideAlone)
          const empty = hasOpenPaths || !isSwappedBack
          const expected = empty ? { ...untouched, kept: 'a folder' } : untouched
          expect(await foundOutside(bench, { empty }), step).toEqual(expected)
          if (result.outcome === 'ok' && name.endsWith('e_file') && name !== 'read_file')
            expect(bench.recorded, step).toHaveLength(1)
          // Where it must be found by its path, it is lost with the folder.
          const left = await readdir(bench.dir, { recursive: true })
          const temporary = left.filter((name) => name.endsWith('.tmp'))
          if (hasOpenPaths) expect(temporary, step).toEqual([])
          await bench.close()
        }
      }
    },
  )
})

it.each([
  { what: 'and stays so', back: false },
  { what: 'and comes back', back: true },
])('lists nothing of a folder that was swapped while Git looked at it, $what', async ({ back }) => {
  const bench = await openSwapBench({
    filesOfGit: async (dir) => {
      await swap(bench)
      const names = await readdir(dir)
      if (back) await swapBack(bench)
      return names
    },
  })
  const { outcome, output } = await bench.call('list_files', { path: 'sub' })
  expect(output).not.toContain(outsideAlone)
  if (!back) expect({ outcome, output }).toMatchObject({ outcome: 'error' })
  if (!back) expect(output).toContain('changed since it was checked')
})

it('keeps the mode of a file that it replaces, and refuses one that is read-only', async () => {
  const bench = await openSwapBench({})
  const path = join(bench.dir, 'script.sh')
  await writeFile(path, 'old', { mode: 0o751 })
  await bench.call('write_file', { path: 'script.sh', content: 'new' })
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await lstat(path)).mode & 0o777).toBe(0o751)
})

it('confines each call while its folder is repeatedly swapped for a link', async () => {
  const tries = isSoak ? 40 * soakFactor : 15
  const bench = await openSwapBench({})
  let isOver = false
  let swaps = 0
  const swapping = (async () => {
    for (; !isOver; swaps++) {
      await rename(join(bench.dir, 'sub'), join(bench.dir, 'away'))
      // A tool may make the folder again that is missing for a moment.
      while (!(await symlink(bench.outside, join(bench.dir, 'sub')).then(isDone, isNot)))
        await rm(join(bench.dir, 'sub'), { recursive: true, force: true })
      await swapBack(bench)
    }
  })()
  swapping.catch(() => undefined) // reported below
  try {
    for (let n = 0; n < tries; n++) {
      for (const [name, input] of toolCalls) {
        const { output } = await bench.call(name, input)
        expect(output).not.toContain('secret')
        expect(output).not.toContain(outsideAlone)
      }
    }
  } finally {
    isOver = true
    await swapping
  }
  expect(await foundOutside(bench, { empty: true })).toEqual({ ...untouched, kept: 'a folder' })
  expect(swaps).toBeGreaterThan(0)
  reportFigure('calls of file tools beside a folder that is swapped', tries * toolCalls.length)
}, 600_000)
