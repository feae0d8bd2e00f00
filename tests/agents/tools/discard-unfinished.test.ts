/** The temporary file of `write_file` and `edit_file`: it goes however the call ends, and nothing else goes with it. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDiscardUnfinished } from '../../../src/main/agents/tools/files/discard-unfinished.ts'
import { type FileCalls, fileCalls } from '../../../src/main/agents/tools/inside/file-calls.ts'
import { createFilesInside } from '../../../src/main/agents/tools/inside/index.ts'
import { temporaryNameOf } from '../../../src/main/agents/tools/inside/temporary-file.ts'
import { newTaskId, type ToolCallId } from '../../../src/shared/records/ids.ts'
import { openToolBench } from './tool-bench.ts'

const ids = { taskId: newTaskId(), callId: '../../etc/passwd\0' as ToolCallId }
const temporary = temporaryNameOf(ids)
const input = { path: 'sub/file.txt', content: 'new\n' }

async function openBench(calls: Partial<FileCalls> = {}, hasOpenPaths?: boolean) {
  const inside = createFilesInside({
    calls: { ...fileCalls, ...calls },
    ...(hasOpenPaths !== undefined && { hasOpenPaths }),
  })
  const bench = await openToolBench({ inside, filesOfGit: async () => null })
  onTestFinished(() => bench.close())
  await mkdir(join(bench.dir, 'sub'))
  await writeFile(join(bench.dir, 'sub', 'file.txt'), 'old\n')
  const discard = (over: { name?: string; input?: unknown } = {}) =>
    createDiscardUnfinished(inside)({
      ...ids,
      name: 'write_file',
      input,
      workingDir: bench.dir,
      ...over,
    })
  const names = () => readdir(join(bench.dir, 'sub'))
  const content = () => readFile(join(bench.dir, 'sub', 'file.txt'), 'utf8')
  return { bench, discard, names, content }
}

describe('the name', () => {
  it('is a plain file name whatever the id holds, and another one for each task and call', () => {
    expect(temporary).toMatch(/^\.shiplog-[0-9a-f]{32}\.tmp$/)
    expect(temporaryNameOf({ ...ids, taskId: newTaskId() })).not.toBe(temporary)
    expect(temporaryNameOf({ ...ids, callId: 'b' as ToolCallId })).not.toBe(temporary)
  })

  it('is what a call writes under', async () => {
    const opened: string[] = []
    const { bench } = await openBench({
      open: ((path: string, ...rest: [number, number]) => {
        opened.push(path)
        return fileCalls.open(path, ...rest)
      }) as FileCalls['open'],
    })
    expect(await bench.call('write_file', input, ids)).toMatchObject({ outcome: 'ok' })
    expect(opened.filter((path) => path.endsWith(temporary))).toHaveLength(1)
  })
})

describe('a call that fails or is aborted', () => {
  it.each(['before the first byte', 'before the rename'])(
    'leaves nothing when it is aborted %s, and the file as it was',
    async (moment) => {
      const { bench, names, content } = await openBench({
        open: (async (path: string, ...rest: [number, number]) => {
          const handle = await fileCalls.open(path, ...rest)
          const abort = () => bench.abort.abort(new Error('stopped'))
          if (path.endsWith(temporary)) {
            const sync = handle.sync.bind(handle)
            handle.sync = () => sync().then(abort)
            if (moment === 'before the first byte') abort()
          }
          return handle
        }) as FileCalls['open'],
      })
      await expect(bench.call('write_file', input, ids)).rejects.toThrow('stopped')
      expect(await names()).toEqual(['file.txt'])
      expect(await content()).toBe('old\n')
    },
  )

  it('leaves nothing when it fails', async () => {
    const { bench, names, content } = await openBench({
      rename: async () => {
        throw Object.assign(new Error('no'), { code: 'EIO' })
      },
    })
    expect(await bench.call('write_file', input, ids)).toMatchObject({ outcome: 'error' })
    expect(await names()).toEqual(['file.txt'])
    expect(await content()).toBe('old\n')
  })

  it('does not touch a file that already has its temporary name', async () => {
    const { bench, names, content } = await openBench()
    await writeFile(join(bench.dir, 'sub', temporary), 'somebody else’s')
    expect(await bench.call('write_file', input, ids)).toMatchObject({ outcome: 'ok' })
    expect(await content()).toBe('new\n')
    expect(await names()).toEqual([temporary, 'file.txt'])
  })
})

describe.each([
  { system: 'where open folders have paths', hasOpenPaths: true },
  { system: 'elsewhere', hasOpenPaths: false },
])('what a killed call left, $system', ({ hasOpenPaths }) => {
  const linuxOnly = it.skipIf(hasOpenPaths && process.platform !== 'linux')

  linuxOnly.each([
    { name: 'write_file', input },
    { name: 'edit_file', input: { path: input.path, oldText: 'old', newText: 'new' } },
  ])('goes: $name', async (call) => {
    const { bench, discard, names } = await openBench({}, hasOpenPaths)
    const others = [temporaryNameOf({ ...ids, taskId: newTaskId() }), `.${temporary}`]
    for (const name of [temporary, ...others])
      await writeFile(join(bench.dir, 'sub', name), 'half of the ne')
    await writeFile(join(bench.dir, temporary), 'in another folder')
    await discard(call)
    expect(await names()).toEqual([...others, 'file.txt'].toSorted())
    expect(await readdir(bench.dir)).toEqual([temporary, 'sub'])
    await discard(call)
  })

  linuxOnly('stays when it is a link or a folder', async () => {
    const { bench, discard, names } = await openBench({}, hasOpenPaths)
    await symlink(join(bench.dir, 'sub', 'file.txt'), join(bench.dir, 'sub', temporary))
    await discard()
    await mkdir(join(bench.dir, 'folder', temporary), { recursive: true })
    await discard({ input: { ...input, path: 'folder/file.txt' } })
    expect(await names()).toEqual([temporary, 'file.txt'])
    expect(await readdir(join(bench.dir, 'folder'))).toEqual([temporary])
  })

  linuxOnly('stays outside the working directory, also behind a link', async () => {
    const { bench, discard } = await openBench({}, hasOpenPaths)
    await writeFile(join(bench.outside, temporary), 'not ours')
    await symlink(bench.outside, join(bench.dir, 'away'))
    for (const path of ['away/file.txt', '../outside/file.txt', join(bench.outside, 'file.txt')])
      await discard({ input: { ...input, path } })
    expect(await readdir(bench.outside)).toEqual([temporary])
  })

  linuxOnly('is nothing for other tools, wrong inputs and folders that are gone', async () => {
    const { bench, discard, names } = await openBench({}, hasOpenPaths)
    await writeFile(join(bench.dir, 'sub', temporary), 'half')
    await discard({ name: 'bash', input: { command: 'true' } })
    await discard({ input: null })
    await discard({ input: { ...input, path: 'gone/file.txt' } })
    expect(await names()).toContain(temporary)
    await bench.close()
    await discard()
  })
})
