/** What becomes of a swap when somebody edits, or the disk refuses, in the middle of it. */
import { execFileSync } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { withSnapshot } from '../../../src/main/git/snapshots/snapshot.ts'
import { planUpdate } from '../../../src/main/git/update/plan.ts'
import { newUpdateId } from '../../../src/shared/records/ids.ts'
import { type Attempt, type Fault, record } from '../../crash/fault-fs/record.ts'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../../git/repository.ts'
import { undo, write } from '../../git/writing.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'

const run = createRunGit({ env: testEnv })

async function prepared() {
  const files = {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'gone.txt': 'gone\n',
    'folder/x': 'x\n',
    'private/shared/key': 'key\n',
    file: 'f',
  }
  const parent = await makeRepository(files)
  const dir = path.join(await temporaryDir(), 'child')
  const from = parent.git('rev-parse', 'HEAD')
  await git.createWorktree({ repoDir: parent.dir, path: dir, branch: 'child', from })
  const child = openRepository(dir)
  await child.write('a.txt', 'child\n')
  await child.write('b.txt', 'child\n')
  await child.executable('b.txt')
  await child.remove('gone.txt')
  await child.remove('private')
  await chmod(path.join(parent.dir, 'private'), 0o700)
  await chmod(path.join(parent.dir, 'private/shared'), 0o2777)
  await child.remove('folder')
  await child.write('folder', 'a file now\n')
  await child.remove('file')
  await child.write('file/inside', 'in a folder now\n')
  await child.link('link', 'a.txt')
  await child.write('new/deep/n.txt', 'n\n')
  const { tree } = await git.snapshot(child.dir)
  const plan = await withSnapshot(run, parent.dir, {}, async (snapshot) => {
    const answer = await planUpdate(run, snapshot, tree, { updateId: newUpdateId() })
    if (answer.kind !== 'planned') throw new Error(answer.kind)
    return answer.plan
  })
  return { parent, plan, before: await parent.account() }
}

/** `meanwhile` runs at each call that changes something below `root`, before it is made. */
function during(root: string, meanwhile: (attempt: Attempt) => Fault | null): void {
  const recording = record(root, { ignore: (name) => name.startsWith('.git'), inject: meanwhile })
  onTestFinished(() => void recording.stop())
}

const temporary = async (dir: string) =>
  (await readdir(dir, { recursive: true })).filter((name) => name.includes('.shiplog-update-'))

it('changes nothing, and names the files, if some were changed since it was planned', async () => {
  const { parent, plan } = await prepared()
  await parent.write('a.txt', 'mine, just now\n')
  await parent.write('new/deep/n.txt', 'mine as well\n')
  const before = await parent.account()
  expect(await write(plan)).toEqual({ kind: 'edited', paths: ['a.txt', 'new/deep/n.txt'] })
  expect(await parent.account()).toEqual(before)
})

it('compares the permission to execute as well', async () => {
  const { parent, plan } = await prepared()
  await parent.executable('a.txt')
  expect(await write(plan)).toEqual({ kind: 'edited', paths: ['a.txt'] })
})

it('keeps the other permissions of a file that is replaced', async () => {
  const { parent, plan } = await prepared()
  expect(await write(plan)).toEqual({ kind: 'written' })
  const mode = async (name: string) => (await lstat(path.join(parent.dir, name))).mode & 0o777
  expect(await mode('b.txt')).toBe(0o755)
  expect(await undo(plan)).toEqual({ kind: 'swapped', left: [] })
  expect(await mode('b.txt')).toBe(0o644)
})

it('keeps later permissions of a file, in an apply and its undo', async () => {
  const { parent, plan } = await prepared()
  const file = (name: string) => path.join(parent.dir, name)
  const mode = async (name: string) => (await lstat(file(name))).mode & 0o777
  await chmod(file('a.txt'), 0o600)
  await chmod(file('b.txt'), 0o640)
  expect(await write(plan)).toEqual({ kind: 'written' })
  expect([await mode('a.txt'), await mode('b.txt')]).toEqual([0o600, 0o750])
  await chmod(file('b.txt'), 0o700)
  expect(await undo(plan)).toEqual({ kind: 'swapped', left: [] })
  expect([await mode('a.txt'), await mode('b.txt')]).toEqual([0o600, 0o600])
})

it.skipIf(process.geteuid?.() !== 0)(
  'keeps the owner and the group of a file that is replaced',
  async () => {
    const { parent, plan } = await prepared()
    const file = path.join(parent.dir, 'a.txt')
    const owner = async () => {
      const { uid, gid, mode } = await lstat(file)
      return [uid, gid, mode & 0o777]
    }
    await chown(file, 4242, 4243)
    await chmod(file, 0o660)
    expect(await write(plan)).toEqual({ kind: 'written' })
    expect(await owner()).toEqual([4242, 4243, 0o660])
    expect(await undo(plan)).toEqual({ kind: 'swapped', left: [] })
    expect(await owner()).toEqual([4242, 4243, 0o660])
  },
)

