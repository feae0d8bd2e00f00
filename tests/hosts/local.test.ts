/** Two sides of one data directory: who holds it with its endpoint, and who calls. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { openLocalEndpoint } from '../../src/main/hosts/local/endpoint.ts'
import { connectToHolder, readHolder } from '../../src/main/hosts/local/holder.ts'
import { isHeldBriefly, retryUntilFree } from '../../src/main/hosts/local/retry-until-free.ts'
import { acquireLease } from '../../src/main/lease/lease.ts'
import type { LeaseHolder } from '../../src/main/lease/lease-holder.ts'
import { temporaryDir } from '../harness.ts'

const version = '1.2.3'

async function openHolder() {
  const dataDir = path.join(await temporaryDir(), 'data')
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const endpoint = await openLocalEndpoint({ shiplog, version })
  return {
    dataDir,
    shiplog,
    endpoint,
    leaseFile: path.join(dataDir, 'lease.json'),
    async holder(): Promise<LeaseHolder> {
      const holder = await readHolder(dataDir)
      if (!holder) throw new Error('nobody holds it')
      return holder
    },
    async [Symbol.asyncDispose]() {
      await endpoint.close().catch(() => {})
      await shiplog.close()
    },
  }
}

describe('the endpoint', () => {
  it('serves the contract to anyone who can read the lease, and reports that in app.info', async () => {
    await using held = await openHolder()
    const { client, close } = await connectToHolder(await held.holder(), {
      dataDir: held.dataDir,
      version,
    })
    expect((await client.app.info()).lease).toEqual({
      pid: process.pid,
      host: 'cli',
      hostName: (await held.holder()).hostName,
      endpoint: true,
      since: new Date((await held.holder()).acquiredAt).toISOString(),
    })
    expect(await client.tasks.list({ all: true })).toEqual({ tasks: [] })
    const [first] = await Array.fromAsync(firstOf(await client.feed.ledger()))
    expect(first).toMatchObject({ type: 'snapshot' })
    close()
    await held.endpoint.unused()
  })

  it('keeps its token in a file for its owner alone, and out of app.info', async () => {
    await using held = await openHolder()
    expect((await stat(held.leaseFile)).mode & 0o777).toBe(0o600)
    const token = /#token=([\w-]{43})$/.exec((await held.holder()).endpoint ?? '')?.[1] ?? ''
    expect(token).not.toBe('')
    expect(JSON.stringify(await held.shiplog.client.app.info())).not.toContain(token)
  })

  it('errors come through typed', async () => {
    await using held = await openHolder()
    const { client, close } = await connectToHolder(await held.holder(), {
      dataDir: held.dataDir,
      version,
    })
    await expect(client.tasks.report({ taskId: 'deadbeef' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      defined: true,
    })
    close()
  })

  it('removes itself from the lease when it closes, and the lease when its process ends', async () => {
    await using held = await openHolder()
    const before = await held.holder()
    await held.endpoint.close()
    await held.endpoint.close()
    expect(await held.holder()).toEqual({ ...before, endpoint: null })
    expect((await held.shiplog.client.app.info()).lease.endpoint).toBe(false)
    await expect(connectToHolder(before, { dataDir: held.dataDir, version })).rejects.toMatchObject(
      {
        kind: 'holder-not-listening',
      },
    )
    await held.shiplog.close()
    expect(existsSync(held.leaseFile)).toBe(false)
  })

  it('is no longer found after it is unpublished, and keeps its connections', async () => {
    await using held = await openHolder()
    const { client, close } = await connectToHolder(await held.holder(), {
      dataDir: held.dataDir,
      version,
    })
    await held.endpoint.unpublish()
    await expect(
      connectToHolder(await held.holder(), { dataDir: held.dataDir, version }),
    ).rejects.toMatchObject({
      kind: 'holder-not-listening',
      message: expect.stringContaining('it takes no calls'),
    })
    expect(await client.tasks.list({ all: true })).toEqual({ tasks: [] })
    expect(held.endpoint.isUsed()).toBe(true)
    close()
    await held.endpoint.unused()
    expect(held.endpoint.isUsed()).toBe(false)
  })

  it('does not restore a lease that is released at the same moment', async () => {
    const dataDir = path.join(await temporaryDir(), 'data')
    const lease = await acquireLease(dataDir, { host: 'web' })
    const [published] = await Promise.all([
      lease.setEndpoint('http://127.0.0.1:1/#token=a'),
      lease.release(),
    ])
    expect(published).toBeUndefined()
    expect(existsSync(path.join(dataDir, 'lease.json'))).toBe(false)
    await expect(lease.setEndpoint(null)).rejects.toThrow('not this process')
    expect(existsSync(path.join(dataDir, 'lease.json'))).toBe(false)
  })
})

describe('a caller gets the error', () => {
  it('that its token is wrong', async () => {
    await using held = await openHolder()
    const holder = await held.holder()
    const endpoint = holder.endpoint?.replace(/token=.*/, 'token=guessed') ?? null
    await expect(
      connectToHolder({ ...holder, endpoint }, { dataDir: held.dataDir, version }),
    ).rejects.toMatchObject({
      kind: 'holder-refused',
    })
    expect(held.endpoint.isUsed()).toBe(false)
  })

  it('that the holder is of another version, and of which', async () => {
    await using held = await openHolder()
    const refused = connectToHolder(await held.holder(), {
      dataDir: held.dataDir,
      version: '9.9.9',
    })
    await expect(refused).rejects.toMatchObject({
      kind: 'holder-other-version',
      message: expect.stringMatching(/process \d+ .*Shiplog 1\.2\.3; this is 9\.9\.9/),
    })
    expect(held.endpoint.isUsed()).toBe(false)
  })

  it('that the holder is on another machine, without a connection attempt', async () => {
    await using held = await openHolder()
    const holder = { ...(await held.holder()), hostName: 'another-machine' }
    await expect(connectToHolder(holder, { dataDir: held.dataDir, version })).rejects.toMatchObject(
      {
        kind: 'holder-elsewhere',
        message: expect.stringContaining('another-machine'),
      },
    )
    expect(held.endpoint.isUsed()).toBe(false)
  })

  it('that its directory is a copy, made while the holder used the original', async () => {
    await using held = await openHolder()
    const copy = `${held.dataDir}-copy`
    await cp(held.dataDir, copy, { recursive: true })
    const holder = (await readHolder(copy)) ?? expect.unreachable()
    await expect(connectToHolder(holder, { dataDir: copy, version })).rejects.toMatchObject({
      kind: 'holder-of-another-directory',
      message: expect.stringContaining('delete lease.json in the copy'),
    })
    const link = `${held.dataDir}-link`
    await symlink(held.dataDir, link)
    const { close } = await connectToHolder(holder, { dataDir: link, version })
    close()
    await held.endpoint.unused()
  })

  it('that nobody listens, or a program other than Shiplog', async () => {
    await using held = await openHolder()
    const holder = await held.holder()
    const rude = createServer((stream) => {
      stream.on('error', () => {})
      stream.end('220 mail.example ESMTP\r\n', () => stream.destroy())
    })
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
    const { port } = rude.address() as { port: number }
    const endpoints = [
      `http://127.0.0.1:${port}/#token=abc`,
      ...['', 'nonsense', 'http://127.0.0.1:1/', 'https://127.0.0.1:1/#token=abc'],
    ]
    for (const endpoint of endpoints) {
      const failure = connectToHolder({ ...holder, endpoint }, { dataDir: held.dataDir, version })
      await expect(failure).rejects.toMatchObject({ kind: 'holder-not-listening' })
    }
    await new Promise((resolve) => rude.close(resolve))
  })

  it('that it does not answer', async () => {
    await using held = await openHolder()
    const streams = new Set<Socket>()
    const stopped = createServer((stream) => streams.add(stream.on('error', () => {})))
    await new Promise<void>((resolve) => stopped.listen(0, '127.0.0.1', resolve))
    const { port } = stopped.address() as { port: number }
    const holder = {
      ...(await held.holder()),
      endpoint: `http://127.0.0.1:${port}/#token=abc`,
    }
    await expect(
      connectToHolder(holder, { dataDir: held.dataDir, version, waitMsMax: 100 }),
    ).rejects.toMatchObject({
      kind: 'holder-not-listening',
      message: expect.stringContaining('no answer within 100 ms'),
    })
    for (const stream of streams) stream.destroy()
    await new Promise((resolve) => stopped.close(resolve))
  })

  it('that the holder was closed while it waited for an answer', async () => {
    await using held = await openHolder()
    const connection = await connectToHolder(await held.holder(), {
      dataDir: held.dataDir,
      version,
    })
    const feed = await connection.client.feed.ledger()
    await feed.next()
    const waiting = feed.next().then(
      () => 'ended',
      () => 'ended',
    )
    await held.endpoint.close()
    expect(await connection.lost).toMatchObject({
      kind: 'holder-lost',
      message: expect.stringContaining('was closed before it had answered'),
    })
    expect(connection.isOpen()).toBe(false)
    expect(await waiting).toBe('ended')
  })
})

