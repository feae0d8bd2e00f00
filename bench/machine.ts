/** What lies under the figures: the machine in general words, and what its disk acknowledges in. */
import { open, readFile, realpath, unlink } from 'node:fs/promises'
import { arch, availableParallelism, loadavg, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import { quantile, timed } from './rounds.ts'

export interface Machine {
  platform: string
  node: string
  cpus: number
  memoryGb: number
  /** The file system of the folder that was written in; null where the system does not report it. */
  fileSystem: string | null
  /** Processes that wanted a CPU, over the minute before; 0 on Windows, which does not tell. */
  loadBefore: number
  disk: { writes: number; medianUs: number; p99Us: number }
}

const diskWrites = 500
const diskWriteBytes = 4096

export async function describeMachine(dir: string): Promise<Machine> {
  return {
    platform: `${platform()} ${arch()}`,
    node: process.versions.node,
    cpus: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    fileSystem: await fileSystemOf(dir),
    loadBefore: loadavg()[0] ?? 0,
    disk: await acknowledgement(dir),
  }
}

/** How long a small appending write takes until the disk says that it has it. */
export async function acknowledgement(dir: string): Promise<Machine['disk']> {
  const file = join(dir, 'acknowledgement')
  const handle = await open(file, 'a')
  const bytes = Buffer.alloc(diskWriteBytes, 'x')
  const times: number[] = []
  for (let n = 0; n < diskWrites; n++) {
    const ms = await timed(async () => {
      await handle.write(bytes)
      await handle.datasync()
    })
    times.push(ms * 1000)
  }
  await handle.close()
  await unlink(file)
  return { writes: diskWrites, medianUs: quantile(times, 0.5), p99Us: quantile(times, 0.99) }
}

async function fileSystemOf(dir: string): Promise<string | null> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  const place = `${await realpath(dir)}/`
  let found: { at: string; type: string } | null = null
  for (const line of mounts.split('\n')) {
    const [, at = '', type = ''] = line.split(' ')
    const holds = at !== '' && place.startsWith(at === '/' ? '/' : `${at}/`)
    // The later of two at one place hides the earlier.
    if (holds && at.length >= (found?.at.length ?? 0)) found = { at, type }
  }
  return found?.type ?? null
}
