/**
 * Ends Git before it fills the memory of the machine. A dozen small objects can hold more paths than any memory: folders
 * in which each name is the same folder again. An agent can commit them, and Git compares every path at once, with each
 * start that continues the removal of its worktree. A link to `/dev/zero` in the place of any reference has no end either.
 */
import { totalmem } from 'node:os'
import { readProcFile } from '../../processes/proc-file.ts'

/** Hardly any call takes longer. */
const firstLookMs = 1_000
/** Git allocates about a gigabyte a second. */
const lookMs = 200

/** A comparison of ten million paths needs less, and Git streams larger files than 512 MB. */
const bytesMaxDefault = 4_000_000_000

/** At most half of what this process could have, which a container may limit. */
export function memoryBytesMaxDefault(): number {
  const limit = process.constrainedMemory()
  return Math.min(bytesMaxDefault, totalmem() / 2, limit > 0 ? limit / 2 : bytesMaxDefault)
}

/**
 * Calls `onExceeded` once the process has more memory of its own, until the returned function is called. Linux only:
 * elsewhere nothing lists it without another process.
 */
export function watchMemory(
  pid: () => number | undefined,
  { bytesMax, onExceeded }: { bytesMax: number; onExceeded: () => void },
): () => void {
  if (process.platform !== 'linux') return () => {}
  let timer: NodeJS.Timeout
  let isOver = false
  const look = async () => {
    const bytes = await ownMemoryOf(pid())
    if (isOver) return
    if (bytes > bytesMax) onExceeded()
    else timer = setTimeout(look, lookMs).unref()
  }
  timer = setTimeout(look, firstLookMs).unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Without mapped files: of a large pack, Git maps as much as fits. 0 if it is not known. */
async function ownMemoryOf(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  const status = await readProcFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? []
  return Number(kilobytes) * 1024
}
