/** A tool call in one line: its name and what it is about. */
const subjects: Record<string, string> = {
  bash: 'command',
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
  list_files: 'path',
  search_files: 'pattern',
  task: 'title',
  task_await: 'tasks',
  task_stop: 'task',
  task_apply_patch: 'task',
  agent_report: 'title',
}

/** `bash git status`, `task_await Add tests, Write docs`. The input may be of any shape. */
export function describeToolCall(name: string, input: unknown): string {
  const key = Object.hasOwn(subjects, name) ? subjects[name] : undefined
  const fields =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const subject = key === undefined ? undefined : fields[key]
  if (typeof subject === 'string') return `${name} ${subject}`
  if (Array.isArray(subject)) return `${name} ${subject.map(String).join(', ')}`
  return name
}

/** What `describeToolCall` needs of an input, cut: a file that is written may be large. Null when it needs nothing. */
export function subjectAlone(
  name: string,
  input: unknown,
  charsMax: number,
): Record<string, string> | null {
  const key = Object.hasOwn(subjects, name) ? subjects[name] : undefined
  if (key === undefined || typeof input !== 'object' || input === null) return null
  const subject = (input as Record<string, unknown>)[key]
  return typeof subject === 'string' ? { [key]: subject.slice(0, charsMax) } : null
}
