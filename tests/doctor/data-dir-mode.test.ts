/** A data directory that other users can write. Windows has no such modes. */
import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { DataDirError } from '../../src/main/composition/writable-data-dir.ts'
import { protectDataDir } from '../../src/main/sessions/data-dir-mode.ts'
import { temporaryDir } from '../harness.ts'

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8)

async function dirWithMode(mode: number): Promise<string> {
  const dir = join(await temporaryDir(), 'data')
  await mkdir(dir)
  await chmod(dir, mode)
  return dir
}

describe.skipIf(process.platform === 'win32')('a data directory that others can write', () => {
  it.each([
    [0o777, '755'],
    [0o775, '755'],
    [0o770, '750'],
    [0o702, '700'],
  ])('of mode %o is closed to them, and a notice says so', async (mode, after) => {
    const dataDir = await dirWithMode(mode)
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    const { notices } = await shiplog.client.app.info()
    await shiplog.close()
    expect(await modeOf(dataDir)).toBe(after)
    expect(notices).toMatchObject([{ tone: 'warning' }])
    expect(notices[0]?.text).toContain(`its mode was 0${mode.toString(8)}`)
    const again = await openShiplog({ dataDir, host: 'cli' })
    expect((await again.client.app.info()).notices).toEqual([])
    await again.close()
  })

  it('is left as it is when only its owner can write it', async () => {
    for (const mode of [0o755, 0o750, 0o700]) {
      const dataDir = await dirWithMode(mode)
      expect(await protectDataDir(dataDir)).toBeNull()
      expect(await modeOf(dataDir)).toBe(mode.toString(8))
    }
  })

  it('is refused, and not changed, when another user owns it', async () => {
    const dataDir = await dirWithMode(0o777)
    const { uid } = await stat(dataDir)
    await expect(protectDataDir(dataDir, uid + 1)).rejects.toThrow('another user owns it')
    expect(await modeOf(dataDir)).toBe('777')
    // As root, and of others only what nobody else can write: a volume of a container, for one.
    await chmod(dataDir, 0o755)
    expect(await protectDataDir(dataDir, uid + 1)).toBeNull()
  })

  it('is refused when all users share it, and nothing is written there', async () => {
    const dataDir = await dirWithMode(0o1777)
    const opening = openShiplog({ dataDir, host: 'cli' })
    await expect(opening).rejects.toThrow(DataDirError)
    await expect(opening).rejects.toThrow(/a folder that all users share.*--data-dir/)
    expect(await modeOf(dataDir)).toBe('1777')
  })

  it('is a problem to the doctor when it was opened to them while Shiplog runs', async () => {
    const dataDir = await dirWithMode(0o700)
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    await chmod(dataDir, 0o770)
    const found = await shiplog.client.doctor.check({ repair: false })
    expect(found.problems).toMatchObject([{ kind: 'file-mode', path: '.', repairable: true }])
    expect(found.problems[0]?.detail).toContain('0770')
    await shiplog.client.doctor.check({ repair: true })
    expect(await modeOf(dataDir)).toBe('750')
    expect((await shiplog.client.doctor.check({ repair: false })).problems).toEqual([])
    await shiplog.close()
  })
})
