/**
 * Tracks the processes that Shiplog runs for agents and projects, so that none outlives its run.
 * Each command has a folder while it runs. If Shiplog is killed, its commands keep running: the
 * next start finds and ends them before an agent continues.
 *
 * The folder, the command's text and its mark (`mark.ts`) are written before the command is
 * started, its process id right after. On Linux the next start therefore finds the command at
 * whatever moment Shiplog was killed, including processes that left its group; on macOS and Windows
 * it finds neither those nor a command that was started in the milliseconds before the process id
 * is written.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { readDataFile } from '../journal/index.ts'
import { endProcessGroup } from './group.ts'
import { isOfThisBoot, judgeProcess, ownIdentity, processStartedAt } from './identity.ts'
import { environmentOf, findMarkedProcesses, type MarkedProcess, ownMark } from './mark.ts'

export interface Custody {
  /** Call it before the command is started. `owner` is the task whose run it belongs to. */
  begin(owner: string, command: string): Promise<RunningCommand>
  /** Ends all processes that were started for `owner` and still run, including those in other groups. Never rejects. */
  endAll(owner: string): Promise<void>
}

export interface RunningCommand {
  /** Readable by this user only, and deleted with the command. */
  readonly dir: string
  /** Variables to set for the command: its mark. */
  readonly environment: Record<string, string>
  /** `pid` is the leader of its process group. */
  started(pid: number): Promise<void>
  ended(): Promise<void>
}

/** Written before the command is started. */
const commandFile = 'command.json'
const commandSchema = z.object({
  pidNamespace: z.string().optional(),
  hostName: z.string(),
  command: z.string(),
})
type CommandInfo = z.infer<typeof commandSchema>
/** Written once the process exists. */
const processFile = 'process.json'
const processSchema = z.object({ pid: z.number(), startedAt: z.string() })
/** Marks a command that was reported as possibly running elsewhere. */
const reportedFile = 'reported'
/** The part of a command that a notice shows. */
const commandCharsMax = 120

/**
 * `folder` is used for nothing else and created when needed. `masked` returns a text without its
 * secrets.
 */
export function createCustody(
  folder: string,
  masked: (text: string) => string = (text) => text,
): Custody {
  /**
   * Running commands by owner, for systems where processes can't be found by their mark, and for
   * programs that removed it.
   */
  const groups = new Map<string, Set<number>>()
  return {
    async begin(owner, command) {
      const dir = await makeCommandFolder(folder)
      let leader: number | null = null
      const [{ pidNamespace }, custody] = await Promise.all([ownIdentity(), custodyIdOf(folder)])
      await write(join(dir, commandFile), {
        pidNamespace,
        hostName: hostname(),
        command: firstLineOf(masked(command)),
      })
      return {
        dir,
        environment: environmentOf({ custody, owner, id: basename(dir) }),
        async started(pid) {
          leader = pid
          groups.set(owner, (groups.get(owner) ?? new Set()).add(pid))
          const startedAt = await processStartedAt(pid)
          if (startedAt !== null) await write(join(dir, processFile), { pid, startedAt })
        },
        async ended() {
          const own = groups.get(owner)
          if (leader !== null) own?.delete(leader)
          if (own?.size === 0) groups.delete(owner)
          await rm(dir, { recursive: true, force: true })
        },
      }
    },
    async endAll(owner) {
      const marked = await findMarkedProcesses().catch(() => [])
      const custody = await custodyIdOf(folder)
      const own = marked.filter((one) => one.custody === custody && one.owner === owner)
      const running = [...(groups.get(owner) ?? [])]
      await endGroups([...own.map(({ group }) => group), ...running])
    },
  }
}

/**
 * Identifies the data directory, because processes of another one must not be ended. Its path alone does not: in a
 * container, whose processes can be seen from outside, the same path is another directory.
 */
async function custodyIdOf(folder: string): Promise<string> {
  const path = await realpath(folder).catch(() => resolve(folder))
  const status = await stat(dirname(path), { bigint: true }).catch(() => null)
  const identity = status ? [path, status.dev, status.ino] : [path]
  return createHash('sha256').update(identity.join('\0')).digest('hex').slice(0, 16)
}

const endGroups = (groups: number[]): Promise<unknown> =>
  Promise.all([...new Set(groups)].map((group) => endProcessGroup(group)))

