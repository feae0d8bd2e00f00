/** Converts an agent's request for permission into a question for Shiplog's own rules and the person (P1 to P4). */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable'
import type { PermissionAnswer, PermissionOption } from '../../../shared/agents/agent-records.ts'
import type { AskedCall, PermissionQuestion } from '../../../shared/agents/driver/agent-session.ts'
import { signedLines } from '../permissions/signed-lines.ts'
import { isRecord, text } from './content.ts'
import type { CallState } from './updates/calls.ts'

/** `call` is the state of the call so far; null if the agent sent nothing that can be read. */
export function questionOf(
  request: Record<string, unknown>,
  call: CallState | null,
): PermissionQuestion {
  const options = optionsOf(request.options)
  if (call === null) {
    const asked = JSON.stringify(request.toolCall ?? null, null, 2)
    return { callId: null, question: asked, options }
  }
  const actions = actionsOf(call)
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
function actionsOf(call: CallState): AskedCall[] {
  // In an edit, `command` names the kind of change, not a shell command.
  const command = call.diffs.length === 0 && call.kind !== 'edit' ? commandOf(call.input) : null
  if (command !== null) return [command]
  if (call.diffs.length > 0)
    return call.diffs.map(({ path, oldText, newText }) => ({
      ...(oldText === null || oldText === ''
        ? { name: 'write_file', input: { path, content: newText } }
        : { name: 'edit_file', input: { path, oldText, newText } }),
    }))
  const url = isRecord(call.input) ? text(call.input.url) : null
  return call.kind === 'fetch' && url !== null ? [{ name: 'web_fetch', input: { url } }] : []
}

/** Claude Code, Gemini, Qwen and OpenCode give the text for a shell, Codex a list of arguments. */
function commandOf(input: unknown): AskedCall | null {
  if (!isRecord(input)) return null
  const given = input.command ?? input.cmd
  const cwd = text(input.cwd) ?? text(input.workdir) ?? text(input.directory)
  const command = Array.isArray(given) ? shellTextOf(given.map(String)) : text(given)
  if (command === null || command.trim() === '') return null
  return {
    name: 'bash',
    input: { command },
    ...(cwd?.startsWith('/') && { cwd }),
  }
}

/** Converts an argument list to shell text: `bash -lc TEXT` becomes TEXT, other arguments are quoted. */
function shellTextOf(args: string[]): string {
  const [program = '', flag = '', script, ...more] = args
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag)
  if (isShell && script !== undefined && more.length === 0) return script
  return args.map(quoted).join(' ')
}

const quoted = (arg: string): string =>
  /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`

/** Shows all that is known of the action (P2). */
function textOfCall(call: CallState, actions: readonly AskedCall[]): string {
  const [action] = actions
  if (action?.name === 'bash') return (action.input as { command: string }).command
  const lines = [call.title ?? call.name]
  for (const { path, oldText, newText } of call.diffs)
    lines.push(`${path}:`, ...signedLines('-', oldText ?? ''), ...signedLines('+', newText))
  for (const { path } of call.diffs.length === 0 ? call.locations : []) lines.push(path)
  if (call.diffs.length === 0 && call.input !== null)
    lines.push(JSON.stringify(call.input, null, 2))
  return lines.join('\n')
}
