import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  holdsTheSame,
  isLeftOfMove,
  moveDurable,
  removeDurable,
} from '../../src/main/journal/index.ts'
import { crashState, forgottenAt, killedAt, scrambledAt } from '../crash/fault-fs/crash-state.ts'
import { createRandom } from '../crash/fault-fs/random.ts'
import { record } from '../crash/fault-fs/record.ts'
import { readTree, writeTree } from '../crash/fault-fs/tree.ts'
import { spyOnHandles } from './disk-faults.ts'
import { acrossFolders, twoFileSystems } from './file-systems.ts'
import { scratchDirectory } from './scratch.ts'

afterEach(() => vi.restoreAllMocks())

const long = Buffer.alloc(2_500_000, 'All hands on deck. ')

/** A folder with whatever a session may hold. */
async function fill(dir: string): Promise<string> {
  await mkdir(path.join(dir, 'blobs/deep'), { recursive: true })
  await mkdir(path.join(dir, 'nothing'))
  await writeFile(path.join(dir, 'chat.jsonl'), long)
  await writeFile(path.join(dir, 'partial.json'), '')
  await writeFile(path.join(dir, 'blobs/deep/a'), 'a', { mode: 0o600 })
  return dir
}

describe('a move', () => {
  it('[R2] is one rename within a file system, regardless of size', async () => {
    const root = await scratchDirectory()
    const from = await fill(path.join(root, 'from'))
    const { ino } = await stat(path.join(from, 'chat.jsonl'))
    await moveDurable(from, path.join(root, 'to'))
    expect((await stat(path.join(root, 'to/chat.jsonl'))).ino).toBe(ino)
    expect(await readdir(root)).toEqual(['to'])
  })

  it.each(['any', 'injected'] as const)(
    '[R2] takes everything to another file system, and leaves nothing (%s)',
    async (which) => {
      const { here, there, how } = await twoFileSystems(which)
      console.log(`two file systems: ${how}`)
      const from = await fill(path.join(here, 'session'))
      await chmod(path.join(from, 'blobs/deep/a'), 0o640)
      await chmod(path.join(from, 'nothing'), 0o500)
      await symlink('../elsewhere', path.join(from, 'link'))
      const before = readTree(from)
      await moveDurable(from, path.join(there, 'session'))
      expect(readTree(path.join(there, 'session'))).toEqual(before)
      expect((await stat(path.join(there, 'session/blobs/deep/a'))).mode & 0o777).toBe(0o640)
      expect((await stat(path.join(there, 'session/nothing'))).mode & 0o777).toBe(0o500)
      expect([await readdir(here), await readdir(there)]).toEqual([[], ['session']])
      await moveDurable(path.join(there, 'session/chat.jsonl'), path.join(here, 'chat.jsonl'))
      expect((await readFile(path.join(here, 'chat.jsonl'))).equals(long)).toBe(true)
      expect(await readdir(path.join(there, 'session'))).not.toContain('chat.jsonl')
    },
  )

  it('[R2] copies names and links that are not UTF-8 to another file system', async () => {
    const { here, there } = await twoFileSystems('injected')
    const name = Buffer.from([0x66, 0xff, 0x6f])
    const below = (dir: string) => Buffer.concat([Buffer.from(`${dir}/s/`), name, Buffer.from('/')])
    await mkdir(path.join(here, 's'))
    await mkdir(below(here))
    const file = await open(Buffer.concat([below(here), name]), 'wx')
    await file.writeFile('kept')
    await file.close()
    await symlink(name, Buffer.concat([below(here), Buffer.from('link')]))
    await moveDurable(path.join(here, 's'), path.join(there, 's'))
    const moved = await open(Buffer.concat([below(there), name]))
    expect(await moved.readFile('utf8')).toBe('kept')
    await moved.close()
    const link = Buffer.concat([below(there), Buffer.from('link')])
    expect(await readlink(link, { encoding: 'buffer' })).toEqual(name)
    expect(await readdir(here)).toEqual([])
    // What tidies up after tests reads names as text.
    await removeDurable(path.join(there, 's'))
  })

  it('[R2] [A3] copies a link as a link, and reports the place of a socket', async () => {
    const { here, there } = await twoFileSystems('injected')
    const secret = path.join(path.dirname(here), 'secret')
    await writeFile(secret, 'untouched')
    await mkdir(path.join(here, 's'))
    symlinkSync(secret, path.join(here, 's/link'))
    const server = createServer()
    await new Promise<void>((done) => server.listen(path.join(here, 's/sock'), done))
    onTestFinished(() => void server.close())
    await moveDurable(path.join(here, 's'), path.join(there, 's'))
    expect((await readdir(path.join(there, 's'))).sort()).toEqual(['link', 'sock.was-a-socket'])
    expect(await readlink(path.join(there, 's/link'))).toBe(secret)
    expect((await lstat(path.join(there, 's/sock.was-a-socket'))).size).toBe(0)
    expect(await readFile(secret, 'utf8')).toBe('untouched')
    expect(await readdir(here)).toEqual([])
  })

  it('[R2] deletes nothing if the copy differs from the source', async () => {
    const { here, there } = await twoFileSystems('injected')
    const from = await fill(path.join(here, 'session'))
    const before = readTree(from)
    const write = await spyOnHandles('write')
    write.mockImplementationOnce((async (data: Uint8Array) => ({
      bytesWritten: data.length,
    })) as never)
    await expect(moveDurable(from, path.join(there, 'session'))).rejects.toMatchObject({
      kind: 'move-failed',
    })
    expect(readTree(from)).toEqual(before)
    expect(await readdir(there)).toEqual([])
    await moveDurable(from, path.join(there, 'session'))
    expect(readTree(path.join(there, 'session'))).toEqual(before)
  })

  it.each(['any', 'injected'] as const)(
    '[R4] keeps what is in the way, unless it is the same (%s)',
    async (how) => {
      const { here, there } = await twoFileSystems(how)
      const [from, to] = [path.join(here, 'run'), path.join(there, 'run')]
      const make = async (dir: string, text: string) => {
        await mkdir(dir)
        await writeFile(path.join(dir, 'report.md'), text)
      }
      await make(from, 'same')
      await make(to, 'same')
      await moveDurable(from, to)
      expect([await readdir(here), await readdir(there)]).toEqual([[], ['run']])
      await make(from, 'newer')
      await moveDurable(from, to)
      await make(from, 'oldest')
      await moveDurable(from, to, { rival: 'newer' })
      // As if a crash had come before it was deleted here.
      await make(from, 'oldest')
      await moveDurable(from, to, { rival: 'newer' })
      const texts = await Promise.all(
        (await readdir(there))
          .sort()
          .map(async (name) => [name, await readFile(path.join(there, name, 'report.md'), 'utf8')]),
      )
      expect(texts).toEqual([
        ['run', 'newer'],
        ['run.older-1', 'same'],
        ['run.older-2', 'oldest'],
      ])
      expect(await readdir(here)).toEqual([])
    },
  )

  it('[R2] leaves the source to a caller that deletes its parent', async () => {
    const { here, there } = await twoFileSystems('injected')
    const from = await fill(path.join(here, 'vendor'))
    for (let n = 0; n < 2; n++) {
      await moveDurable(from, path.join(there, 'vendor'), { leaveCopied: true })
      expect(await holdsTheSame(from, path.join(there, 'vendor'))).toBe(true)
      expect(await readdir(there)).toEqual(['vendor'])
    }
  })
})

