/** The recording and the states built from it, tried on writers whose faults are known. */
import fs from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import writeFileAtomic from 'write-file-atomic'
import {
  openJournal,
  removeDurable,
  renameDurable,
  writeFileDurable,
} from '../../src/main/journal/index.ts'
import { crashState, forgottenAt, killedAt, scrambledAt } from './fault-fs/crash-state.ts'
import { createRandom } from './fault-fs/random.ts'
import { type Attempt, record } from './fault-fs/record.ts'
import type { Trace, Tree } from './fault-fs/trace.ts'
import { differences, readTree } from './fault-fs/tree.ts'
import { scratch } from './places.ts'

async function traced(work: (dir: string, ack: (fact: unknown) => void) => Promise<void>) {
  const dir = scratch()
  const recording = record(dir)
  try {
    await work(dir, recording.ack)
  } finally {
    recording.stop()
  }
  return { dir, trace: recording.trace }
}

async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  await handle.sync()
  await handle.close()
}

/** A log with every precaution, less the ones left out. */
function writer(leftOut: { datasync?: true; dirsync?: true }) {
  return async (dir: string, ack: (fact: unknown) => void) => {
    await mkdir(join(dir, 'a'))
    if (!leftOut.dirsync) await syncDir(dir)
    const handle = await open(join(dir, 'a/log'), 'a')
    if (!leftOut.dirsync) await syncDir(join(dir, 'a'))
    for (let n = 1; n <= 3; n++) {
      await handle.write(`line ${n}\n`)
      if (!leftOut.datasync) await handle.datasync()
      ack(`line ${n}`)
    }
    await handle.close()
    await rename(join(dir, 'a'), join(dir, 'b'))
    if (!leftOut.dirsync) await syncDir(dir)
    ack('moved')
  }
}

/** What was acknowledged and is not there, over many states. */
function losses(trace: Trace): Set<unknown> {
  const lost = new Set<unknown>()
  for (let at = 0; at <= trace.steps.length; at++) {
    const plans = [killedAt(at), forgottenAt(at)]
    for (let n = 0; n < 20; n++) plans.push(scrambledAt(at, createRandom(at * 100 + n)))
    for (const plan of plans) {
      const { tree, acknowledged } = crashState(trace, plan)
      const node = tree.get('b/log') ?? tree.get('a/log')
      const lines = node?.kind === 'file' ? node.data.toString().split('\n') : []
      for (const fact of acknowledged)
        if (fact === 'moved' ? !tree.has('b') : !lines.includes(String(fact))) lost.add(fact)
    }
  }
  return lost
}

describe('crash states', () => {
  it('contain everything that a correct writer acknowledged', async () => {
    expect(losses((await traced(writer({}))).trace)).toEqual(new Set())
  })

  it('expose a writer that does not sync its data', async () => {
    const lost = losses((await traced(writer({ datasync: true }))).trace)
    expect(lost).toEqual(new Set(['line 1', 'line 2', 'line 3']))
  })

  it('expose a writer that does not sync its directories', async () => {
    const lost = losses((await traced(writer({ dirsync: true }))).trace)
    expect(lost).toEqual(new Set(['line 1', 'line 2', 'line 3', 'moved']))
  })

  it('equal the directory after all operations without a loss', async () => {
    const { dir, trace } = await traced(async (place, ack) => {
      await writer({})(place, ack)
      const journal = await openJournal(join(place, 'j/chat.jsonl'))
      await Promise.all([journal.append({ type: 'a' }), journal.append({ type: 'b' })])
      await journal.close()
      await writeFileAtomic(join(place, 'j/partial.json'), '{"n":1}', { fsync: false })
      await writeFileAtomic(join(place, 'j/partial.json'), '{"n":22}', { fsync: false })
      await writeFileDurable(join(place, 'index.json'), '{}')
      await renameDurable(join(place, 'j'), join(place, 'b/j'))
      await writeFile(join(place, 'gone'), 'x')
      await removeDurable(join(place, 'gone'))
      await mkdir(join(place, 'x/y/z'), { recursive: true })
      await writeFile(join(place, 'x/y/z/file'), 'content')
      await rm(join(place, 'x/y'), { recursive: true })
      await promisify(fs.writeFile)(join(place, 'called-back'), 'back')
      const handle = await open(join(place, 'called-back'), 'r+')
      await handle.truncate(2)
      await handle.write('!', 1)
      await handle.close()
      await fs.promises.link(join(place, 'called-back'), join(place, 'linked'))
      await fs.promises.symlink('nowhere', join(place, 'symbolic'))
    })
    const { tree } = crashState(trace, killedAt(trace.steps.length))
    expect(differences(readTree(dir), tree)).toEqual([])
    expect([...tree.keys()]).toContain('b/j/partial.json')
  })

  it('start with the existing files', async () => {
    const dir = scratch()
    await mkdir(join(dir, 'old'))
    await writeFile(join(dir, 'old/file'), 'old content')
    const recording = record(dir)
    const handle = await open(join(dir, 'old/file'), 'a')
    await handle.write(', new content')
    await handle.close()
    await rename(join(dir, 'old'), join(dir, 'new'))
    const { steps } = recording.stop()
    const contentOf = (tree: Tree, path: string) => {
      const node = tree.get(path)
      return node?.kind === 'file' ? node.data.toString() : null
    }
    const end = steps.length
    expect(contentOf(crashState(recording.trace, killedAt(end)).tree, 'new/file')).toBe(
      'old content, new content',
    )
    expect(contentOf(crashState(recording.trace, forgottenAt(end)).tree, 'old/file')).toBe(
      'old content',
    )
  })
})

