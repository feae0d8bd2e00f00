/** An agent's request for permission, as a question for Shiplog's own rules and the person (P1 to P4). */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable'
import type { PermissionAnswer, PermissionOption } from '../../../shared/agents/agent-records.ts'
import type { AskedCall, PermissionQuestion } from '../../../shared/agents/driver/agent-session.ts'
import { isRecord, text } from './content.ts'
import type { CallState } from './updates/calls.ts'

/** `call`: what the agent said about it so far; null: nothing that can be read. */
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

/** Never an option that lasts: those write into the working directory, and Shiplog's rules are the ones that last. */
export function responseTo(
  answer: PermissionAnswer,
  options: readonly PermissionOption[],
): RequestPermissionResponse {
  const wanted = answer.allowed ? 'allow-once' : 'reject-once'
  const optionId = options.find(({ kind }) => kind === wanted)?.id
  // An agent that offers no such option learns that nothing was allowed.
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

/** The same as calls of Shiplog's tools; empty: there are none that do it. */
function actionsOf(call: CallState): AskedCall[] {
  // An editor's `command` is the kind of its change.
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

/** `bash -lc TEXT` is TEXT; other arguments are quoted. */
function shellTextOf(args: string[]): string {
  const [program = '', flag = '', script, ...more] = args
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag)
  if (isShell && script !== undefined && more.length === 0) return script
  return args.map(quoted).join(' ')
}

const quoted = (arg: string): string =>
  /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`

/** All that is known of the action (P2). */
function textOfCall(call: CallState, actions: readonly AskedCall[]): string {
  const [action] = actions
  if (action?.name === 'bash') return (action.input as { command: string }).command
  const lines = [call.title ?? call.name]
  for (const { path, oldText, newText } of call.diffs)
    lines.push(`${path}:`, ...signed('-', oldText ?? ''), ...signed('+', newText))
  for (const { path } of call.diffs.length === 0 ? call.locations : []) lines.push(path)
  if (call.diffs.length === 0 && call.input !== null)
    lines.push(JSON.stringify(call.input, null, 2))
  return lines.join('\n')
}

const signed = (sign: '+' | '-', lines: string): string[] =>
  lines === ''
    ? []
    : lines
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${sign} ${line}`)
