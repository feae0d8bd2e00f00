import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { whileUpdating } from '../../../src/main/workspaces/file-updates/update-lock.ts'
import { temporaryDir } from '../../harness.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'

const gitIn = (dir: string) => ({ privateFile: async (_: string, name: string) => join(dir, name) })

/** Another process that updates the same working tree until it is told to stop, or killed. */
async function otherProcess(dir: string) {
  const module = join(
    import.meta.dirname,
    '../../../src/main/workspaces/file-updates/update-lock.ts',
  )
  const script = `
    const { whileUpdating } = await import(${JSON.stringify(module)})
    const git = { privateFile: async (_, name) => ${JSON.stringify(dir)} + '/' + name }
    await whileUpdating(git, '/project', () => new Promise((resolve) => {
      process.once('message', resolve)
      process.send('updating')
    }))
    process.disconnect()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

it('waits for another process that updates the same working tree', async () => {
  const dir = await temporaryDir()
  const other = await otherProcess(dir)
  const order: string[] = []
  const own = whileUpdating(gitIn(dir), '/project', async () => void order.push('own'))
  setTimeout(() => {
    order.push('other')
    other.send('stop')
  }, 200)
  await own
  expect(order).toEqual(['other', 'own'])
})

it('refuses where another one does not end, and goes ahead once it was killed', async () => {
  const dir = await temporaryDir()
  const other = await otherProcess(dir)
  const update = (waitMs: number) =>
    whileUpdating(gitIn(dir), '/project', async () => 1, { waitMs })
  await expect(update(100)).rejects.toThrow('Another Shiplog is changing files in /project')
  other.kill('SIGKILL')
  expect(await update(10_000)).toBe(1)
})

it('leaves the working tree free after a failure', async () => {
  const dir = await temporaryDir()
  const failing = whileUpdating(gitIn(dir), '/project', () => Promise.reject(new Error('disk')))
  await expect(failing).rejects.toThrow('disk')
  expect(await whileUpdating(gitIn(dir), '/project', async () => 2, { waitMs: 0 })).toBe(2)
})

it('goes ahead where the file can’t be created', async () => {
  const dir = await temporaryDir()
  asUnprivilegedUser(dir)
  await chmod(dir, 0o500)
  expect(await whileUpdating(gitIn(dir), '/project', async () => 3)).toBe(3)
  await chmod(dir, 0o700)
})
