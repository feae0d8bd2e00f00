/** A program that may write a working tree replaces a folder by a link while files are swapped. */
import { chmodSync, lstatSync, readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { blobHash, type Content, type UpdateManifest } from '../../../src/main/git/index.ts'
import { swapFiles } from '../../../src/main/workspaces/file-updates/swap-files.ts'
import { newUpdateId } from '../../../src/shared/records/ids.ts'
import { record } from '../../crash/fault-fs/record.ts'
import { temporaryDir, writeFiles } from '../../harness.ts'

const sha1 = '0'.repeat(40)
const texts = new Map<string, string>()

function content(text: string, mode = 0o644, kind: Content['kind'] = 'file'): Content {
  const id = blobHash(sha1, text.length).update(text).digest('hex')
  texts.set(id, text)
  return { kind, id, mode, bytes: text.length }
}

const git: Parameters<typeof swapFiles>[0]['git'] = {
  async readContents(_, wanted, take) {
    for (const one of wanted) await take(one, Buffer.from(texts.get(one.content.id) ?? ''))
  },
}

const manifest: UpdateManifest = {
  version: 1,
  files: [
    { path: 'sub/changed.txt', before: content('old\n'), after: content('new\n', 0o755) },
    { path: 'sub/created.txt', before: null, after: content('created\n') },
    { path: 'sub/deep/created.txt', before: null, after: content('created\n') },
    { path: 'sub/gone.txt', before: content('gone\n'), after: null },
    { path: 'sub/link', before: null, after: content('target', 0, 'link') },
    { path: 'sub/old/gone.txt', before: content('gone\n'), after: null },
  ],
  newDirs: ['sub/deep'],
  oldDirs: [{ path: 'sub/old', mode: 0o750 }],
}

/** What is in the folder before the swap, and in the one to which the link leads. */
const files = { 'changed.txt': 'old\n', 'gone.txt': 'gone\n', 'old/gone.txt': 'gone\n' }

async function folder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  await writeFiles(dir, files)
}

const account = async (dir: string) =>
  (await readdir(dir, { recursive: true })).sort().map((name) => {
    const found = lstatSync(path.join(dir, name))
    return `${name} ${found.mode.toString(8)} ${found.isFile() ? readFileSync(path.join(dir, name)) : ''}`
  })

type Way = (sub: string, victim: string) => { replace(): void; putBack(): void }

const asLink: Way = (sub, victim) => ({
  replace() {
    renameSync(sub, `${sub}.aside`)
    symlinkSync(victim, sub)
  },
  putBack() {
    unlinkSync(sub)
    renameSync(`${sub}.aside`, sub)
  },
})

describe.runIf(process.platform === 'linux')('nothing elsewhere is written or deleted', () => {
  // One call later, three later, and never.
  it.each([1, 3, Number.POSITIVE_INFINITY])(
    'if a folder is replaced by a link before any call, and put back %s calls later',
    async (later) => {
      for (let at = 1, isOver = false; !isOver; at++) {
        const root = await temporaryDir()
        const victim = await temporaryDir()
        await folder(path.join(root, 'sub'))
        await writeFile(path.join(root, 'other.txt'), '')
        await folder(victim)
        chmodSync(path.join(victim, 'old'), 0o700)
        await symlink('nowhere', path.join(victim, 'dangling'))
        const before = await account(victim)
        const { replace, putBack } = asLink(path.join(root, 'sub'), victim)
        isOver = true
        const recording = record(root, {
          inject({ n }) {
            if (n === at) replace()
            if (n === at) isOver = false
            if (n === at + later) putBack()
            return null
          },
        })
        onTestFinished(() => void recording.stop())
        const request = { git, root, manifest, updateId: newUpdateId() }
        await swapFiles({ ...request, direction: 'forward', changed: 'refuse' }).catch(
          () => undefined,
        )
        await swapFiles({ ...request, direction: 'backward', changed: 'leave' }).catch(
          () => undefined,
        )
        recording.stop()
        expect(await account(victim), `replaced before call ${at}`).toEqual(before)
      }
    },
  )
})