describe('faults', () => {
  it('replace any call, in any form', async () => {
    const dir = scratch()
    await writeFile(join(dir, 'file'), 'content')
    const failing = (calls: string[]) => ({
      inject: ({ call }: Attempt) => (calls.includes(call) ? { code: 'EIO' } : null),
    })
    const cases: [string, () => Promise<unknown>][] = [
      ['readFile', () => readFile(join(dir, 'file'))],
      ['readdir', () => promisify(fs.readdir)(dir)],
      ['open', () => writeFileAtomic(join(dir, 'file'), 'other')],
      ['write', () => writeFileAtomic(join(dir, 'file'), 'other')],
      ['fsync', () => writeFileAtomic(join(dir, 'file'), 'other')],
      ['rename', () => writeFileAtomic(join(dir, 'file'), 'other')],
      ['datasync', async () => (await openJournal(join(dir, 'j'))).append({ type: 'a' })],
    ]
    for (const [call, work] of cases) {
      const recording = record(dir, failing([call]))
      await expect(work(), call).rejects.toThrow('EIO')
      recording.stop()
    }
    expect(await readFile(join(dir, 'file'), 'utf8')).toBe('content')
    expect(() => {
      const recording = record(dir, failing(['lstat']))
      try {
        fs.lstatSync(join(dir, 'file'))
      } finally {
        recording.stop()
      }
    }).toThrow('EIO')
  })

  it('include the moment after a call, and the middle of a write', async () => {
    const dir = scratch()
    const file = join(dir, 'file')
    const now = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null)
    const seen: [string, string | null][] = []
    const looking = (moment: string) => {
      recording.stop()
      seen.push([moment, now()])
    }
    let recording = record(dir, {
      ended: ({ call, changes }) => changes && call === 'open' && looking('opened'),
    })
    await writeFile(file, 'whole')
    recording = record(dir, {
      inject: ({ call }) =>
        call === 'write' ? { code: 'EIO', tear: 0.5, torn: () => looking('torn') } : null,
    })
    await expect(writeFile(file, 'abcd')).rejects.toThrow('EIO')
    expect(seen).toEqual([
      ['opened', ''],
      ['torn', 'ab'],
    ])
  })

  it('may allow a part of a write, and do not affect other places', async () => {
    const dir = scratch()
    const recording = record(join(dir, 'in'), {
      inject: ({ call }) => (call === 'write' ? { code: 'ENOSPC', tear: 0.5 } : null),
    })
    await mkdir(join(dir, 'in'))
    await writeFile(join(dir, 'out'), 'whole')
    await expect(writeFile(join(dir, 'in/file'), '12345678')).rejects.toThrow('ENOSPC')
    const { steps } = recording.stop()
    expect(await readFile(join(dir, 'in/file'), 'utf8')).toBe('1234')
    expect(await readdir(join(dir))).toEqual(['in', 'out'])
    expect(steps.map(({ operation }) => operation.kind)).toEqual(['mkdir', 'open', 'write'])
  })
})