describe('a holder whose lease files somebody deletes', () => {
  const deleteBoth = async (dataDir: string) => {
    for (const name of ['lease.json', 'lease.lock']) await rm(path.join(dataDir, name))
  }

  it('[T3] writes them again with its endpoint, and no other process opens the data directory', async () => {
    await using held = await openHolder()
    const { endpoint } = await held.holder()
    await deleteBoth(held.dataDir)
    const second = openShiplog({ dataDir: held.dataDir, host: 'cli' })
    await expect(second).rejects.toMatchObject({ kind: 'lease-held', holder: { endpoint } })
    const { client, close } = await connectToHolder(await held.holder(), {
      dataDir: held.dataDir,
      version,
    })
    expect(await client.tasks.list({ all: true })).toEqual({ tasks: [] })
    close()
  })

  it('[T3] is displaced and writes nothing more if another process took them first', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const project = await temporaryDir()
    await using held = await openHolder()
    await deleteBoth(held.dataDir)
    const takes = path.join(import.meta.dirname, '../lease/take-lease.ts')
    const other = spawn(process.execPath, [takes, held.dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void other.kill('SIGKILL'))
    other.stdin.write('go\n')
    for await (const line of createInterface({ input: other.stdout }))
      if (line.includes('taken')) break
    vi.advanceTimersByTime(1_000)
    expect(await held.shiplog.displaced).toMatchObject({ kind: 'lease-lost' })
    const before = await readFile(path.join(held.dataDir, 'ledger.jsonl'))
    await expect(held.shiplog.client.projects.add({ dir: project })).rejects.toThrow()
    expect(await readFile(path.join(held.dataDir, 'ledger.jsonl'))).toEqual(before)
  })
})

