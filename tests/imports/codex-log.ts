/** Writes rollouts as Codex does, small ones, for tests. */
type Fields = Record<string, unknown>

interface CodexLogOptions {
  /** Fields of the first line. */
  meta?: Fields
  /** `items`: what 2026's versions write; `events`: the older ones, with an event of its own type for each message. */
  style?: 'items' | 'events'
  startMs?: number
}

/** A UUID of version 7 of that moment. */
export function threadIdAt(ms: number, nth = 1): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(nth).padStart(12, '0')}`
}
export const codexStartMs = Date.UTC(2026, 5, 1, 10)

export function codexLog(
  threadId: string,
  { meta = {}, style = 'items', startMs = codexStartMs }: CodexLogOptions = {},
) {
  const lines: string[] = []
  let atMs = startMs
  const total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 }

  function add(type: string, payload: Fields): void {
    atMs += 10
    const ordinal = style === 'items' ? { ordinal: lines.length } : {}
    const timestamp = new Date(atMs).toISOString()
    lines.push(JSON.stringify({ timestamp, ...ordinal, type, payload }))
  }
  const item = (payload: Fields) => add('response_item', payload)
  const event = (payload: Fields) => add('event_msg', payload)
  const done = (completed: Fields) => event({ type: 'item_completed', item: completed })

  add('session_meta', {
    id: threadId,
    timestamp: new Date(startMs).toISOString(),
    cwd: '/code/app',
    originator: 'codex_exec',
    cli_version: '0.166.0',
    source: 'exec',
    model_provider: 'openai',
    git: { branch: 'main' },
    ...meta,
  })

  return {
    lines,
    add,
    item,
    event,
    done,
    raw: (line: string) => lines.push(line),
    /** The next line is written so much later. */
    wait(ms: number) {
      atMs += ms
    },
    turn(model = 'gpt-5.2', turnId = threadIdAt(atMs, 99)) {
      if (style === 'items') event({ type: 'task_started', turn_id: turnId })
      add('turn_context', { turn_id: turnId, cwd: '/code/app', approval_policy: 'never', model })
    },
    prompt(text: string) {
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
      if (style === 'events') event({ type: 'user_message', message: text, images: [] })
      else done({ type: 'UserMessage', content: [{ type: 'text', text }] })
    },
    says(text: string) {
      if (style === 'events') event({ type: 'agent_message', message: text })
      else done({ type: 'AgentMessage', content: [{ type: 'Text', text }] })
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
    },
    thinks(text: string, encrypted = 'opaque') {
      if (style === 'events') event({ type: 'agent_reasoning', text })
      else done({ type: 'Reasoning', summary_text: [text], raw_content: [] })
      item({
        type: 'reasoning',
        summary: [{ type: 'summary_text', text }],
        content: null,
        encrypted_content: encrypted,
      })
    },
    calls(callId: string, name: string, input: Fields, namespace?: string) {
      const call = { type: 'function_call', call_id: callId, name, ...(namespace && { namespace }) }
      item({ ...call, arguments: JSON.stringify(input) })
    },
    script(callId: string, name: string, input: string) {
      item({ type: 'custom_tool_call', call_id: callId, name, input, status: 'completed' })
    },
    returns(callId: string, output: unknown, type = 'function_call_output') {
      item({ type, call_id: callId, output })
    },
    /** What an answer used, as both kinds of records say it. */
    used(input: number, cached: number, output: number) {
      const last = { input_tokens: input, cached_input_tokens: cached, output_tokens: output }
      total.input_tokens += input
      total.cached_input_tokens += cached
      total.output_tokens += output
      if (style === 'items')
        add('token_usage_record', { usage: last, thread_token_usage: { ...total } })
      const info = { total_token_usage: { ...total }, last_token_usage: last }
      event({ type: 'token_count', info, rate_limits: null })
    },
    ends(message: string | null) {
      if (style === 'items') event({ type: 'task_complete', last_agent_message: message })
    },
    text: () => `${lines.join('\n')}\n`,
  }
}

export const rolloutName = (threadId: string, startMs = codexStartMs): string =>
  `rollout-${new Date(startMs).toISOString().slice(0, 19).replaceAll(':', '-')}-${threadId}.jsonl`
/** Where Codex puts it. */
export const rolloutPath = (threadId: string): string =>
  `sessions/2026/06/01/${rolloutName(threadId)}`
