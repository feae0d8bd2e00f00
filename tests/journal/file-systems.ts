/** Two folders on different file systems: really, where the machine has a second one to write to, else by injection. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type Attempt, type Fault, record } from '../crash/fault-fs/record.ts'
import { scratchDirectory } from './scratch.ts'

interface FileSystems {
  how: 'real' | 'injected'
  here: string
  there: string
}

/** `how: 'any'` takes a real second file system if there is one. */
export async function twoFileSystems(how: 'any' | 'injected' = 'any'): Promise<FileSystems> {
  const root = await scratchDirectory()
  const here = path.join(root, 'here')
  await mkdir(here)
  const real = how === 'any' ? secondFileSystem(root) : null
  if (real) {
    const there = mkdtempSync(path.join(real, 'shiplog-move-'))
    onTestFinished(() => rmSync(there, { recursive: true, force: true }))
    return { how: 'real', here, there }
  }
  const there = path.join(root, 'there')
  await mkdir(there)
  const recording = record(root, { inject: acrossFolders })
  onTestFinished(() => void recording.stop())
  return { how: 'injected', here, there }
}

/** As if every folder were a file system of its own. */
export function acrossFolders({ call, path: to, from }: Attempt): Fault | null {
  const crosses = call === 'rename' && from !== undefined && path.dirname(from) !== path.dirname(to)
  return crosses ? { code: 'EXDEV' } : null
}

function secondFileSystem(first: string): string | null {
  const { dev } = statSync(first)
  const places = ['/dev/shm', '/var/tmp'].filter((place) => existsSync(place))
  return places.find((place) => statSync(place).dev !== dev) ?? null
}
