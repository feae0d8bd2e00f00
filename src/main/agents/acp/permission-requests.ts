/** Converts an agent's request for permission into a question for Shiplog's own rules and the user (P1 to P4). */

import type { RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable'
import type { PermissionAnswer, PermissionOption } from '../../../shared/agents/agent-records.ts'
import type { AskedCall, PermissionQuestion } from '../../../shared/agents/driver/agent-session.ts'
import type { CommandShell } from '../../../shared/agents/permissions.ts'
import { bashAt } from '../permissions/shell/bash-version.ts'
import { onOneLine, signedLines } from '../permissions/signed-lines.ts'
import { isRecord, text } from './content.ts'
import type { CallState } from './updates/calls.ts'

/** `call` is the state of the call so far; null if the agent sent nothing that can be read. */
export function questionOf(
  request: Record<string, unknown>,
  call: CallState | null,
  shell: CommandShell,
): PermissionQuestion {
  const options = optionsOf(request.options)
  if (call === null) {
    const asked = JSON.stringify(request.toolCall ?? null, null, 2)
    return { callId: null, question: asked, options }
  }
  const actions = actionsOf(call, shell)
  return {
    callId: call.callId,
    question: textOfCall(call, actions),
    options,
    ...(actions.length > 0 && { actions }),
  }
}

/**
 * Chooses only options that apply once. Permanent ones write into the working directory; Shiplog keeps permanent rules
 * itself.
 */
export function responseTo(
  answer: PermissionAnswer,
  options: readonly PermissionOption[],
): RequestPermissionResponse {
  const wanted = answer.allowed ? 'allow-once' : 'reject-once'
  const optionId = options.find(({ kind }) => kind === wanted)?.id
  // An agent that offers no such option is told that nothing was allowed.
  if (optionId === undefined || answer.by === 'end-of-run') return cancelled
  return { outcome: { outcome: 'selected', optionId } }
}

export const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

export function allowOnce(request: Record<string, unknown>): RequestPermissionResponse {
  const once = optionsOf(request.options).find(({ kind }) => kind === 'allow-once')
  return once ? { outcome: { outcome: 'selected', optionId: once.id } } : cancelled
}

const optionKinds: Record<string, PermissionOption['kind']> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'reject-once',
  reject_always: 'reject-always',
}

function optionsOf(given: unknown): PermissionOption[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((option) => {
    if (!isRecord(option)) return []
    const id = text(option.optionId)
    const kind = optionKinds[String(option.kind)]
    return id !== null && kind ? [{ id, kind, name: text(option.name) ?? id }] : []
  })
}

/** Returns the call as calls of Shiplog's tools, for the rules; empty if none of them does the same. */
function actionsOf(call: CallState, shell: CommandShell): AskedCall[] {
  if (call.diffs.length > 0) return isEditAlone(call) ? call.diffs.map(editOf) : []
  const command = commandKinds.has(call.kind) ? commandOf(call.input, shell) : null
  if (command !== null) return [command]
  const url = call.kind === 'fetch' ? urlOf(call.input) : null
  return url === null ? [] : [{ name: 'web_fetch', input: { url } }]
}

/** Fields of the agents' tools that get an address. Another one may make it more than that. */
const fetchFields = new Set(['url', 'prompt', 'format', 'timeout'])

function urlOf(input: unknown): string | null {
  if (!isRecord(input) || Object.keys(input).some((field) => !fetchFields.has(field))) return null
  return text(input.url)
}

/** Kinds of the agents' own shell calls. The tools of MCP servers, which may have a field `command` as well, are `other`. */
const commandKinds = new Set<CallState['kind']>(['execute', 'read', 'search'])
/**
 * All fields with which the shell tools of the known agents are called. Another one may be an argument of another tool,
 * or extend what the command may do.
 */
const commandFields = new Set([
  'command',
  'cmd',
  'cwd',
  'workdir',
  'directory',
  'dir_path',
  'description',
  'timeout',
  'run_in_background',
  'is_background',
])

