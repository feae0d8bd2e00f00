/**
 * The commands that agents have running, a folder for each while it runs. A kill of Shiplog leaves its commands
 * running: the next start finds them here and ends them, before an agent goes on beside them.
 *
 * The folder, the command's text and its mark (`command-mark.ts`) are there before the command is started, its
 * process id right after. On Linux the next start therefore finds it whenever Shiplog was killed; on macOS and
 * Windows not in the milliseconds before the process id is written.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { judgeProcess, ownIdentity, processStartedAt, readDataFile } from '../../journal/index.ts'
import { findMarkedProcesses, type MarkedProcess, markOf } from './command-mark.ts'
import { endProcessGroup } from './process-group.ts'
import { processStat } from './process-stat.ts'

export interface RunningCommands {
  /** Before it is started. */
  begin(command: string): Promise<RunningCommand>
}

export interface RunningCommand {
  /** Only this user's to read, and gone with the command. */
  readonly dir: string
  /** To be set for the command: its mark. */
  readonly environment: Record<string, string>
  /** `pid`: leads its process group. */
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
/** Written once it has a process. */
const processFile = 'process.json'
const processSchema = z.object({ pid: z.number(), startedAt: z.string() })
/** What a notice shows of a command. */
const commandCharsMax = 120

/** `folder`: for nothing else; made when it is needed. `masked`: a text without its secrets. */
export function createRunningCommands(
  folder: string,
  masked: (text: string) => string = (text) => text,
): RunningCommands {
  return {
    async begin(command) {
      const dir = await makeIn(folder)
      const { pidNamespace } = await ownIdentity()
      await write(join(dir, commandFile), {
        pidNamespace,
        hostName: hostname(),
        command: inOneLine(masked(command)),
      })
      return {
        dir,
        environment: markOf(basename(dir)),
        async started(pid) {
          const startedAt = await processStartedAt(pid)
          if (startedAt !== null) await write(join(dir, processFile), { pid, startedAt })
        },
        ended: () => rm(dir, { recursive: true, force: true }),
      }
    },
  }
}

/** A disk that is full must not keep a command from running. */
const write = (file: string, content: object): Promise<void> =>
  writeFile(file, JSON.stringify(content), { mode: 0o600 }).catch(() => undefined)

async function makeIn(folder: string): Promise<string> {
  const dir = join(folder, randomUUID())
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return dir
  } catch {
    return mkdtemp(join(tmpdir(), 'shiplog-command-'))
  }
}

/**
 * Ends what a process that was killed left running, and removes its folders. Resolves with a line about
 * each command that it ended. Nobody else may have commands running in `folder`.
 */
export async function endLeftCommands(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return []
  const marked = await findMarkedProcesses()
  const lines = await Promise.all(
    names.map((name) => endLeft(join(folder, name), marked.get(name) ?? [])),
  )
  return lines.filter((line) => line !== null)
}

async function endLeft(dir: string, marked: MarkedProcess[]): Promise<string | null> {
  const left = await readLeft(dir)
  // Processes of another machine or container can't be reached from here. A start there ends them.
  if (left.place && !(await isHere(left.place))) return null
  const group = await groupOf(left, marked)
  // The command that this start was called from, by way of a process that outlived Shiplog.
  if (group !== null && group === (await processStat(process.pid))?.group) return null
  if (group !== null) await endProcessGroup(group)
  await rm(dir, { recursive: true, force: true })
  const command = left.place ? `: ${left.place.command}` : ''
  return group === null ? null : `Ended a command that an agent had left running${command}`
}

/** Each null where a kill came before it was written, or the disk was full. */
interface Left {
  place: z.infer<typeof commandSchema> | null
  leader: z.infer<typeof processSchema> | null
}

async function readLeft(dir: string): Promise<Left> {
  return {
    place: await readJson(join(dir, commandFile), commandSchema),
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

async function isHere({ hostName, pidNamespace }: NonNullable<Left['place']>): Promise<boolean> {
  return hostName === hostname() && pidNamespace === (await ownIdentity()).pidNamespace
}

/**
 * Its process group; null when nothing of it runs, or it can't be proved: a guess is not enough to end somebody's
 * process. Of marked processes the oldest counts, since what left the group by `setsid` carries the mark as well.
 */
async function groupOf({ place, leader }: Left, marked: MarkedProcess[]): Promise<number | null> {
  if (leader && place && (await judgeProcess({ ...leader, ...place })) === 'running')
    return leader.pid
  const found = marked.find(({ group }) => !leader || group === leader.pid)
  return found?.group ?? null
}

const inOneLine = (command: string): string =>
  command.trim().split('\n')[0]?.slice(0, commandCharsMax) ?? ''