describe('retries until the lease is free', () => {
  it('waits only for a holder that accepts no calls', async () => {
    const dataDir = path.join(await temporaryDir(), 'data')
    const first = await acquireLease(dataDir, { host: 'cli' })
    let attempts = 0
    const second = await retryUntilFree(async () => {
      attempts++
      if (attempts === 3) await first.release()
      return acquireLease(dataDir, { host: 'desktop' })
    }, isHeldBriefly)
    expect(attempts).toBe(3)
    await second.setEndpoint('http://127.0.0.1:1/#token=abc')
    const third = retryUntilFree(() => {
      attempts++
      return acquireLease(dataDir, { host: 'desktop' })
    }, isHeldBriefly)
    await expect(third).rejects.toMatchObject({ kind: 'lease-held' })
    expect(attempts).toBe(4)
    await second.release()
  })

  it('waits 5 s for each holder, so that many short commands can follow each other', async () => {
    let now = 0
    const heldBy = (pid: number) =>
      Object.assign(new Error('held'), { kind: 'lease-held', holder: { pid, acquiredAt: 0 } })
    const tryWith = (holders: number[]) =>
      retryUntilFree(
        async () => {
          now += 2_000
          const pid = holders.shift()
          if (pid !== undefined) throw heldBy(pid)
        },
        () => true,
        () => now,
      )
    await tryWith([1, 1, 2, 2, 3, 3])
    await expect(tryWith([1, 2, 2, 2, 2])).rejects.toMatchObject({ holder: { pid: 2 } })
    const endless = Array.from({ length: 40 }, (_, pid) => pid)
    await expect(tryWith(endless)).rejects.toThrow('held')
    expect(endless).not.toEqual([])
  })

  it('does not wait for another machine, or an invalid lease', async () => {
    const dataDir = path.join(await temporaryDir(), 'data')
    const lease = await acquireLease(dataDir, { host: 'cli' })
    const file = path.join(dataDir, 'lease.json')
    const there = { ...JSON.parse(await readFile(file, 'utf8')), hostName: 'another-machine' }
    await writeFile(file, JSON.stringify(there))
    const held = await acquireLease(dataDir, { host: 'cli' }).catch((error) => error)
    expect(held).toMatchObject({ kind: 'lease-held' })
    expect(isHeldBriefly(held)).toBe(false)
    expect(isHeldBriefly(new Error('no'))).toBe(false)
    await lease.release()
  })
})

async function* firstOf<Value>(values: AsyncIterable<Value>) {
  for await (const value of values) {
    yield value
    return
  }
}
