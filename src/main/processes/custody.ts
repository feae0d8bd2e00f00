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
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { readDataFile } from '../journal/index.ts'
import { endProcessGroup } from './group.ts'
import { judgeProcess, ownIdentity, processStartedAt } from './identity.ts'
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
/** Written once the process exists. */
const processFile = 'process.json'
const processSchema = z.object({ pid: z.number(), startedAt: z.string() })
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
      const { pidNamespace } = await ownIdentity()
      await write(join(dir, commandFile), {
        pidNamespace,
        hostName: hostname(),
        command: firstLineOf(masked(command)),
      })
      return {
        dir,
        environment: environmentOf({ custody: custodyIdOf(folder), owner, id: basename(dir) }),
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
      const own = marked.filter((one) => one.custody === custodyIdOf(folder) && one.owner === owner)
      const running = [...(groups.get(owner) ?? [])]
      await endGroups([...own.map(({ group }) => group), ...running])
    },
  }
}

/** Identifies the data directory, because processes of another one must not be ended. */
const custodyIdOf = (folder: string): string =>
  createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16)

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
 * that it ended. No other process may have commands running in `folder`. `afterCrash`: the previous process did not
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
  const others = marked.filter(
    (one) => one.custody === custodyIdOf(folder) && !names.includes(one.id),
  )
  await endGroups(others.map(({ group }) => group))
  return [
    ...lines.filter((line) => line !== null),
    ...(others.length > 0 ? ['Ended processes that commands had left running'] : []),
  ]
}

async function endLeftover(dir: string, marked: MarkedProcess[]): Promise<string | null> {
  const leftover = await readLeftover(dir)
  // Processes of another machine or container can't be signalled from here; a start there ends
  // them.
  if (leftover.info && !(await isHere(leftover.info))) return null
  // This command started this process, through a descendant that outlived Shiplog.
  if (ownMark()?.id === basename(dir)) return null
  const leader = await runningLeader(leftover)
  if (leader) await endProcessGroup(leader.pid)
  await endGroups(marked.map(({ group }) => group))
  await rm(dir, { recursive: true, force: true })
  const command = leftover.info ? `: ${leftover.info.command}` : ''
  return leader || marked.length > 0 ? `Ended a command that was left running${command}` : null
}

/** The files of a command that was left running. Null if Shiplog was killed before writing one, or the disk was full. */
interface Leftover {
  info: z.infer<typeof commandSchema> | null
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

async function isHere({ hostName, pidNamespace }: NonNullable<Leftover['info']>): Promise<boolean> {
  return hostName === hostname() && pidNamespace === (await ownIdentity()).pidNamespace
}

/**
 * Returns the command's first process; null unless it provably runs, because a process must not be ended on a guess.
 */
async function runningLeader({ info, leader }: Leftover): Promise<{ pid: number } | null> {
  const isRunning = leader && info && (await judgeProcess({ ...leader, ...info })) === 'running'
  return isRunning ? leader : null
}

const firstLineOf = (command: string): string =>
  command.trim().split('\n')[0]?.slice(0, commandCharsMax) ?? ''
