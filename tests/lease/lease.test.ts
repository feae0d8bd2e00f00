import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { readdir, readFile, rename, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Lease } from '../../src/main/lease/held-lease.ts'
import { lockFile } from '../../src/main/lease/kernel-lock.ts'
import { acquireLease, readLeaseHolder } from '../../src/main/lease/lease.ts'
import { LeaseHeldError } from '../../src/main/lease/lease-errors.ts'
import { claimFor } from '../../src/main/lease/lease-file.ts'
import { judgeProcess, ownIdentity, processStartedAt } from '../../src/main/processes/identity.ts'
import { scratchDirectory } from '../journal/scratch.ts'

const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
})

interface Taker {
  child: ChildProcess
  pid: number
  /** Says go, and gives its answer: taken, or who holds it. */
  take(): Promise<{ outcome: 'taken' | 'held'; holderPid: number }>
}

/** A process that takes the lease when asked, and keeps it until it is killed. */
async function taker(dataDir: string): Promise<Taker> {
  const script = path.join(import.meta.dirname, 'take-lease.ts')
  const child = spawn(process.execPath, [script, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    child,
    pid: child.pid ?? 0,
    async take() {
      child.stdin.write('go\n')
      return JSON.parse((await lines.next()).value ?? '')
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** What this process wrote into its lease, which it has given back. */
async function leaseOfTheDead(dataDir: string) {
  const lease = await acquireLease(dataDir, { host: 'cli' })
  const content = JSON.parse(await readFile(path.join(dataDir, 'lease.json'), 'utf8'))
  await lease.release()
  return content
}

describe('processes', () => {
  it('[T3] identifies this process by pid and start time', async () => {
    const own = await ownIdentity()
    expect(own.pid).toBe(process.pid)
    expect(await processStartedAt(process.pid)).toBe(own.startedAt)
    expect(await judgeProcess(own)).toBe('running')
    expect(await judgeProcess({ ...own, startedAt: 'another time' })).toBe('gone')
    expect(await judgeProcess({ ...own, pidNamespace: 'pid:[1]' })).toBe('unknown')
  })

  it('[T3] recognizes an ended process, and never queries process groups', async () => {
    const { child, pid } = await taker(await scratchDirectory())
    const startedAt = (await processStartedAt(pid)) ?? ''
    const identity = { ...(await ownIdentity()), pid, startedAt }
    expect(await judgeProcess(identity)).toBe('running')
    expect(startedAt).not.toBe((await ownIdentity()).startedAt)
    await kill(child)
    expect(await processStartedAt(pid)).toBeNull()
    expect(await judgeProcess(identity)).toBe('gone')
    for (const odd of [0, -1, 1.5, Number.NaN]) expect(await processStartedAt(odd)).toBeNull()
  })
})

describe('lease', () => {
  it('says who may write, readable by its owner only, and goes when released', async () => {
    const dataDir = path.join(await scratchDirectory(), 'data')
    const lease = await acquireLease(dataDir, { host: 'web', endpoint: 'http://127.0.0.1:1' })
    const file = path.join(dataDir, 'lease.json')
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      pid: process.pid,
      processStartedAt: await processStartedAt(process.pid),
      hostName: os.hostname(),
      host: 'web',
      endpoint: 'http://127.0.0.1:1',
      acquiredAt: expect.any(Number),
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readLeaseHolder(dataDir)).toEqual(lease.holder)
    await lease.release()
    await lease.release()
    expect(await readdir(dataDir)).toEqual(['lease.lock'])
    expect(await readLeaseHolder(dataDir)).toBeNull()
  })

  it('is held against a second taker, in this process and in another', async () => {
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'desktop', endpoint: 'somewhere' })
    const failure = await acquireLease(dataDir, { host: 'cli' }).catch((error) => error)
    expect(failure).toBeInstanceOf(LeaseHeldError)
    expect(failure).toMatchObject({ kind: 'lease-held', holder: lease.holder })
    const other = await taker(dataDir)
    expect(await other.take()).toEqual({ outcome: 'held', holderPid: process.pid })
    await lease.release()
    expect(await readdir(dataDir)).toEqual(['lease.lock'])
  })

  it('is lost when the data directory is moved, and creates nothing at its former path', async () => {
    const dataDir = path.join(await scratchDirectory(), 'data')
    const lease = await acquireLease(dataDir, { host: 'cli', watchMs: 20 })
    await rename(dataDir, `${dataDir}-moved`)
    await lease.lost
    expect(lease.isLost()).toBe(true)
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT')
    await lease.release()
  })

  it('publishes an endpoint later', async () => {
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'web' })
    await lease.setEndpoint('http://127.0.0.1:2')
    expect((await readLeaseHolder(dataDir))?.endpoint).toBe('http://127.0.0.1:2')
    await lease.release()
    expect(await readdir(dataDir)).toEqual(['lease.lock'])
    await expect(lease.setEndpoint(null)).rejects.toThrow(/not this process's/)
  })

  it('does not remove a lease that is not its own any more', async () => {
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'web' })
    await writeFile(path.join(dataDir, 'lease.json'), 'somebody else')
    await lease.release()
    expect(await readFile(path.join(dataDir, 'lease.json'), 'utf8')).toBe('somebody else')
  })

  it('is taken over from a dead process, without leftovers', async () => {
    const dataDir = await scratchDirectory()
    const dead = await taker(dataDir)
    expect((await dead.take()).outcome).toBe('taken')
    await kill(dead.child)
    expect(await readLeaseHolder(dataDir)).toBeNull()
    const lease = await acquireLease(dataDir, { host: 'cli' })
    expect(lease.holder.pid).toBe(process.pid)
    expect(await readdir(dataDir)).toEqual(['lease.json', 'lease.lock'])
    await lease.release()
  })

  it.each([
    ['whose pid another process has now', { processStartedAt: 'long ago' }],
    ['that is not readable', null],
  ])('is taken over from one %s', async (_, change) => {
    const dataDir = await scratchDirectory()
    const file = path.join(dataDir, 'lease.json')
    const content = await leaseOfTheDead(dataDir)
    await writeFile(file, change ? JSON.stringify({ ...content, ...change }) : '{"pid":')
    const lease = await acquireLease(dataDir, { host: 'web' })
    expect((await readLeaseHolder(dataDir))?.host).toBe('web')
    await lease.release()
  })

  it('is not taken from a live process whose lease does not say where and since when', async () => {
    const dataDir = await scratchDirectory()
    const { endpoint, acquiredAt, nonce, ...rest } = await leaseOfTheDead(dataDir)
    await writeFile(
      path.join(dataDir, 'lease.json'),
      JSON.stringify({ ...rest, acquiredAt: 'once' }),
    )
    await expect(acquireLease(dataDir, { host: 'web' })).rejects.toMatchObject({
      kind: 'lease-held',
      holder: { ...rest, endpoint: null },
    })
  })

  it('is not taken from a process on another machine, and the message gives advice', async () => {
    const dataDir = await scratchDirectory()
    const file = path.join(dataDir, 'lease.json')
    const content = await leaseOfTheDead(dataDir)
    const elsewhere = { pid: 1, hostName: 'elsewhere', processStartedAt: 'another-boot/1' }
    await writeFile(file, JSON.stringify({ ...content, ...elsewhere }))
    await expect(acquireLease(dataDir, { host: 'web' })).rejects.toThrow(
      /elsewhere.*if nothing runs there any more, delete .*lease\.json/,
    )
  })

  it('is taken from a dead process when this machine has got another name since, not from a live one', async (test) => {
    if (process.platform !== 'linux') test.skip('skipped: only Linux names the boot of a machine')
    const dataDir = await scratchDirectory()
    const file = path.join(dataDir, 'lease.json')
    const content = await leaseOfTheDead(dataDir)
    const own = await ownIdentity()
    const alive = { ...own, processStartedAt: own.startedAt, hostName: 'elsewhere' }
    await writeFile(file, JSON.stringify({ ...content, ...alive }))
    await expect(acquireLease(dataDir, { host: 'web' })).rejects.toThrow('in use by process')
    const dead = { ...alive, processStartedAt: own.startedAt.replace(/\d+$/, '1') }
    await writeFile(file, JSON.stringify({ ...content, ...dead }))
    const lease = await acquireLease(dataDir, { host: 'web' })
    expect(lease.tookOver).toBe(true)
    await lease.release()
  })

  it('continues after a taker that died in the middle of taking over', async () => {
    const dataDir = await scratchDirectory()
    const dead = await taker(dataDir)
    await dead.take()
    await kill(dead.child)
    // What is left when the next one dies between claiming the dead lease and replacing it, and when
    // one more dies between claiming that claim and replacing it.
    const file = path.join(dataDir, 'lease.json')
    const content = await readFile(file, 'utf8')
    const claim = claimFor(file, content)
    await writeFile(claim, content)
    await writeFile(claimFor(claim, content), '')
    const lease = await acquireLease(dataDir, { host: 'cli' })
    expect(await readdir(dataDir)).toEqual(['lease.json', 'lease.lock'])
    await lease.release()
  })

  it('removes what a process left that died before it had written its first lease', async () => {
    const dataDir = await scratchDirectory()
    for (const content of ['', '{"pid":'])
      await writeFile(path.join(dataDir, `lease.json.left-${content.length}.prepared`), content)
    const lease = await acquireLease(dataDir, { host: 'cli' })
    expect(await readdir(dataDir)).toEqual(['lease.json', 'lease.lock'])
    await lease.release()
  })

  it('is left alone by a taker that looked at the dead one before another took it over, where there are no locks', async () => {
    const dataDir = await scratchDirectory()
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
    onTestFinished(() => void vi.restoreAllMocks())
    const dead = await taker(dataDir)
    await dead.take()
    await kill(dead.child)
    // Between the slow one's look at the dead lease and its claim, the other does all of it.
    const realLink = fs.promises.link
    const inTime = Promise.withResolvers<Lease>()
    fs.promises.link = async (from, to) => {
      fs.promises.link = realLink
      syncBuiltinESMExports()
      inTime.resolve(await acquireLease(dataDir, { host: 'web' }))
      return realLink(from, to)
    }
    syncBuiltinESMExports()
    const slow = await acquireLease(dataDir, { host: 'cli' }).catch((error) => error)
    const lease = await inTime.promise
    expect(slow).toMatchObject({ kind: 'lease-held', holder: lease.holder })
    expect(await readLeaseHolder(dataDir)).toEqual(lease.holder)
    expect(await readdir(dataDir)).toEqual(['lease.json', 'lease.lock'])
    await lease.release()
  })

  it('works where the file system has no locks, so that every file seems to be locked', async () => {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
      throw Object.assign(new Error('database is locked'), { errcode: 5 })
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const dataDir = await scratchDirectory()
    const lease = await acquireLease(dataDir, { host: 'cli' })
    expect(lease.unlockedBecause).toBe('its file system has no locks')
    await expect(acquireLease(dataDir, { host: 'cli' })).rejects.toBeInstanceOf(LeaseHeldError)
    await lease.release()
    expect(await readdir(dataDir)).toEqual(['lease.lock'])
  })

  describe('whose files somebody deletes while its holder lives', () => {
    const deleteBoth = async (dataDir: string) => {
      for (const name of ['lease.json', 'lease.lock']) await rm(path.join(dataDir, name))
    }

    it('is put back by its holder, and held against others as before', async () => {
      const dataDir = await scratchDirectory()
      const lease = await acquireLease(dataDir, { host: 'web', endpoint: 'there', watchMs: 5 })
      await deleteBoth(dataDir)
      await vi.waitFor(
        async () => expect(await readLeaseHolder(dataDir)).toEqual(lease.holder),
        30_000,
      )
      expect(lease.holder.endpoint).toBe('there')
      const other = await taker(dataDir)
      expect(await other.take()).toEqual({ outcome: 'held', holderPid: process.pid })
      expect(lease.isLost()).toBe(false)
      await lease.setEndpoint('elsewhere')
      await lease.release()
      expect(await readdir(dataDir)).toEqual(['lease.lock'])
    })

    it('is written again by its holder when lease.json alone is deleted or destroyed, not when another process has it', async () => {
      const dataDir = await scratchDirectory()
      const file = path.join(dataDir, 'lease.json')
      const lease = await acquireLease(dataDir, { host: 'cli', watchMs: 20 })
      const holder = JSON.stringify(lease.holder)
      const ofTheDead = JSON.stringify({ ...lease.holder, processStartedAt: 'another time' })
      for (const damage of [
        () => unlink(file),
        () => writeFile(file, '{"pid":1'),
        () => writeFile(file, ofTheDead),
        () => truncate(file, 1 << 30),
      ]) {
        await damage()
        await vi.waitFor(async () => {
          expect((await stat(file)).size).toBeLessThan(10_000)
          const { nonce, ...named } = JSON.parse(await readFile(file, 'utf8'))
          expect(JSON.stringify(named)).toBe(holder)
        }, 30_000)
      }
      await lease.setEndpoint('http://127.0.0.1:1/')
      expect(await readLeaseHolder(dataDir)).toMatchObject({ endpoint: 'http://127.0.0.1:1/' })
      const pid = process.ppid
      const startedAt = await processStartedAt(pid)
      const other = JSON.stringify({ ...lease.holder, pid, processStartedAt: startedAt })
      await writeFile(file, other)
      await lease.lost
      expect(await readFile(file, 'utf8')).toBe(other)
      await lease.release()
    })

    it.each([
      ['has the lock', true],
      ['has none either', false],
    ])(
      'is lost when a process without locks takes the missing lease.json, and its holder %s',
      async (_, withLock) => {
        const dataDir = await scratchDirectory()
        const withoutLocks = () =>
          vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
        onTestFinished(() => void vi.restoreAllMocks())
        if (!withLock) withoutLocks()
        const lease = await acquireLease(dataDir, { host: 'web', watchMs: 200 })
        if (withLock) withoutLocks()
        expect(lease.unlockedBecause === null).toBe(withLock)
        await unlink(path.join(dataDir, 'lease.json'))
        const other = await acquireLease(dataDir, { host: 'cli', watchMs: 200 })
        await lease.lost
        await lease.release()
        expect(other.isLost()).toBe(false)
        expect(await readLeaseHolder(dataDir)).toEqual(other.holder)
        await other.release()
      },
    )

    it('is written again by a holder without locks', async () => {
      const dataDir = await scratchDirectory()
      vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
      onTestFinished(() => void vi.restoreAllMocks())
      const lease = await acquireLease(dataDir, { host: 'web', watchMs: 5 })
      await unlink(path.join(dataDir, 'lease.json'))
      await vi.waitFor(
        async () => expect(await readLeaseHolder(dataDir)).toEqual(lease.holder),
        30_000,
      )
      await expect(acquireLease(dataDir, { host: 'cli' })).rejects.toBeInstanceOf(LeaseHeldError)
      await lease.release()
    })

    it('is not taken by a newcomer while its holder has made the lock file, and not locked it yet', async () => {
      const dataDir = await scratchDirectory()
      const taking = acquireLease(dataDir, { host: 'cli', wasUsed: true })
      const refused = expect(taking).rejects.toMatchObject({ kind: 'lease-held' })
      await delay(50)
      await writeFile(path.join(dataDir, 'lease.lock'), '')
      await delay(200)
      const lease = await acquireLease(dataDir, { host: 'web' })
      await refused
      await lease.release()
    })

    it('is put back before a newcomer, who waits where others wrote before, makes files of its own', async () => {
      const dataDir = await scratchDirectory()
      const lease = await acquireLease(dataDir, { host: 'web' })
      await deleteBoth(dataDir)
      await expect(acquireLease(dataDir, { host: 'cli', wasUsed: true })).rejects.toMatchObject({
        kind: 'lease-held',
        holder: { pid: process.pid },
      })
      expect(lease.isLost()).toBe(false)
      await lease.release()
    })

    it('is kept when another process only looks at a new lock file whether anybody holds it', async () => {
      const dataDir = await scratchDirectory()
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const lease = await acquireLease(dataDir, { host: 'web' })
      const looked = async () => {
        vi.advanceTimersByTime(1_000)
        // Waits for the look, which is on its way.
        await lease.setEndpoint('there')
      }
      const lockPath = path.join(dataDir, 'lease.lock')
      await rm(lockPath)
      const probe = await lockFile(lockPath)
      await looked()
      expect([probe.kind, lease.isLost()]).toEqual(['locked', false])
      if (probe.kind === 'locked') probe.lock.release()
      await looked()
      const other = await taker(dataDir)
      expect(await other.take()).toEqual({ outcome: 'held', holderPid: process.pid })
      await lease.release()
    })

    it('is lost, with a notice to its holder, once another process has taken the files created since', async () => {
      const dataDir = await scratchDirectory()
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const lease = await acquireLease(dataDir, { host: 'web' })
      const other = await taker(dataDir)
      await deleteBoth(dataDir)
      expect(await other.take()).toMatchObject({ outcome: 'taken' })
      vi.advanceTimersByTime(1_000)
      await lease.lost
      expect(lease.isLost()).toBe(true)
      await lease.release()
      expect((await readLeaseHolder(dataDir))?.pid).toBe(other.pid)
    })
  })

  it('has one winner when many processes take a dead one at the same moment', {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < 3; round++) {
      const dataDir = await scratchDirectory()
      const dead = await taker(dataDir)
      await dead.take()
      await kill(dead.child)
      const takers = await Promise.all(Array.from({ length: 4 }, () => taker(dataDir)))
      const answers = await Promise.all(takers.map((one) => one.take()))
      const winners = takers.filter((_, i) => answers[i]?.outcome === 'taken')
      expect(winners).toHaveLength(1)
      expect(answers.map(({ holderPid }) => holderPid)).toEqual(takers.map(() => winners[0]?.pid))
      expect((await readLeaseHolder(dataDir))?.pid).toBe(winners[0]?.pid)
      for (const one of takers) await kill(one.child)
    }
  })
})