describe('a move to another file system', () => {
  async function prepared() {
    const root = path.join(await scratchDirectory(), 'disk')
    const from = path.join(root, 'here/session')
    mkdirSync(path.join(root, 'there'), { recursive: true })
    mkdirSync(path.join(from, 'blobs'), { recursive: true })
    writeFileSync(path.join(from, 'chat.jsonl'), 'one\ntwo\n')
    writeFileSync(path.join(from, 'blobs/b'), 'blob')
    return { root, whole: JSON.stringify([...readTree(from)]) }
  }
  const held = (root: string, name: string) => JSON.stringify([...readTree(path.join(root, name))])
  const move = (root: string) =>
    moveDurable(path.join(root, 'here/session'), path.join(root, 'there/session'))

  it('[R2] keeps a complete copy in one place after a power cut at any step, and a second call completes it', async () => {
    const { root, whole } = await prepared()
    const recording = record(root, { inject: acrossFolders })
    await move(root)
    const trace = recording.stop()
    const plans = trace.steps.flatMap((_, at) => [
      killedAt(at),
      forgottenAt(at),
      ...[1, 2, 3].map((seed) => scrambledAt(at, createRandom(at * 10 + seed))),
    ])
    for (const plan of [...plans, killedAt(trace.steps.length), forgottenAt(trace.steps.length)]) {
      rmSync(root, { recursive: true })
      writeTree(root, crashState(trace, plan).tree)
      const [source, target] = [held(root, 'here/session'), held(root, 'there/session')]
      expect([whole, '[]']).toContain(target)
      expect([source, target]).toContain(whole)
      const again = record(root, { inject: acrossFolders })
      await move(root).finally(() => again.stop())
      expect(held(root, 'there/session')).toBe(whole)
      expect(
        [...readTree(root).keys()].filter((name) => !/^there\/session(\/|$)/.test(name)),
      ).toEqual(['here', 'there'])
    }
  })

  it('[R2] makes a move durable that an earlier process made just before it was killed', async () => {
    const { root, whole } = await prepared()
    const recording = record(root)
    await rename(path.join(root, 'here/session'), path.join(root, 'there/session'))
    await move(root)
    const trace = recording.stop()
    rmSync(root, { recursive: true })
    writeTree(root, crashState(trace, forgottenAt(trace.steps.length)).tree)
    expect([held(root, 'here/session'), held(root, 'there/session')]).toEqual(['[]', whole])
  })

  it('[R2] loses nothing on a disk that refuses any one call, and continues when it recovers', async () => {
    const { root, whole } = await prepared()
    const counting = record(root, { inject: acrossFolders })
    await move(root)
    counting.stop()
    for (let bad = 1; bad <= counting.attempts; bad++) {
      rmSync(root, { recursive: true })
      writeTree(root, counting.trace.before)
      const recording = record(root, {
        inject: (attempt) => (attempt.n === bad ? { code: 'EIO' } : acrossFolders(attempt)),
      })
      const failed = await move(root).then(
        () => null,
        (error) => error,
      )
      const [source, target] = [held(root, 'here/session'), held(root, 'there/session')]
      expect([whole, '[]']).toContain(target)
      expect([source, target]).toContain(whole)
      if (failed) expect(failed).toMatchObject({ code: 'EIO' })
      await move(root)
      recording.stop()
      expect(held(root, 'there/session')).toBe(whole)
      expect([...readTree(root).keys()].filter(isLeftOfMove)).toEqual([])
      expect(await readdir(path.join(root, 'here'))).toEqual([])
    }
  })
})
