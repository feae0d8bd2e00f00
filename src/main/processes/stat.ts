/** Parses `/proc/<pid>/stat`. Linux only: elsewhere there is no such file. */
import { readdir } from 'node:fs/promises'
import { readProcFile } from './proc-file.ts'

interface ProcessStat {
  pid: number
  /** A zombie is not alive. */
  isAlive: boolean
  parent: number
  group: number
  /** Clock ticks from the boot of the machine to its start. */
  startTicks: number
}

/** Of every process visible from here. */
export async function allProcessStats(): Promise<ProcessStat[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(names.map((name) => processStat(Number(name))))
  return stats.filter((stat) => stat !== null)
}

/** Null: there is no such process (any more). */
async function processStat(pid: number): Promise<ProcessStat | null> {
  const stat = await readProcFile(`/proc/${pid}/stat`, 'latin1').catch(() => null)
  if (stat === null) return null
  // After the name, which may hold anything: state, parent, group; as the twentieth, the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group] = fields
  return {
    pid,
    isAlive: state !== 'Z' && state !== 'X',
    parent: Number(parent),
    group: Number(group),
    startTicks: Number(fields[19]),
  }
}
