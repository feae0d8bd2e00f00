/** A read-only folder is made writable for its move; a link in its new place must not lead the way back elsewhere. */
import { chmodSync, mkdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { renameDurable } from '../../src/main/journal/index.ts'
import { record } from '../crash/fault-fs/record.ts'
import { temporaryDir } from '../harness.ts'
import { asUnprivilegedUser } from '../unprivileged.ts'

it.runIf(process.platform === 'linux')(
  '[A3] gives no other folder the permissions of a folder that was moved',
  async () => {
    const root = await temporaryDir()
    for (const name of ['from', 'to', 'victim']) mkdirSync(path.join(root, name))
    mkdirSync(path.join(root, 'from/folder'), { mode: 0o555 })
    chmodSync(path.join(root, 'victim'), 0o700)
    asUnprivilegedUser(root)
    let moved = false
    const recording = record(root, {
      ended({ call, path: at }) {
        if (call !== 'rename' || moved || at !== 'to/folder') return
        try {
          statSync(path.join(root, 'from/folder'))
        } catch {
          moved = true
          renameSync(path.join(root, 'to/folder'), path.join(root, 'aside'))
          symlinkSync(path.join(root, 'victim'), path.join(root, 'to/folder'))
        }
      },
    })
    onTestFinished(() => void recording.stop())
    await renameDurable(path.join(root, 'from/folder'), path.join(root, 'to/folder'))
    recording.stop()
    expect(moved).toBe(true)
    expect(statSync(path.join(root, 'victim')).mode & 0o777).toBe(0o700)
    expect(statSync(path.join(root, 'aside')).mode & 0o777).toBe(0o555)
  },
)
