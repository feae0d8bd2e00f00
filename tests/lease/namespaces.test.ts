import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it, type TestContext, vi } from 'vitest'
import { acquireLease, readLeaseHolder } from '../../src/main/lease/lease.ts'
import { ownIdentity } from '../../src/main/processes/identity.ts'
import { scratchDirectory } from '../journal/scratch.ts'

const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
})

/** A program in a pid namespace of its own, as in a container that shares the folder. */
const asRoot = ['--pid', '--fork', '--kill-child', '--mount-proc']
const unsharing = [asRoot, ['--user', '--map-root-user', ...asRoot]].find(
  (flags) => spawnSync('unshare', [...flags, 'true']).status === 0,
)

function needsNamespaces(test: TestContext): void {
  if (!unsharing) test.skip('skipped: unshare can make no pid namespace here')
}

interface Taker {
  /** Acquires the lease in its own namespace. */
  take(): Promise<{ outcome: 'taken' | 'held'; holderPid: number; tookOver?: boolean }>
  child: ChildProcess
}

async function taker(dataDir: string, where: 'here' | 'container'): Promise<Taker> {
  const script = [path.join(import.meta.dirname, 'take-lease.ts'), dataDir]
  const [command = '', ...args] =
    where === 'here'
      ? [process.execPath, ...script]
      : ['unshare', ...(unsharing ?? []), process.execPath, ...script]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    child,
    async take() {
      child.stdin.write('go\n')
      return JSON.parse((await lines.next()).value ?? '')
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  // Its pipes close once what it started is gone as well.
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

describe('the lease across pid namespaces', () => {
  it('[T3] a live holder is not taken for dead from a container, nor one there from here', async (test) => {
    needsNamespaces(test)
    for (const [first, second] of [
      ['here', 'container'],
      ['container', 'here'],
      ['container', 'container'],
    ] as const) {
      const dataDir = await scratchDirectory()
      const holder = await taker(dataDir, first)
      expect(await holder.take(), first).toMatchObject({ outcome: 'taken' })
      expect(await (await taker(dataDir, second)).take(), second).toMatchObject({ outcome: 'held' })
    }
  })

  it('[T3] a holder that was killed in a container is replaced immediately', async (test) => {
    needsNamespaces(test)
    const dataDir = await scratchDirectory()
    const holder = await taker(dataDir, 'container')
    await holder.take()
    expect(await readLeaseHolder(dataDir)).toMatchObject({ pid: expect.any(Number) })
    await kill(holder.child)
    expect(await readLeaseHolder(dataDir)).toBeNull()
    const began = performance.now()
    const lease = await acquireLease(dataDir, { host: 'cli' })
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(lease.tookOver).toBe(true)
    await lease.release()
  })

  it('[T3] a holder without a lock whose process can’t be checked is not replaced, and the message gives advice', async () => {
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'cli' })
    const { holder } = lease
    await lease.release()
    const file = path.join(dataDir, 'lease.json')
    for (const lockInode of [null, '1']) {
      await writeFile(file, JSON.stringify({ ...holder, pidNamespace: 'pid:[1]', lockInode }))
      await expect(acquireLease(dataDir, { host: 'cli' })).rejects.toThrow(
        /of another container.*if nothing runs there any more, delete .*lease\.json/,
      )
    }
  })
})

describe('the identity of a process', () => {
  it('[T3] can’t be judged from a time namespace, where its start has another time', async (test) => {
    const shifted = ['--time', '--boottime', '100000', '--fork', '--kill-child']
    const flags = [shifted, ['--user', '--map-root-user', ...shifted]].find(
      (some) => spawnSync('unshare', [...some, 'true']).status === 0,
    )
    if (!flags) test.skip('skipped: unshare can make no time namespace here')
    const module = path.join(import.meta.dirname, '../../src/main/processes/identity.ts')
    const judge = `import(${JSON.stringify(module)}).then(async ({ judgeProcess }) => console.log(await judgeProcess(${JSON.stringify(await ownIdentity())})))`
    const answered = (command: string, args: string[]) =>
      spawnSync(command, args, { encoding: 'utf8' }).stdout.trim()
    expect(answered(process.execPath, ['-e', judge])).toBe('running')
    expect(answered('unshare', [...(flags ?? []), process.execPath, '-e', judge])).toBe('unknown')
  })
})

describe('the lock beside the lease', () => {
  it('[T3] is taken again when this process closed another handle of its file', async (test) => {
    if (process.platform !== 'linux') test.skip('skipped: only Linux lists the locks of a file')
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'cli', watchMs: 20 })
    const file = path.join(dataDir, 'lease.lock')
    const { ino } = await stat(file)
    const isListed = async () =>
      (await readFile('/proc/locks', 'utf8')).includes(`:${ino} `) && !lease.isLost()
    expect(await isListed()).toBe(true)
    // As a tool does that searches all files of a project with the data directory in it.
    await readFile(file)
    await vi.waitFor(async () => expect(await isListed()).toBe(true), 30_000)
    await (await open(file)).close()
    await vi.waitFor(async () => expect(await isListed()).toBe(true), 30_000)
    const other = await taker(dataDir, unsharing ? 'container' : 'here')
    expect(await other.take()).toMatchObject({ outcome: 'held' })
    await lease.release()
  })

  it('[T3] a holder that lost its lock to another process is notified', async (test) => {
    if (process.platform !== 'linux') test.skip('skipped: only Linux lists the locks of a file')
    needsNamespaces(test)
    const dataDir = await scratchDirectory()
    // Started first: it has to take the lock before the holder takes it again.
    const other = await taker(dataDir, 'container')
    const lease = await acquireLease(dataDir, { host: 'cli', watchMs: 2_000 })
    await readFile(path.join(dataDir, 'lease.lock'))
    expect(await other.take()).toMatchObject({ outcome: 'taken' })
    await lease.lost
    expect(lease.isLost()).toBe(true)
    await lease.release()
  })

  it('[T3] keeps the holder when somebody deletes lease.json, which a stopped one can’t restore', async () => {
    const dataDir = await scratchDirectory()
    const holder = await taker(dataDir, 'here')
    const { holderPid } = await holder.take()
    process.kill(holderPid, 'SIGSTOP')
    await rm(path.join(dataDir, 'lease.json'))
    await expect(acquireLease(dataDir, { host: 'cli' })).rejects.toThrow(
      /in use by a process that .*lease\.json does not name any more/,
    )
    await kill(holder.child)
    await (await acquireLease(dataDir, { host: 'cli' })).release()
  })

  it('[T3] stays with a process that is stopped', async () => {
    const dataDir = await scratchDirectory()
    const holder = await taker(dataDir, 'here')
    const { holderPid } = await holder.take()
    process.kill(holderPid, 'SIGSTOP')
    await expect(acquireLease(dataDir, { host: 'cli' })).rejects.toMatchObject({
      kind: 'lease-held',
      holder: { pid: holderPid },
    })
  })

  it('is a file of nothing, its owner’s alone, and no other file lies beside it', async () => {
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'cli' })
    const { size, mode, ino } = await stat(path.join(dataDir, 'lease.lock'))
    expect([size, mode & 0o777]).toEqual([0, 0o600])
    expect(JSON.parse(await readFile(path.join(dataDir, 'lease.json'), 'utf8')).lockInode).toBe(
      String(ino),
    )
    await lease.release()
  })
})
