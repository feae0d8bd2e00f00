/** Writes logs as Claude Code does, small ones, for tests. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

type Fields = Record<string, unknown>

/** Records of one file; each follows the one before unless it names its parent. */
export function claudeLog(session: string, shared: Fields = {}) {
  const lines: string[] = []
  let count = 0
  let last: string | null = null
  const idOf = (nth: number) =>
    `${nth.toString(16).padStart(8, '0')}-0000-4000-8000-${session.replaceAll('-', '').slice(0, 12)}`

  function add(type: string, fields: Fields): string {
    const uuid = idOf(++count)
    const record = {
      parentUuid: last,
      isSidechain: false,
      cwd: '/code/app',
      sessionId: session,
      version: '2.1.39',
      gitBranch: 'main',
      type,
      uuid,
      timestamp: new Date(Date.UTC(2026, 0, 2, 3, 4, count)).toISOString(),
      ...shared,
      ...fields,
    }
    lines.push(JSON.stringify(record))
    last = uuid
    return uuid
  }

  return {
    prompt: (text: string, fields: Fields = {}) =>
      add('user', { message: { role: 'user', content: text }, ...fields }),
    /** `id`: of the model's message, of which several records can be parts. */
    says: (id: string, content: Fields | string, fields: Fields = {}) =>
      add('assistant', {
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-6',
          content: [typeof content === 'string' ? { type: 'text', text: content } : content],
          stop_reason: null,
          usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 },
        },
        ...fields,
      }),
    calls: (id: string, callId: string, name: string, input: Fields, fields: Fields = {}) =>
      add('assistant', {
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-6',
          content: [{ type: 'tool_use', id: callId, name, input }],
          stop_reason: null,
          usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 },
        },
        ...fields,
      }),
    returns: (callId: string, content: unknown, fields: Fields = {}) =>
      add('user', {
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content }] },
        ...fields,
      }),
    add,
    raw: (line: string) => lines.push(line),
    /** The next record follows this one. */
    goTo(uuid: string | null) {
      last = uuid
    },
    lines,
    text: () => `${lines.join('\n')}\n`,
  }
}

/** Writes files below a folder; the names may have folders. */
export async function writeFiles(
  dir: string,
  files: Record<string, string | Buffer>,
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), content)
  }
  return dir
}