/**
 * Claude Code, Gemini, Qwen and OpenCode send the text for a shell, Codex either that or a list of arguments. Returns
 * null for anything that is not certainly a call of a shell.
 */
function commandOf(input: unknown, shell: CommandShell): AskedCall | null {
  if (!isRecord(input) || Object.keys(input).some((field) => !commandFields.has(field))) return null
  const given = input.command ?? input.cmd
  if (input.command !== undefined && input.cmd !== undefined) return null
  const folders = ['cwd', 'workdir', 'directory', 'dir_path'].flatMap((field) => input[field] ?? [])
  const [folder = '', ...others] = folders
  // Agents expand `~` or variables, or don't.
  if (typeof folder !== 'string' || others.length > 0 || /^~|[$%`]/.test(folder)) return null
  const script = Array.isArray(given) ? scriptOf(given.map(String)) : { text: text(given), shell }
  if (script.text === null || script.text.trim() === '') return null
  const background = input.run_in_background === true || input.is_background === true
  return {
    name: 'bash',
    input: { command: script.text, ...(background && { background }) },
    shell: script.shell,
    ...(folder !== '' && { cwd: folder }),
  }
}

/** Shells of the system. A path elsewhere may be a file of the repository. */
const systemShell = /^(?:\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?bin\/)?((?:ba|z|da)?sh)$/

/** Converts an argument list to shell text: `bash -lc TEXT` becomes TEXT, other arguments are quoted. */
function scriptOf(args: string[]): { text: string; shell: CommandShell } {
  const [program = '', flag = '', script, ...more] = args
  const [, name] = systemShell.exec(program) ?? []
  if (name && /^-l?c$/.test(flag) && script !== undefined && more.length === 0)
    return { text: script, shell: name === 'bash' ? bashAt(program) : 'unknown' }
  // `a=b/c` as a program's name would be read as an assignment.
  const text = args.map((arg, at) => (at === 0 && arg.includes('=') ? inQuotes(arg) : quoted(arg)))
  return { text: text.join(' '), shell: 'bash' }
}

/** Reports whether the call is certainly the edit of its diffs and nothing else. */
function isEditAlone({ kind, input, inputPath, diffs }: CallState): boolean {
  // In an edit, `command` names the kind of change, not a shell command.
  if (kind !== 'edit' || (isRecord(input) && beyondEdits.some((field) => field in input)))
    return false
  // In a patch of Codex, which may take a file from elsewhere.
  if (/"move_?path":"/i.test(JSON.stringify(input))) return false
  // Some agents expand `~`, and leave the folder that a link leads to by `..`.
  if (diffs.some(({ path }) => path.split(/[/\\]/).some((part) => /^~|^\.\.$/.test(part))))
    return false
  return inputPath === null || diffs.some(({ path }) => path === inputPath)
}

/** Fields of tools that do more than change the files of their diffs. */
const beyondEdits = ['cmd', 'to', 'destination', 'script', 'query', 'url']

const editOf = ({ path, oldText, newText }: CallState['diffs'][number]): AskedCall =>
  oldText === null || oldText === ''
    ? { name: 'write_file', input: { path, content: newText } }
    : { name: 'edit_file', input: { path, oldText, newText } }

const quoted = (arg: string): string => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : inQuotes(arg))

const inQuotes = (arg: string): string => `'${arg.replaceAll("'", "'\\''")}'`

/** Shows all that is known of the action (P2). */
function textOfCall(call: CallState, actions: readonly AskedCall[]): string {
  const [action] = actions
  if (action?.name === 'bash') return (action.input as { command: string }).command
  const lines = [onOneLine(call.title ?? call.name)]
  for (const { path, oldText, newText } of call.diffs)
    lines.push(
      `${onOneLine(path)}:`,
      ...signedLines('-', oldText ?? ''),
      ...signedLines('+', newText),
    )
  for (const { path } of call.diffs.length === 0 ? call.locations : []) lines.push(onOneLine(path))
  const isInDiffs = call.diffs.length > 0 && actions.length > 0
  if (!isInDiffs && call.input !== null) lines.push(JSON.stringify(call.input, null, 2))
  return lines.join('\n')
}
