/**
 * The commands that agents have running, a folder for each while it runs. Who is killed takes none of its
 * commands along: the next start finds them here and ends them, before an agent goes on beside them.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { judgeProcess, ownIdentity, processStartedAt, readDataFile } from '../../journal/index.ts'
import { endProcessGroup } from './process-group.ts'

export interface RunningCommands {
  /** Before it is started. */
  begin(): Promise<RunningCommand>
}

export interface RunningCommand {
  /** Only this user's to read, and gone with the command. */
  readonly dir: string
  /** `pid`: leads its process group. */
  started(pid: number, command: string): Promise<void>
  ended(): Promise<void>
}

const processFile = 'process.json'
const processSchema = z.object({
  pid: z.number(),
  startedAt: z.string(),
  pidNamespace: z.string().optional(),
  hostName: z.string(),
  command: z.string(),
})
/** What a notice shows of a command. */
const commandCharsMax = 120

/** `folder`: for nothing else; made when it is needed. `masked`: a text without its secrets. */
export function createRunningCommands(
  folder: string,
  masked: (text: string) => string = (text) => text,
): RunningCommands {
  return {
    async begin() {
      const dir = await makeIn(folder)
      return {
        dir,
        async started(pid, command) {
          const startedAt = await processStartedAt(pid)
          if (startedAt === null) return
          const { pidNamespace } = await ownIdentity()
          const known = {
            pid,
            startedAt,
            pidNamespace,
            hostName: hostname(),
            command: inOneLine(masked(command)),
          }
          // A disk that is full must not keep a command from running.
          await writeFile(join(dir, processFile), JSON.stringify(known), { mode: 0o600 }).catch(
            () => undefined,
          )
        },
        ended: () => rm(dir, { recursive: true, force: true }),
      }
    },
  }
}

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
 * Ends what a process that was killed left running, and takes its folders away. Resolves with a line about
 * each command that it ended. Nobody else may have commands running in `folder`.
 */
export async function endLeftCommands(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const lines = await Promise.all(names.map((name) => endLeft(join(folder, name))))
  return lines.filter((line) => line !== null)
}

async function endLeft(dir: string): Promise<string | null> {
  const left = await readLeft(dir)
  // Another machine's processes are not to be reached from here.
  if (left && left.hostName !== hostname()) return null
  const { pidNamespace } = await ownIdentity()
  // Nor are those of another container. A start there ends them.
  if (left && left.pidNamespace !== pidNamespace) return null
  // A guess is not enough to end somebody's process.
  const runs = left !== null && (await judgeProcess(left)) === 'running'
  if (runs) await endProcessGroup(left.pid)
  await rm(dir, { recursive: true, force: true })
  return runs ? `Ended a command that an agent had left running: ${left.command}` : null
}

async function readLeft(dir: string): Promise<z.infer<typeof processSchema> | null> {
  try {
    return processSchema.parse(
      JSON.parse((await readDataFile(join(dir, processFile))).toString('utf8')),
    )
  } catch {
    // The command was not started yet, or had ended.
    return null
  }
}

const inOneLine = (command: string): string =>
  command.trim().split('\n')[0]?.slice(0, commandCharsMax) ?? ''
