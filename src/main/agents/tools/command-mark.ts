/**
 * A command's mark: a variable of the environment that its shell is started with, and that what the shell starts
 * inherits. It finds a command whose process id was not written down before Shiplog was killed.
 *
 * Only Linux shows the environment of other processes (`/proc/<pid>/environ`, to the same user). On macOS and
 * Windows a command that was started in the milliseconds before a kill is not found.
 */
import { readFile, readlink } from 'node:fs/promises'
import { allProcessStats } from './process-stat.ts'

/** Not taken for a variable that the agent exported (`shell-state.ts`). */
const variable = '__shiplog_running'

export interface MarkedProcess {
  group: number
  startTicks: number
}

export const markOf = (id: string): Record<string, string> => ({ [variable]: id })

/** Living processes by the id in their mark, the oldest first. Empty where the system does not show them. */
export async function findMarkedProcesses(): Promise<Map<string, MarkedProcess[]>> {
  const found = new Map<string, MarkedProcess[]>()
  if (!(await showsOwnProcesses())) return found
  const living = (await allProcessStats()).filter(({ isAlive }) => isAlive)
  for (const { pid, group, startTicks } of living) {
    const id = await markIn(pid)
    if (id !== null) found.set(id, [...(found.get(id) ?? []), { group, startTicks }])
  }
  for (const processes of found.values()) processes.sort((a, b) => a.startTicks - b.startTicks)
  return found
}

/** In a container that kept the outer `/proc`, the process ids in it are not ours. */
async function showsOwnProcesses(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  return (await readlink('/proc/self').catch(() => '')) === String(process.pid)
}

async function markIn(pid: number): Promise<string | null> {
  // Another user's can't be read.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  const prefix = `${variable}=`
  const entry = environment.split('\0').find((one) => one.startsWith(prefix))
  return entry?.slice(prefix.length) ?? null
}
