import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeDurable } from '../../../src/main/journal/index.ts'
import { removeTree } from '../../../src/main/open-folders/remove-tree.ts'
import { record } from '../../crash/fault-fs/record.ts'
import { temporaryDir } from '../../harness.ts'

async function prepared() {
  const root = await temporaryDir()
  const victim = await temporaryDir()
  writeFileSync(path.join(victim, 'mine.txt'), 'mine')
  mkdirSync(path.join(victim, 'deeper'))
  writeFileSync(path.join(victim, 'deeper/mine.txt'), 'mine')
  mkdirSync(path.join(root, 'a/b/deeper'), { recursive: true })
  writeFileSync(path.join(root, 'a/b/c.txt'), 'c')
  symlinkSync(victim, path.join(root, 'a/link'))
  return { root, victim }
}

/** From the inside out, because no call takes the path of the innermost. */
function nest(folder: string, levels: number): void {
  const around = `${folder}-around`
  mkdirSync(folder)
  for (let level = 1; level < levels; level++) {
    mkdirSync(around)
    writeFileSync(path.join(around, 'file'), 'x')
    renameSync(folder, path.join(around, 'd'))
    renameSync(around, folder)
  }
}

describe.each([
  ['a temporary folder', removeTree],
  ['durably', removeDurable],
])('%s', (_, remove) => {
  it('deletes a folder with all that is in it, links included, and follows none', async () => {
    const { root, victim } = await prepared()
    await remove(path.join(root, 'a'))
    await remove(path.join(root, 'missing'))
    expect(readdirSync(root)).toEqual([])
    expect(readdirSync(victim).sort()).toEqual(['deeper', 'mine.txt'])
  })

  // Before each call in turn, another program replaces the folder, which only open folders notice.
  it.runIf(process.platform === 'linux')(
    'deletes nothing elsewhere if a folder is replaced by a link meanwhile',
    async () => {
      for (let at = 1, swapped = true; swapped; at++) {
        const { root, victim } = await prepared()
        swapped = false
        const recording = record(root, {
          inject({ n }) {
            if (n !== at) return null
            swapped = true
            try {
              renameSync(path.join(root, 'a/b'), path.join(root, 'aside'))
              symlinkSync(victim, path.join(root, 'a/b'))
            } catch {
              // It was deleted already.
            }
            return null
          },
        })
        onTestFinished(() => void recording.stop())
        await remove(path.join(root, 'a')).catch(() => undefined)
        recording.stop()
        expect(readdirSync(victim, { recursive: true }).sort(), `before call ${at}`).toEqual([
          'deeper',
          'deeper/mine.txt',
          'mine.txt',
        ])
      }
    },
  )

  it.runIf(process.platform === 'linux')(
    'deletes folders at any depth and holds only a few open',
    async () => {
      const root = await temporaryDir()
      nest(path.join(root, 'a'), 2500)
      const open = () => readdirSync('/proc/self/fd').length
      let most = 0
      const watch = setInterval(() => {
        most = Math.max(most, open())
      }, 1)
      const before = open()
      await remove(path.join(root, 'a'))
      clearInterval(watch)
      expect(most - before).toBeLessThan(20)
      expect(readdirSync(root)).toEqual([])
    },
  )

  it.runIf(process.platform === 'linux')(
    'deletes nothing in another folder to which one is moved meanwhile',
    async () => {
      const { root, victim } = await prepared()
      let moved = false
      const recording = record(root, {
        inject({ call, path: at }) {
          if (moved || call !== 'rmdir' || !at.endsWith('b/deeper')) return null
          moved = true
          // Another process, which the recording does not see.
          execFileSync('mv', [path.join(root, 'a/b'), path.join(victim, 'moved')])
          return null
        },
      })
      onTestFinished(() => void recording.stop())
      await expect(remove(path.join(root, 'a'))).rejects.toMatchObject({ code: 'ESTALE' })
      expect(readdirSync(victim).sort()).toEqual(['deeper', 'mine.txt', 'moved'])
    },
  )
})
