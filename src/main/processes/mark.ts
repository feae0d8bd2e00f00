/**
 * The mark of processes that Shiplog starts: an environment variable, which all descendants
 * inherit, even those that leave the group (`setsid`, a double fork). It identifies processes that
 * can't be recognized otherwise.
 *
 * Only Linux shows the environment of other processes (`/proc/<pid>/environ`, to the same user), so
 * no marked process is found elsewhere.
 */
import { readlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProcFile } from './proc-file.ts'
import { allProcessStats } from './stat.ts'

/** `shell-state.ts` excludes variables with this prefix from those that it keeps for an agent's next command. */
const variable = '__shiplog_running'

/** `kthreadd`. Threads of the kernel have no environment. */
const kernelThreadParent = 2
/** While a process replaces its program (`exec`), its environment reads as empty. Bounded, because some have none. */
const execTriesMax = 10
const execPollMs = 5

interface Mark {
  /** Identifies the custody: a part of a hash. */
  custody: string
  /** The task whose run it belongs to. */
  owner: string
  /** The mark of one started process. */
  id: string
}

export interface MarkedProcess extends Mark {
  group: number
}

export const environmentOf = ({ custody, owner, id }: Mark): Record<string, string> => ({
  [variable]: `${custody}/${owner}/${id}`,
})

/**
 * Returns live processes with a mark, the oldest first, without the ancestors of this process.
 * Empty if the system does not show them.
 */
export async function findMarkedProcesses(): Promise<MarkedProcess[]> {
  if (!(await showsOwnProcesses())) return []
  const living = (await allProcessStats()).filter(({ isAlive }) => isAlive)
  const above = groupsAbove(living)
  const others = living.filter(
    ({ parent, group }) => !above.has(group) && parent !== kernelThreadParent,
  )
  const marked = await Promise.all(
    others
      .sort((a, b) => a.startTicks - b.startTicks)
      .map(async ({ pid, group }) => {
        const mark = await markIn(pid)
        return mark && { ...mark, group }
      }),
  )
  return marked.filter((one) => one !== null)
}

/** Returns the groups of this process and of its ancestors. */
function groupsAbove(living: { pid: number; parent: number; group: number }[]): Set<number> {
  const byPid = new Map(living.map((one) => [one.pid, one]))
  const groups = new Set<number>()
  for (let one = byPid.get(process.pid); one; one = byPid.get(one.parent)) groups.add(one.group)
  return groups
}

/** Returns false in a container with the outer `/proc`, whose process ids are not ours. */
async function showsOwnProcesses(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  return (await readlink('/proc/self').catch(() => '')) === String(process.pid)
}

/** Returns the mark that this process was started with; null if Shiplog did not start it. */
export const ownMark = (): Mark | null => parseMark(process.env[variable])

async function markIn(pid: number): Promise<Mark | null> {
  let environment = await environmentIn(pid)
  for (let tries = 0; environment === '' && tries < execTriesMax; tries++) {
    await sleep(execPollMs)
    environment = await environmentIn(pid)
  }
  if (environment === null) return null
  // Searched before splitting, because most processes have no mark and may have hundreds of
  // variables.
  const start = `\0${environment}`.indexOf(`\0${variable}=`)
  if (start < 0) return null
  const [entry = ''] = environment.slice(start).split('\0', 1)
  return parseMark(entry.slice(`${variable}=`.length))
}

/** Null: the process has ended, or belongs to another user. */
const environmentIn = (pid: number): Promise<string | null> =>
  readProcFile(`/proc/${pid}/environ`, 'utf8').catch(() => null)

function parseMark(value: string | undefined): Mark | null {
  const [custody, owner, id] = value?.split('/') ?? []
  return custody && owner && id ? { custody, owner, id } : null
}