it.skipIf(process.geteuid?.() !== 0)(
  'gives nothing to the members of another group if the group can’t be kept',
  async () => {
    const { parent, plan } = await prepared()
    const file = path.join(parent.dir, 'a.txt')
    asUnprivilegedUser(path.dirname(parent.dir))
    process.seteuid?.(0)
    await chown(file, 65534, 4243)
    await chmod(file, 0o660)
    process.seteuid?.(65534)
    expect(await write(plan)).toEqual({ kind: 'written' })
    const { uid, gid, mode } = await lstat(file)
    expect([uid, gid === 4243, mode & 0o777]).toEqual([65534, false, 0o600])
  },
)

it('leaves no second name of a replaced file in the folder if the first attempt to delete it fails', async () => {
  const { parent, plan } = await prepared()
  let failed = 0
  during(parent.dir, ({ call, path: name }) =>
    call === 'unlink' && name.endsWith('-replaced') && failed++ === 0 ? { code: 'EBUSY' } : null,
  )
  expect(await write(plan)).toEqual({ kind: 'written' })
  expect(failed).toBeGreaterThan(0)
  expect(await temporary(parent.dir)).toEqual([])
})

it.each([['the file'], ['the file and its folder']])(
  'deletes the folders that a killed apply had left empty, when it had deleted %s',
  async (what) => {
    const { parent, plan } = await prepared()
    await parent.remove('private/shared/key')
    if (what !== 'the file')
      await rm(path.join(parent.dir, 'private/shared'), { recursive: true, force: true })
    await mkdir(path.join(parent.dir, 'private'), { recursive: true })
    expect(await write(plan)).toEqual({ kind: 'written' })
    expect(await readdir(parent.dir)).not.toContain('private')
  },
)

it('restores the permissions of folders that became empty', async () => {
  const { parent, plan } = await prepared()
  const modeOf = async (name: string) => (await lstat(path.join(parent.dir, name))).mode & 0o7777
  expect(await write(plan)).toEqual({ kind: 'written' })
  await expect(modeOf('private')).rejects.toThrow('ENOENT')
  expect(await undo(plan)).toEqual({ kind: 'swapped', left: [] })
  expect(await modeOf('private')).toBe(0o700)
  expect(await modeOf('private/shared')).toBe(0o2777)
})

// The first to be replaced is a.txt: it is written in the very moment.
describe.each(['a.txt', 'b.txt', 'gone.txt', 'new/deep/n.txt', 'link', 'folder/mine'])(
  'somebody writes %s while files are swapped',
  (name) => {
    it('is noticed when it is reached: its version stays, and all other files can be rolled back', async () => {
      const { parent, plan } = await prepared()
      let edited = false
      // When the first one takes its place, the look at all of them is over.
      during(parent.dir, ({ call }) => {
        if (edited || call !== 'rename') return null
        edited = true
        // Another process, which the recording does not see.
        const script = 'mkdir -p "$(dirname "$1")" && echo "mine, at the last moment" > "$1"'
        execFileSync('sh', ['-c', script, 'sh', path.join(parent.dir, name)])
        return null
      })
      await expect(write(plan)).rejects.toThrow('was changed meanwhile')
      const left = name === 'folder/mine' ? [] : [name]
      expect(await undo(plan)).toEqual({ kind: 'swapped', left })
      expect(await parent.read(name)).toBe('mine, at the last moment\n')
      expect(await temporary(parent.dir)).toEqual([])
    })
  },
)

it('names a file in a folder that may not be written by its own path', async () => {
  const { parent, plan } = await prepared()
  await chmod(path.join(parent.dir, 'private/shared'), 0o555)
  asUnprivilegedUser(path.dirname(parent.dir))
  const file = path.join(parent.dir, 'private/shared/key')
  await expect(write(plan)).rejects.toMatchObject({
    code: 'EACCES',
    path: file,
    message: expect.stringContaining(`'${file}'`),
  })
})

describe('a disk that refuses', () => {
  it('leaves every file old or new at any call, and all of them can be rolled back', async () => {
    const calls = new Map<string, number>()
    const first = await prepared()
    during(first.parent.dir, ({ call, changes }) => {
      if (changes) calls.set(call, (calls.get(call) ?? 0) + 1)
      return null
    })
    expect(await write(first.plan)).toEqual({ kind: 'written' })
    expect([...calls.keys()].sort()).toEqual(
      ['sync', 'link', 'mkdir', 'open', 'rename', 'rmdir', 'symlink', 'unlink', 'write'].sort(),
    )
  })

  it.each(['open', 'write', 'sync', 'link', 'mkdir', 'rename', 'symlink', 'unlink'])(
    'refuses a call of %s: nothing is half done in the end',
    async (refused) => {
      const { parent, plan, before } = await prepared()
      let seen = 0
      during(parent.dir, ({ call, changes }) => {
        // The second one: something has been done by then.
        if (!changes || call !== refused || ++seen !== 2) return null
        return { code: 'ENOSPC', tear: 0.5 }
      })
      await write(plan).catch((error) => expect(error.code).toBe('ENOSPC'))
      expect(await undo(plan)).toEqual({ kind: 'swapped', left: [] })
      expect(await parent.account()).toEqual(before)
      expect(await temporary(parent.dir)).toEqual([])
    },
  )
})
