import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ProcessIdentity } from '../../shared/records/tasks/runs.ts'
import { systemCode } from '../journal/errors.ts'

/** The start time on systems that do not report one; such a process counts as the same. */
const unknownStart = 'unknown'

/** A hanging shell must not delay a start. */
const commandTimeoutMs = 10_000

/**
 * Returns the start time of a process as text for comparison: the boot and the clock ticks since on
 * Linux, else a time in UTC. Null if there is no such process (or only a zombie); 'unknown' if the
 * system does not report it.
 */
export async function processStartedAt(pid: number): Promise<string | null> {
  if (!exists(pid)) return null
  if (process.platform === 'linux') return startedAtOnLinux(pid)
  const started = await (process.platform === 'win32'
    ? startedAtOnWindows(pid)
    : startedAtFromPs(pid))
  return exists(pid) ? started : null
}

/** Returns the identity of this process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const [startedAt, pidNamespace] = await Promise.all([
    processStartedAt(process.pid),
    ownPidNamespace(),
  ])
  return { pid: process.pid, startedAt: startedAt ?? unknownStart, pidNamespace }
}

/**
 * Reports whether that very process runs. `unknown`: it is of another pid namespace, where the same
 * number is another process or none, or the system does not report start times.
 */
export async function judgeProcess(
  identity: ProcessIdentity,
): Promise<'running' | 'gone' | 'unknown'> {
  const { pid, startedAt, pidNamespace } = identity
  if (pidNamespace !== (await ownPidNamespace())) return 'unknown'
  const now = await processStartedAt(pid)
  if (now === null) return 'gone'
  if (now === unknownStart || startedAt === unknownStart) return 'unknown'
  return now === startedAt ? 'running' : 'gone'
}

/**
 * Reports whether the process was started since this machine booted; its host name may have changed
 * since. False if the system's start times don't include the boot.
 */
export async function isOfThisBoot({
  startedAt,
}: Pick<ProcessIdentity, 'startedAt'>): Promise<boolean> {
  const own = (await ownIdentity()).startedAt
  const boot = own.slice(0, own.indexOf('/') + 1)
  return boot.length > 1 && startedAt.startsWith(boot)
}

/**
 * Like `judgeProcess`, but unknown counts as not running, for callers that must not be blocked by a
 * guess.
 */
export async function isCertainlyRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await judgeProcess(identity)) === 'running'
}

/**
 * Returns the pid namespace, with the time namespace if it is not the machine's: there the system reports other start
 * times for the same processes. Undefined on systems without namespaces.
 */
async function ownPidNamespace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  // Constant while this process lives.
  pidNamespace ??= Promise.all(
    ['pid', 'time'].map((kind) => readlink(`/proc/self/ns/${kind}`).catch(() => undefined)),
  ).then(([pid, time = machineTime]) => (time === machineTime ? pid : `${pid ?? 'pid:[]'} ${time}`))
  return pidNamespace
}

/** The kernel gives the first time namespace this constant number. */
const machineTime = 'time:[4026531834]'

let pidNamespace: Promise<string | undefined> | undefined

function exists(pid: number): boolean {
  // kill(2) interprets 0 and negative numbers as process groups.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}

async function startedAtOnLinux(pid: number): Promise<string | null> {
  try {
    const isOwn = pid === process.pid
    // In a container with the outer /proc, process ids there are from another namespace.
    if (!isOwn && (await readlink('/proc/self')) !== String(process.pid)) return unknownStart
    const stat = await readFile(`/proc/${isOwn ? 'self' : pid}/stat`, 'utf8')
    // The command's name, in parentheses, may contain spaces and parentheses: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, ticks] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X') return null
    // Ticks alone would repeat after a reboot.
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
    return ticks ? `${boot.trim()}/${ticks}` : unknownStart
  } catch (error) {
    const code = systemCode(error)
    return code === 'ENOENT' || code === 'ESRCH' ? null : unknownStart
  }
}

function startedAtFromPs(pid: number): Promise<string> {
  return firstLine('ps', ['-o', 'lstart=', '-p', String(pid)])
}

function startedAtOnWindows(pid: number): Promise<string> {
  const script = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`
  return firstLine('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script])
}

async function firstLine(command: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      timeout: commandTimeoutMs,
      windowsHide: true,
      // ps prints local time in the user's language, but the text must stay equal if either
      // changes.
      env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' },
    })
    return stdout.trim().split('\n')[0]?.trim() || unknownStart
  } catch {
    return unknownStart
  }
}
