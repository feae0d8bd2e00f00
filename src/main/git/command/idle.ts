/**
 * Ends Git when it waits for something that never comes: a named pipe or a device in the place of a file that no list of
 * such places (`blocking-pipes.ts`) has, such as one that a file of the repository names somewhere else on the disk.
 */
import { readdir } from 'node:fs/promises'
import { readProcFile } from '../../processes/proc-file.ts'

/** Git itself waits for locks in steps of less than a second. */
const idleMsMaxDefault = 60_000
/** Counted, because time passes for a machine that sleeps, too. */
const looksMax = 12

/**
 * Calls `onIdle` once no thread of the process has run between any two of several looks, until the returned function is
 * called. A process that another program works for is never idle: a filter or a transport may wait for a server. Linux only.
 */
export function watchIdle(
  pid: () => number | undefined,
  onIdle: () => void,
  idleMsMax = idleMsMaxDefault,
): () => void {
  if (process.platform !== 'linux') return () => {}
  const everyMs = idleMsMax / looksMax
  let timer: NodeJS.Timeout
  let isOver = false
  let before: string | null = null
  let same = 0
  const look = async () => {
    const now = await activityOf(pid()).catch(() => null)
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
 * Returns what changes whenever a thread of the process, or of a Git that it started, runs; null if that is not known, if
 * one waits for a disk or was stopped, or if another program works for it.
 */
async function activityOf(pid: number | undefined): Promise<string | null> {
  if (pid === undefined) return null
  const marks: string[] = []
  for (const waiting = [pid]; waiting.length > 0; ) {
    const one = waiting.pop()
    for (const thread of await readdir(`/proc/${one}/task`)) {
      const dir = `/proc/${one}/task/${thread}`
      const status = await readProcFile(`${dir}/status`, 'latin1')
      if (!/^Name:\tgit$/m.test(status) || !/^State:\tS/m.test(status)) return null
      marks.push(`${thread} ${status.match(/^\w*voluntary_ctxt_switches:\t\d+$/gm)}`)
      const children = await readProcFile(`${dir}/children`, 'latin1')
      waiting.push(...(children.match(/\d+/g) ?? []).map(Number))
    }
  }
  return marks.join(' ')
}
