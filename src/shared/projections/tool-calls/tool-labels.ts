/** The label of a tool call in one line: verb, object and outcome. Pure. */

import { type ToolIcon, toolTraits } from '../../agents/tool-traits.ts'
import { isToolName, type ToolName, toolNames } from '../../agents/tools.ts'
import { counted as countedAs } from '../../text/counted.ts'
import { plainMarkdown } from '../../text/plain-markdown.ts'
import { plainText } from '../../text/plain-text.ts'
import type { ToolCallView } from '../transcript/turn-blocks.ts'

const whole = new Intl.NumberFormat('en')
const counted = (count: number, one: string, many?: string): string =>
  countedAs(count, one, many, whole.format(count))

interface ToolLabel {
  verb: string
  /** `code`: it is a command, path or pattern. */
  object: string
  code: boolean
  /** Its outcome, in a few words; null while it runs. */
  result: string | null
}

/** Limit for an object, which is shown in one line. */
const objectCharsMax = 300

/** `cwd`: the working directory; paths below it are shown relative to it. */
export function toolLabel(call: ToolCallView, cwd: string | null = null): ToolLabel {
  const { verb, object, code } = isToolName(call.name)
    ? ownToolLabel(call.name, call, cwd)
    : {
        verb: call.state === 'running' ? 'Running' : wasNotRun(call) ? notRunVerb('') : 'Ran',
        ...nameOf(call),
      }
  return { verb, object: oneLine(object), code, result: resultText(call) }
}

/** Whether a call was never tried: it was refused, or Shiplog quit before it was allowed. */
export const wasNotRun = ({ detail }: ToolCallView): boolean => detail?.kind === 'not-run'

/** `Didn’t write` for `Couldn’t write`. */
const notRunVerb = (failed: string): string =>
  failed.startsWith(couldNot) ? failed.replace(couldNot, 'Didn’t') : 'Didn’t run'
const couldNot = 'Couldn’t'

/** The name shown for a tool of another program. */
const nameOf = ({ title, name }: ToolCallView) =>
  title ? { object: plainText(title), code: false } : { object: name, code: true }

/** `Read 3 files, searched 2 times`: consecutive calls that only read. */
export function callGroupLabel(calls: ToolCallView[]): string {
  const counts = new Map<ToolName, number>()
  for (const { name } of calls) if (isToolName(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const parts = toolNames.flatMap((name) => {
    const [traits, count] = [toolTraits[name], counts.get(name)]
    return traits.isReadOnly && count !== undefined ? [traits.together(count)] : []
  })
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function ownToolLabel(
  name: ToolName,
  call: ToolCallView,
  cwd: string | null,
): Omit<ToolLabel, 'result'> {
  const { verb, object = '', icon } = toolTraits[name]
  const { state } = call
  const done = doneVerb(call) ?? verb.done
  return {
    verb: wasNotRun(call)
      ? notRunVerb(verb.failed)
      : state === 'running'
        ? verb.now
        : state === 'error'
          ? verb.failed
          : done,
    object: isPath[icon]
      ? relativePath(objectOf(name, call), cwd) || object
      : objectOf(name, call) || object,
    code: showsCode[icon],
  }
}

/** Returns the verb for a result that differs from what was called; null: the usual verb. */
function doneVerb(call: ToolCallView): string | null {
  if (created(call)) return 'Created'
  const conflict = call.detail?.kind === 'apply' && call.detail.outcome.kind === 'conflict'
  return conflict ? 'Tried to apply' : null
}

function objectOf(name: ToolName, call: ToolCallView): string {
  const { input } = call
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<
    string,
    unknown
  >
  const text = (key: string): string => {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined
    return typeof value === 'string' ? value : ''
  }
  switch (name) {
    case 'task':
      return [text('agent'), text('title')].filter(Boolean).join(': ')
    case 'task_await':
      return awaitedNames(fields.tasks)
    case 'bash_output':
    case 'bash_kill':
      return commandOf(call) ?? `command ${text('id')}`
    case 'ask_person':
      return plainMarkdown(text('question'))
    case 'task_apply_patch':
      return `changes of ${text('task')}`
    default:
      return toolTraits[name].subject.map(text).find(Boolean) ?? ''
  }
}

/** Commands, paths and patterns are shown in the code font. */
const showsCode: Record<ToolIcon, boolean> = {
  command: true,
  read: true,
  write: true,
  edit: true,
  list: true,
  search: true,
  web: true,
  agents: false,
  'agent-list': false,
  stop: false,
  apply: false,
  plan: false,
  report: false,
  question: false,
}

const isPath: Partial<Record<ToolIcon, true>> = { read: true, write: true, edit: true, list: true }

/** Makes a path below `cwd` relative, because a narrow window would cut the end of an absolute one. */
const relativePath = (path: string, cwd: string | null): string =>
  cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path

/** Returns the command to show instead of the id of a background command. */
const commandOf = ({ detail }: ToolCallView): string | null =>
  detail?.kind === 'background' ? detail.command : null

function created(call: ToolCallView): boolean {
  return call.detail?.kind === 'edit' && call.detail.change === 'created'
}

function awaitedNames(tasks: unknown): string {
  if (tasks === 'all') return 'all its tasks'
  return Array.isArray(tasks) ? tasks.map(String).join(', ') : 'its tasks'
}

function resultText(call: ToolCallView): string | null {
  if (call.state === 'unknown') return 'outcome unknown'
  if (call.state === 'not-loaded') return 'not loaded'
  // The answer of the user or of a rule is shown instead.
  if (wasNotRun(call)) return call.permission ? null : 'not tried'
  const { detail } = call
  switch (detail?.kind) {
    case 'bash':
      if (detail.timedOut) return 'timed out'
      if (detail.exitCode === null) return 'ended by a signal'
      return detail.exitCode === 0 ? null : `exit ${detail.exitCode}`
    case 'background':
      if (detail.state === 'running') return 'in the background'
      if (detail.state === 'timed-out') return 'timed out'
      return detail.exitCode === null ? 'ended by a signal' : `exit ${detail.exitCode}`
    case 'read':
      // An image has none.
      return call.images.length > 0
        ? null
        : `${counted(detail.lines, 'line')}${detail.truncated ? ', cut' : ''}`
    case 'files':
      return `${counted(detail.count, 'file')}${detail.truncated ? ' or more' : ''}`
    case 'matches':
      return detail.count === 0
        ? 'no matches'
        : `${counted(detail.count, 'match', 'matches')} in ${counted(detail.files, 'file')}${detail.truncated ? ' or more' : ''}`
    case 'apply':
      return applyText(detail.outcome.kind)
    case 'edit':
      return detail.change === 'unchanged' ? 'no change' : null
    case 'answer':
      return detail.text === null ? 'left to the agent' : `“${oneLine(detail.text)}”`
    default:
      return null
  }
}

function applyText(
  kind: 'applied' | 'nothing-to-apply' | 'already-applied' | 'conflict',
): string | null {
  switch (kind) {
    case 'applied':
      return null
    case 'nothing-to-apply':
      return 'nothing to apply'
    case 'already-applied':
      return 'already applied'
    case 'conflict':
      return 'conflict, nothing was changed'
  }
}

function oneLine(text: string): string {
  const line = plainText(text.slice(0, objectCharsMax * 2))
    .trim()
    .replace(/\s+/g, ' ')
  return line.length > objectCharsMax ? `${line.slice(0, objectCharsMax)}…` : line
}
