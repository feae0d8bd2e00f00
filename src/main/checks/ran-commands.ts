/**
 * Collects the commands in a transcript with their outcomes: commands that Shiplog ran, in the
 * foreground or background, and commands that an installed agent ran itself. Pure.
 */
import { toolDetailSchema } from '../../shared/agents/tools.ts'
import type { CitedCall } from '../../shared/contract/changes/checks.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../shared/records/entry-types/tool-calls.ts'
import type { ToolCallId } from '../../shared/records/ids.ts'

export interface RanCommand {
  command: string
  /** Null if it is unknown, a signal ended the command, or it was still running. */
  exitCode: number | null
  output: string
  /** `running`: the end of a background command was never read. `killed`: a signal or its time limit ended it. */
  end: 'known' | 'running' | 'killed'
  /** The call that shows the outcome. */
  seq: number
  callId: ToolCallId
  turn: number
  /** All calls that refer to the command. */
  callIds: ToolCallId[]
  /** When its outcome was read, in milliseconds. */
  at: number
  durationMs: number
  /** The tree that the command ran on; for a background command, the tree at its start. */
  tree: string | undefined
}

interface CommandReading {
  /** In the order of their outcomes. */
  commands: RanCommand[]
  /** Calls without a result. */
  begun: Map<ToolCallId, ToolCallEntry>
  /** In the background, by run and id. */
  background: Map<string, RanCommand>
}

export const emptyReading = (): CommandReading => ({
  commands: [],
  begun: new Map(),
  background: new Map(),
})

/** Folds one entry into `reading`, in place. Returns the call that it ends, if any. */
export function addCommand(reading: CommandReading, entry: Entry): CitedCall | null {
  if (entry.type === 'tool-call') reading.begun.set(entry.callId, entry)
  if (entry.type !== 'tool-result') return null
  const call = reading.begun.get(entry.callId)
  reading.begun.delete(entry.callId)
  if (!call) return null
  addResult(reading, call, entry)
  const { callId, seq, turn, name } = call
  const { outcome } = entry
  return { callId, seq, turn, name, title: call.title ?? subjectOf(call.input), outcome }
}

function addResult(reading: CommandReading, call: ToolCallEntry, entry: ToolResultEntry): void {
  const { commands } = reading
  const detail = toolDetailSchema.safeParse(entry.detail)
  if (detail.success && detail.data.kind === 'background')
    addBackground(reading, { call, result: entry, ...detail.data })
  else {
    const known = detail.success && detail.data.kind === 'bash' ? detail.data.exitCode : null
    if (call.by === 'agent') {
      const command = call.kind === 'execute' ? commandOf(entry.revised?.input ?? call.input) : null
      // Imported calls have a detail, those of a running agent only a text.
      const exitCode = known ?? exitCodeIn(entry)
      if (command !== null) commands.push({ ...ran(call, entry), command, exitCode })
    } else if (call.name === 'bash') {
      const command = commandOf(call.input)
      if (command !== null) commands.push({ ...ran(call, entry), command, exitCode: known })
    }
  }
}

function addBackground(
  { background, commands }: CommandReading,
  {
    call,
    result,
    id,
    command,
    state,
    exitCode,
  }: {
    call: ToolCallEntry
    result: ToolResultEntry
    id: string
    command: string
    state: 'running' | 'ended' | 'timed-out'
    exitCode: number | null
  },
): void {
  const key = `${call.runId} ${id}`
  const now = ran(call, result)
  const known = background.get(key)
  if (!known) {
    // The first call's output is Shiplog's, not the command's.
    const first: RanCommand = { ...now, command, output: '', end: 'running', exitCode: null }
    background.set(key, first)
    commands.push(first)
    return
  }
  // Read again after its end: there is nothing new.
  if (known.end !== 'running') return
  known.output += `${result.output}\n`
  known.callIds.push(call.callId)
  if (state === 'running') return
  known.exitCode = exitCode
  known.end = state === 'ended' && exitCode !== null ? 'known' : 'killed'
  known.durationMs = result.at - known.at
  Object.assign(known, { seq: call.seq, callId: call.callId, turn: call.turn, at: result.at })
  // Its outcome is now the newest.
  commands.splice(commands.indexOf(known), 1)
  commands.push(known)
}

function ran(
  { callId, seq, turn }: ToolCallEntry,
  { at, durationMs, output, tree }: ToolResultEntry,
): Omit<RanCommand, 'command' | 'exitCode'> {
  return { seq, callId, turn, callIds: [callId], at, durationMs, output, tree, end: 'known' }
}

/** Returns the command of a call's input, a string or an argument list; null if there is none. */
function commandOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null
  const { command = null, cmd = null } = input as { command?: unknown; cmd?: unknown }
  const given = command ?? cmd
  if (typeof given === 'string') return given
  if (!Array.isArray(given) || !given.every((word) => typeof word === 'string')) return null
  const [shell = '', flag = '', script] = given
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag)
  return isShell && script !== undefined ? script : given.join(' ')
}

/**
 * Parses the exit code from the output, because only text is recorded of a command that an agent ran itself, and a
 * failed command may be a successful call in the agent's protocol. Null if there is none.
 */
function exitCodeIn({ output }: ToolResultEntry): number | null {
  const [, code] = /(?:^|\n)\[?(?:Error: )?exit code:? (\d+)/i.exec(output) ?? []
  return code === undefined ? null : Number(code)
}

/** The subject of a call, as its input names it in one line. */
function subjectOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null
  const { command, path, title } = input as Record<string, unknown>
  const subject = [command, path, title].find((one) => typeof one === 'string')
  return typeof subject === 'string' ? subject.slice(0, subjectCharsMax) : null
}
const subjectCharsMax = 200
