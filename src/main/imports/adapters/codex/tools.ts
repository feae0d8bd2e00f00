/**
 * Codex's tools as Shiplog's own, so that views, checks and models read its calls like ours. Fields are renamed, and no
 * value is changed or left out; tools without a counterpart keep their names.
 */
import type { CallKind } from '../../../../shared/agents/agent-records.ts'
import type { BuiltImage } from '../../transcript/transcript-builder.ts'
import { asRecord, isRecord, records, text } from '../values.ts'
import { imageOf } from './prompts.ts'

export interface MappedCall {
  name: string
  input: unknown
  kind: CallKind
  title?: string
}

/** Tools that run a command, by the field with it. */
const shells: Readonly<Record<string, string>> = {
  exec_command: 'cmd',
  shell_command: 'command',
  shell: 'command',
  'container.exec': 'command',
  local_shell: 'command',
}
const kinds: Readonly<Record<string, CallKind>> = {
  apply_patch: 'edit',
  exec: 'execute',
  write_stdin: 'execute',
  view_image: 'read',
  read_file: 'read',
  list_dir: 'search',
  grep_files: 'search',
  web_search: 'fetch',
  tool_search: 'search',
  update_plan: 'think',
}
/** Other calls say what they are about by the first of these that they have. */
const subjects = ['query', 'path', 'task_name', 'target', 'url', 'pattern', 'question', 'name']
const subjectCharsMax = 200

export function mapCall(name: string, given: unknown): MappedCall {
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined
  if (shell !== undefined && isRecord(given)) return shellCall(given, shell)
  if (name === 'spawn_agent' && isRecord(given)) {
    const { agent_type, message, task_name, ...others } = given
    const input = {
      ...(agent_type !== undefined && { agent: agent_type }),
      ...(task_name !== undefined && { title: task_name }),
      ...(message !== undefined && { prompt: message }),
      ...others,
    }
    return { name: 'task', input, kind: 'other' }
  }
  const kind = Object.hasOwn(kinds, name) ? (kinds[name] ?? 'other') : 'other'
  const subject = subjects.map((key) => text(asRecord(given)[key])).find(Boolean)
  const title = subject ? `${name} ${subject.split('\n', 1)[0]?.slice(0, subjectCharsMax)}` : name
  // A script of the tools is its input, without fields.
  return { name, input: typeof given === 'string' ? { text: given } : given, kind, title }
}

function shellCall(given: Record<string, unknown>, field: string): MappedCall {
  const { [field]: command, timeout_ms: timeoutMs, ...others } = given
  const words = Array.isArray(command) ? command.map(String) : null
  const script = words && /^(?:.*\/)?(?:ba|z|da|k)?sh$/.test(words[0] ?? '') ? words[2] : undefined
  const isScript = words?.length === 3 && /^-l?c$/.test(words[1] ?? '') && script !== undefined
  const line = isScript ? script : (words?.map(quoted).join(' ') ?? command)
  return {
    name: 'bash',
    input: {
      command: line,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(words && { argv: words }),
      ...others,
    },
    kind: 'execute',
  }
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Arguments as Codex writes them: JSON in a string. What is none stays a string. */
export function argumentsOf(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {}
  try {
    const parsed: unknown = JSON.parse(given)
    return isRecord(parsed) ? parsed : given
  } catch {
    return given
  }
}

export interface CallOutput {
  text: string
  images: BuiltImage[]
  /** Null: it does not say. */
  exitCode: number | null
  isError: boolean
}

/** The output of a call in all forms that versions of Codex give it. */
export function outputOf(given: unknown): CallOutput {
  if (isRecord(given)) {
    // Versions of 2025: the text with a mark of success.
    const inner = outputOf(given.content ?? given.output ?? '')
    return { ...inner, isError: inner.isError || given.success === false }
  }
  if (Array.isArray(given)) {
    const parts = records(given)
    const images = parts.flatMap((part) => imageOf(part.image_url) ?? [])
    const texts = parts.flatMap((part) =>
      imageOf(part.image_url) ? [] : [text(part.text) ?? JSON.stringify(part)],
    )
    return { text: texts.join('\n'), images, ...exitOf(texts.join('\n')) }
  }
  const said = text(given) ?? (given === undefined ? '' : JSON.stringify(given))
  const wrapped = wrappedOutput(said)
  return { text: wrapped?.text ?? said, images: [], ...(wrapped ?? exitOf(said)) }
}

/** `{"output": …, "metadata": {"exit_code": …}}` in a string. */
function wrappedOutput(said: string): Omit<CallOutput, 'images'> | null {
  if (!said.startsWith('{"output":')) return null
  const { output, metadata } = asRecord(argumentsOf(said))
  const code = asRecord(metadata).exit_code
  if (typeof output !== 'string' || typeof code !== 'number') return null
  return { text: output, exitCode: code, isError: code !== 0 }
}

const exitPatterns = [/^Exit code: (-?\d{1,6})$/m, /^Process exited with code (-?\d{1,6})$/m]
/** Its own words come before what a command printed. */
const headCharsMax = 400
const failures =
  /^(?:unsupported call: |failed to parse |patch rejected: |exec_command failed|apply_patch verification failed|aborted)/

function exitOf(said: string): { exitCode: number | null; isError: boolean } {
  const [head = ''] = said.slice(0, headCharsMax).split(/^Output:$/m)
  const code = exitPatterns.map((pattern) => pattern.exec(head)?.[1]).find(Boolean)
  const exitCode = code === undefined ? null : Number(code)
  return { exitCode, isError: exitCode === null ? failures.test(said) : exitCode !== 0 }
}

const planStatuses: Readonly<Record<string, 'pending' | 'in-progress' | 'completed'>> = {
  pending: 'pending',
  in_progress: 'in-progress',
  completed: 'completed',
}

/** The plan that a call of `update_plan` sets; null: it is no such call. */
export function planOf(name: string, input: unknown) {
  if (name !== 'update_plan') return null
  const items = records(asRecord(input).plan).flatMap((item) => {
    const step = text(item.step)
    const status = planStatuses[String(item.status)]
    return step !== null && status ? [{ text: step, status }] : []
  })
  return items.length > 0 ? items : null
}