/** A full disk must not prevent a command from running. */
const write = (file: string, content: object): Promise<void> =>
  writeFile(file, JSON.stringify(content), { mode: 0o600 }).catch(() => undefined)

async function makeCommandFolder(folder: string): Promise<string> {
  const dir = join(folder, randomUUID())
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return dir
  } catch {
    return mkdtemp(join(tmpdir(), 'shiplog-command-'))
  }
}

/**
 * Ends commands left running by a killed process, and removes their folders. Resolves with a line about each command
 * that it ended, and once about each that may still run where it can't be seen. No other process may have commands running in `folder`. `afterCrash`: the previous process did not
 * exit cleanly; otherwise the search through all processes, 10 ms and more, is skipped.
 */
export async function endLeftoverCommands(
  folder: string,
  { afterCrash = true }: { afterCrash?: boolean } = {},
): Promise<string[]> {
  const names: string[] = await readdir(folder).catch(() => [])
  if (names.length === 0 && !afterCrash) return []
  const marked = await findMarkedProcesses().catch(() => [])
  const lines = await Promise.all(
    names.map((name) =>
      endLeftover(
        join(folder, name),
        marked.filter(({ id }) => id === name),
      ),
    ),
  )
  // The commands that these processes belonged to have ended.
  const custody = await custodyIdOf(folder)
  const others = marked.filter((one) => one.custody === custody && !names.includes(one.id))
  await endGroups(others.map(({ group }) => group))
  return [
    ...lines.filter((line) => line !== null),
    ...(others.length > 0 ? ['Ended processes that commands had left running'] : []),
  ]
}

async function endLeftover(dir: string, marked: MarkedProcess[]): Promise<string | null> {
  const leftover = await readLeftover(dir)
  // This command started this process, through a descendant that outlived Shiplog.
  if (ownMark()?.id === basename(dir)) return null
  const leader = await runningLeader(leftover)
  const { info } = leftover
  if (!leader && marked.length === 0 && info) {
    const elsewhere = await otherPlaceOf(leftover, info)
    // A start there ends it.
    if (elsewhere !== null) return reportOnce(dir, info.command, elsewhere)
  }
  if (leader) await endProcessGroup(leader.pid)
  await endGroups(marked.map(({ group }) => group))
  await rm(dir, { recursive: true, force: true })
  const command = info ? `: ${info.command}` : ''
  return leader || marked.length > 0 ? `Ended a command that was left running${command}` : null
}

async function reportOnce(dir: string, command: string, place: string): Promise<string | null> {
  const isNew = await writeFile(join(dir, reportedFile), '', { flag: 'wx', mode: 0o600 }).then(
    () => true,
    () => false,
  )
  return isNew ? `A command may still be running ${place}: ${command}` : null
}

/** The files of a command that was left running. Null if Shiplog was killed before writing one, or the disk was full. */
interface Leftover {
  info: CommandInfo | null
  leader: z.infer<typeof processSchema> | null
}

async function readLeftover(dir: string): Promise<Leftover> {
  return {
    info: await readJson(join(dir, commandFile), commandSchema),
    leader: await readJson(join(dir, processFile), processSchema),
  }
}

async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | null> {
  try {
    return schema.parse(JSON.parse((await readDataFile(file)).toString('utf8')))
  } catch {
    return null
  }
}

/** Returns where a command may run whose processes can't be seen or judged from here; null if it ran here. */
async function otherPlaceOf(
  { leader }: Leftover,
  { hostName, pidNamespace }: CommandInfo,
): Promise<string | null> {
  // A host name may change while the machine runs.
  const isThisMachine = hostName === hostname() || (leader !== null && (await isOfThisBoot(leader)))
  if (!isThisMachine) return `on the machine ${JSON.stringify(hostName)}`
  return pidNamespace === (await ownIdentity()).pidNamespace ? null : 'in another container'
}

/**
 * Returns the command's first process; null unless it provably runs, because a process must not be ended on a guess.
 */
async function runningLeader({ info, leader }: Leftover): Promise<{ pid: number } | null> {
  if (!leader || !info) return null
  // Where start times don't include the boot, a process of another machine can have the same.
  if (info.hostName !== hostname() && !(await isOfThisBoot(leader))) return null
  return (await judgeProcess({ ...leader, ...info })) === 'running' ? leader : null
}

const firstLineOf = (command: string): string =>
  command.trim().split('\n')[0]?.slice(0, commandCharsMax) ?? ''
