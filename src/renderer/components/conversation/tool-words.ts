/** How a tool call reads as one line: verb, object, and what came of it. Pure. */
import type { ToolCallView } from '../../../shared/projections/transcript.ts'
import { isToolName, type ToolName } from '../../../shared/tools.ts'
import { counted } from '../primitives/format.ts'
import { plainText } from './plain-text.ts'

interface ToolWords {
  verb: string
  /** What it was about. `code`: a command, path or pattern. */
  object: string
  code: boolean
  /** What came of it, in a few words; null while it runs. */
  result: string | null
}

/** An object is one line of the list, so a command of a page ends here. */
const objectCharsMax = 300

export function toolWords(call: ToolCallView): ToolWords {
  const { verb, object, code } = isToolName(call.name)
    ? known(call.name, call)
    : { verb: 'Ran', object: call.name, code: true }
  return { verb, object: oneLine(object), code, result: resultWords(call) }
}

/** `Read 3 files, searched 2 times`. */
export function groupWords(calls: ToolCallView[]): string {
  const count = (name: ToolName) => calls.filter((call) => call.name === name).length
  const reads = count('read_file')
  const lists = count('list_files')
  const searches = count('search_files')
  const taskLists = count('task_list')
  const parts = [
    reads > 0 ? `read ${counted(reads, 'file')}` : null,
    lists > 0 ? `listed files${times(lists)}` : null,
    searches > 0 ? `searched${times(searches)}` : null,
    taskLists > 0 ? `listed tasks${times(taskLists)}` : null,
  ].filter((part) => part !== null)
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const times = (count: number): string => (count > 1 ? ` ${count} times` : '')

function known(name: ToolName, call: ToolCallView): Omit<ToolWords, 'result'> {
  const { state } = call
  const input = (typeof call.input === 'object' ? call.input : null) as Record<
    string,
    unknown
  > | null
  const text = (key: string): string => {
    const value = input?.[key]
    return typeof value === 'string' ? value : ''
  }
  /** `now`: while it runs; `failed`: what it could not do. */
  const say = (now: string, done: string, failed: string, object: string, code = false) => ({
    verb: state === 'running' ? now : state === 'error' ? failed : done,
    object,
    code,
  })
  switch (name) {
    case 'bash':
      return say('Running', 'Ran', 'Ran', text('command'), true)
    case 'read_file':
      return say('Reading', 'Read', 'Couldn’t read', text('path'), true)
    case 'write_file':
      return say(
        'Writing',
        created(call) ? 'Created' : 'Wrote',
        'Couldn’t write',
        text('path'),
        true,
      )
    case 'edit_file':
      return say('Editing', 'Edited', 'Couldn’t edit', text('path'), true)
    case 'list_files':
      return say(
        'Listing',
        'Listed',
        'Couldn’t list',
        text('glob') || text('path') || 'files',
        true,
      )
    case 'search_files':
      return say('Searching', 'Searched', 'Couldn’t search', text('pattern'), true)
    case 'task': {
      const whom = [text('agent'), text('title')].filter(Boolean).join(': ')
      return say('Starting', 'Started', 'Couldn’t start sub-agent', whom)
    }
    case 'task_await':
      return say('Waiting for', 'Waited for', 'Couldn’t wait for', awaitedNames(input?.tasks))
    case 'task_list':
      return say('Listing', 'Listed', 'Couldn’t list', 'its tasks')
    case 'task_stop':
      return say('Stopping', 'Stopped', 'Couldn’t stop', text('task'))
    case 'task_apply_patch': {
      const conflict = call.detail?.kind === 'apply' && call.detail.outcome.kind === 'conflict'
      return say(
        'Applying',
        conflict ? 'Tried to apply' : 'Applied',
        'Couldn’t apply',
        `changes of ${text('task')}`,
      )
    }
    case 'agent_report':
      return say('Reporting', 'Reported', 'Couldn’t report', text('title'))
  }
}

function created(call: ToolCallView): boolean {
  return call.detail?.kind === 'edit' && call.detail.change === 'created'
}

function awaitedNames(tasks: unknown): string {
  if (tasks === 'all') return 'all its tasks'
  return Array.isArray(tasks) ? tasks.map(String).join(', ') : 'its tasks'
}

function resultWords(call: ToolCallView): string | null {
  if (call.state === 'unknown') return 'outcome unknown'
  if (call.state === 'not-loaded') return 'not loaded'
  const { detail } = call
  switch (detail?.kind) {
    case 'bash':
      if (detail.timedOut) return 'timed out'
      if (detail.exitCode === null) return 'ended by a signal'
      return detail.exitCode === 0 ? null : `exit ${detail.exitCode}`
    case 'read':
      return `${counted(detail.lines, 'line')}${detail.truncated ? ', cut' : ''}`
    case 'files':
      return `${counted(detail.count, 'file')}${detail.truncated ? ' or more' : ''}`
    case 'matches':
      return detail.count === 0
        ? 'no matches'
        : `${counted(detail.count, 'match', 'matches')} in ${counted(detail.files, 'file')}${detail.truncated ? ' or more' : ''}`
    case 'apply':
      return applyWords(detail.outcome.kind)
    case 'edit':
      return detail.change === 'unchanged' ? 'no change' : null
    default:
      return null
  }
}

function applyWords(
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
