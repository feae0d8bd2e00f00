/**
 * Maps Codex's tools to Shiplog's, so that views, checks and models treat the calls alike. Fields are renamed, but no
 * value is changed or dropped. Tools without a counterpart keep their names.
 */
import type { CallKind } from '../../../../shared/agents/agent-records.ts'
import type { BuiltImage } from '../../transcript/transcript-builder.ts'
import { planStatusOf } from '../plan-status.ts'
import { asRecord, isRecord, records, text } from '../values.ts'
import { imageOf } from './prompts.ts'

export interface MappedCall {
  name: string
  input: unknown
  kind: CallKind
  title?: string
}

/** Tools that run a command, with the name of the command field. */
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
/** Input fields that can serve as title of an unknown tool's call; the first that exists is used. */
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
  // A script of tool calls is a plain string.
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

/** Parses arguments, which Codex writes as JSON in a string. Invalid JSON stays a string. */
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
  /** Null: unknown. */
  exitCode: number | null
  isError: boolean
  /** A user refused the call. */
  isRefused?: boolean
}

/** Parses the output of a call in the formats of all Codex versions. */
export function outputOf(given: unknown): CallOutput {
  if (isRecord(given)) {
    // Versions of 2025: text with a success flag.
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
  if (refusals.test(said))
    return { text: said, images: [], exitCode: null, isError: true, isRefused: true }
  const wrapped = wrappedOutput(said)
  return { text: wrapped?.text ?? said, images: [], ...(wrapped ?? exitOf(said)) }
}

/** Parses `{"output": …, "metadata": {"exit_code": …}}` in a string; null: another format. */
function wrappedOutput(said: string): Omit<CallOutput, 'images'> | null {
  if (!said.startsWith('{"output":')) return null
  const { output, metadata } = asRecord(argumentsOf(said))
  const code = asRecord(metadata).exit_code
  if (typeof output !== 'string' || typeof code !== 'number') return null
  return { text: output, exitCode: code, isError: code !== 0 }
}

const exitPatterns = [/^Exit code: (-?\d{1,6})$/m, /^Process exited with code (-?\d{1,6})$/m]
/** Length of the head that may contain Codex's own message, which precedes a command's output. */
const headCharsMax = 400
const failures =
  /^(?:unsupported call: |failed to parse |patch rejected: |exec_command failed|apply_patch verification failed|aborted)/

/** Also the text of a user's refusal, which no option of Codex changes. */
const refusals =
  /^(?:(?:exec command|patch) rejected by user$|exec_command failed .*Rejected\(\\?"rejected by user)/

function exitOf(said: string): { exitCode: number | null; isError: boolean } {
  const [head = ''] = said.slice(0, headCharsMax).split(/^Output:$/m)
  const code = exitPatterns.map((pattern) => pattern.exec(head)?.[1]).find(Boolean)
  const exitCode = code === undefined ? null : Number(code)
  return { exitCode, isError: exitCode === null ? failures.test(said) : exitCode !== 0 }
}

/** The plan set by an `update_plan` call; null for other calls. */
export function planOf(name: string, input: unknown) {
  if (name !== 'update_plan') return null
  const items = records(asRecord(input).plan).flatMap((item) => {
    const step = text(item.step)
    const status = planStatusOf(item.status)
    return step !== null && status ? [{ text: step, status }] : []
  })
  return items.length > 0 ? items : null
}
