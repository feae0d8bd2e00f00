/** Generates sessions in Claude Code's format: prompts, calls with their results, progress, answers. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGenerator, generatedAtMs } from './generate.ts'

/** Calls between one prompt and the next. */
const callsOfPrompt = 12
/** Length of a call's result, which the log contains twice. */
const outputCharacters = 1_500

/** Writes one session of at least `bytes` bytes below `home`, laid out as Claude Code does, and returns its path. */
export async function writeSession(home: string, seed: number, bytes: number): Promise<string> {
  const { uuid } = createGenerator(seed)
  const session = uuid()
  const file = join(home, 'projects', `-home-robin-harbour-${seed % 20}`, `${session}.jsonl`)
  await mkdir(dirname(file), { recursive: true })
  await pipeline(Readable.from(lines(seed, session, bytes)), createWriteStream(file))
  return file
}

function* lines(seed: number, session: string, bytes: number): Generator<string> {
  const made = createGenerator(seed + 1)
  let [written, count] = [0, 0]
  let parentUuid: string | null = null
  const line = (type: string, fields: object): string => {
    const uuid = made.uuid()
    const text = `${JSON.stringify({
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/robin/harbour',
      sessionId: session,
      version: '2.1.39',
      gitBranch: 'main',
      type,
      ...fields,
      uuid,
      timestamp: new Date(generatedAtMs + ++count * 1000).toISOString(),
    })}\n`
    parentUuid = uuid
    written += Buffer.byteLength(text)
    return text
  }
  const says = (content: object) =>
    line('assistant', {
      message: {
        id: `msg_${made.uuid()}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-6',
        content: [content],
        stop_reason: null,
        usage: { input_tokens: 4, output_tokens: 120, cache_read_input_tokens: 30_000 },
      },
    })
  while (written < bytes) {
    yield line('user', { message: { role: 'user', content: made.text(200) } })
    for (let nth = 0; nth < callsOfPrompt && written < bytes; nth++) {
      const id = `toolu_${made.uuid()}`
      const stdout = made.text(outputCharacters)
      yield says({ type: 'text', text: made.text(300) })
      yield says({ type: 'tool_use', id, name: 'Bash', input: { command: made.text(80) } })
      yield line('progress', {
        toolUseID: id,
        parentToolUseID: id,
        data: { type: 'hook_progress', hookEvent: 'PreToolUse', command: made.text(60) },
      })
      yield line('user', {
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content: stdout, is_error: false }],
        },
        toolUseResult: { stdout, stderr: '', interrupted: false },
      })
    }
    yield says({ type: 'text', text: made.text(800) })
  }
}
