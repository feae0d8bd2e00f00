/**
 * Ends Git when it waits for something that never comes: a named pipe or a device in the place of a file that no list of
 * such places (`blocking-pipes.ts`) has, such as one that a file of the repository names somewhere else on the disk.
 */
import { readdir } from 'node:fs/promises'
import { readProcFile } from '../../processes/proc-file.ts'

/** Git itself waits for locks in steps of less than a second. */
const idleMsMaxDefault = 60_000
/** A server may run checks for minutes before it answers a push. */
const silenceFactor = 15
/** Counted, because time passes for a machine that sleeps, too. */
const looksMax = 12

/**
 * Calls `onIdle` once no thread of the process has run between any two of several looks, until the returned function is
 * called. A process that another program works for is never idle, as a filter may wait for a server or its user; one that
 * itself waits for a server is after a longer time. Linux only.
 */
export function watchIdle(
  pid: () => number | undefined,
  onIdle: () => void,
  {
    idleMsMax = idleMsMaxDefault,
    waitsForServer,
  }: { idleMsMax?: number | undefined; waitsForServer: boolean },
): () => void {
  if (process.platform !== 'linux') return () => {}
  const everyMs = (idleMsMax / looksMax) * (waitsForServer ? silenceFactor : 1)
  const isWatched = waitsForServer ? /^State:\tS/m : /^Name:\tgit\n(?:.*\n)*State:\tS/
  let timer: NodeJS.Timeout
  let isOver = false
  let before: string | null = null
  let same = 0
  const look = async () => {
    const now = await activityOf(pid(), isWatched).catch(() => null)
    if (isOver) return
    same = now !== null && now === before ? same + 1 : 0
    before = now
    if (same >= looksMax) onIdle()
    else timer = setTimeout(look, everyMs).unref()
  }
  timer = setTimeout(look, everyMs).unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/**
 * Returns what changes whenever a thread of the process, or of one that it started, runs; null if that is not known, if one
 * waits for a disk or was stopped, or if the status of one does not match `isWatched`.
 */
async function activityOf(pid: number | undefined, isWatched: RegExp): Promise<string | null> {
  if (pid === undefined) return null
  const marks: string[] = []
  for (const waiting = [pid]; waiting.length > 0; ) {
    const one = waiting.pop()
    for (const thread of await readdir(`/proc/${one}/task`)) {
      const dir = `/proc/${one}/task/${thread}`
      const status = await readProcFile(`${dir}/status`, 'latin1')
      if (!isWatched.test(status)) return null
      marks.push(`${thread} ${status.match(/^\w*voluntary_ctxt_switches:\t\d+$/gm)}`)
      const children = await readProcFile(`${dir}/children`, 'latin1')
      waiting.push(...(children.match(/\d+/g) ?? []).map(Number))
    }
  }
  return marks.join(' ')
}
