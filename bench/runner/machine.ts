/** The environment of the figures: the machine in general terms, and the sync latency of its disk. */
import { open, readFile, realpath, unlink } from 'node:fs/promises'
import { arch, availableParallelism, loadavg, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import { quantile, timed } from './rounds.ts'

export interface Machine {
  platform: string
  node: string
  cpus: number
  memoryGb: number
  /** File system of the measured folder; null if the system does not report it. */
  fileSystem: string | null
  /** Load average over the preceding minute; 0 on Windows, which does not report it. */
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

/** Measures the latency of a small synced append. */
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
    // If two mounts share a path, the later hides the earlier.
    if (holds && at.length >= (found?.at.length ?? 0)) found = { at, type }
  }
  return found?.type ?? null
}
