import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rangesOf } from '../../src/main/export/formats/agent-trace.ts'
import { checkExport } from '../../src/main/export/read-export.ts'
import { atifAdapter } from '../../src/main/imports/adapters/atif/index.ts'
import { claudeCodeAdapter } from '../../src/main/imports/adapters/claude-code/index.ts'
import type { ExportFormat } from '../../src/shared/contract/exports.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { runToEnd } from '../cli/fake-process.ts'
import { entriesOf, start, taskOf, temporaryDir, untilQuiet } from '../harness.ts'
import { readSessions } from '../imports/read-session.ts'
import { preparedFixture } from '../prepared-fixture.ts'
import { atifTrajectory, claudeCodeLine } from './published-shapes.ts'
import {
  agentTraceRecord,
  genAiInput,
  genAiOutput,
  genAiSpan,
  otlpTraces,
  valuesOf,
} from './published-traces.ts'

const key = `sk-ant-${'a1B2'.repeat(8)}`

/** A lead with a secret in its report, and a sub-agent that printed much. */
const scenario = `
version: 1
name: exported
agents:
  lead:
    turns:
      - think: The albatross.
      - say: Starting a helper.
      - call: task
        with: { agent: helper, title: Helping, prompt: Look for the puffin in /home/grace/nest }
      - report: { title: Talked, markdown: "The albatross flew with ${key}." }
  helper:
    turns:
      - call: bash
        with: { command: "seq 1 30000 | sed 's/$/ gannet/'; echo last-of-the-output" }
      - call: write_file
        with: { path: src/puffin.txt, content: "beak\\nwings\\n" }
      - report: { title: Found, markdown: A puffin was there. }
`

const exported = preparedFixture(async (fixture) => {
  const lead = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  return { lead, helper: (await taskOf(fixture.shiplog, 'Helping')).id }
})

type Request = { format: ExportFormat } & Record<string, unknown>

async function textOf(
  { fixture }: Awaited<ReturnType<typeof exported>>,
  taskId: TaskId,
  request: Request,
) {
  const events = await fixture.shiplog.client.exports.read({ taskId, ...request })
  let text = ''
  for await (const event of events) if (event.type === 'text') text += event.text
  return text
}

async function checkOf(text: string, name = 'export.jsonl') {
  const file = join(await temporaryDir(), name)
  await writeFile(file, text)
  return { file, ...(await checkExport(file)) }
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('Markdown', () => {
  it('[E1] is one document: the sub-agent after the turn that started it, outputs limited, secrets masked', async () => {
    const made = await exported()
    const text = await textOf(made, made.lead, { format: 'md' })
    expect(text).toMatch(/^# Do it\n/)
    const order = ['## Prompt', 'Starting a helper', '### Helping', '#### Turn 1', 'End of Helping']
    const places = order.map((part) => text.indexOf(part))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(text).toContain('characters left out …]')
    expect(text).toContain('[hidden: key]')
    expect(text).toContain('~/nest')
    for (const secret of [key, 'grace']) expect(text).not.toContain(secret)

    const summary = await textOf(made, made.lead, { format: 'md', children: 'summary' })
    expect(summary).toContain('### Helping')
    expect(summary).toContain('> A puffin was there.')
    expect(summary).not.toContain('gannet')
    const none = await textOf(made, made.lead, { format: 'md', children: 'none' })
    expect(none).not.toContain('### Helping')
    const whole = await textOf(made, made.helper, { format: 'md', outputs: 'whole' })
    expect(whole).toContain('15000 gannet')
    const turns = await textOf(made, made.lead, { format: 'md', fromTurn: 2, throughTurn: 2 })
    expect(turns).toContain('Starting a helper')
    for (const other of ['The albatross.', 'The albatross flew']) expect(turns).not.toContain(other)
    const first = await textOf(made, made.lead, { format: 'md', throughTurn: 1 })
    expect(first).toContain('## Prompt')
    expect(first).not.toContain('Starting a helper')
    await expect(textOf(made, made.lead, { format: 'md', fromTurn: 99 })).rejects.toThrow(
      'This transcript has no turn 99.',
    )
    const part = await textOf(made, made.lead, { format: 'md', fromSeq: 3, throughSeq: 3 })
    expect(part.match(/entries not in this export/g)).toHaveLength(2)
    expect(part).not.toContain('puffin')
  })
})

describe('JSONL', () => {
  it('[E1] holds the lines of every journal, which verify proves, and their files', async () => {
    const made = await exported()
    const text = await textOf(made, made.lead, { format: 'jsonl', redact: false })
    const journal = join(made.fixture.dataDir, 'sessions', made.lead, 'chat.jsonl')
    expect(text).toContain(await readFile(journal, 'utf8'))
    const { file, ...check } = await checkOf(text)
    expect(check).toMatchObject({ tasks: 2, withheld: 0, redacted: 0, problems: [] })
    const all = [made.lead, made.helper].map((id) => entriesOf(made.fixture.shiplog, id))
    expect(check.records).toBe((await Promise.all(all)).flat().length)
    expect(await runToEnd(['verify', file])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^In order: \d+ records of 2 tasks, and 0 withheld\. /),
    })
  })

  it('[E1] keeps the chain across masked records: a stub, and a readable copy', async () => {
    const made = await exported()
    const text = await textOf(made, made.lead, { format: 'jsonl' })
    for (const secret of [key, 'grace']) expect(text).not.toContain(secret)
    const { withheld, redacted, problems, records, file } = await checkOf(text)
    expect(problems).toEqual([])
    expect(withheld).toBe(redacted)
    expect(Math.min(withheld, records)).toBeGreaterThan(0)
    const { stdout } = await runToEnd(['verify', file, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, withheld, redacted, tasks: 2 })
    const copies = linesOf(text).filter(({ shiplog }) => shiplog === 'redacted')
    expect(JSON.stringify(copies)).toContain('[hidden: key]')

    const part = await checkOf(
      await textOf(made, made.lead, { format: 'jsonl', throughSeq: 3, children: 'none' }),
    )
    expect(part).toMatchObject({ problems: [], tasks: 1 })
    expect(part.records + part.redacted).toBe(3)
  })

  it('[E1] shows every change of an exported file, and that its end is missing', async () => {
    const made = await exported()
    const text = await textOf(made, made.lead, { format: 'jsonl' })
    const lines = text.trimEnd().split('\n')
    const problemsOf = async (changed: string[]) =>
      (await checkOf(`${changed.join('\n')}\n`)).problems
    for (const at of lines.keys()) {
      const without = lines.toSpliced(at, 1)
      expect(await problemsOf(without), `without line ${at + 1}`).not.toEqual([])
    }
    const record = lines.findIndex((line) => line.startsWith('{"v":1') && line.includes('title'))
    const changed = lines.with(record, (lines[record] ?? '').replace('"title":"', '"title":"x'))
    expect(await problemsOf(changed)).toContainEqual({
      line: record + 1,
      reason: expect.stringContaining('bad checksum'),
    })
    expect(await problemsOf(lines.with(record, lines[record + 1] ?? ''))).not.toEqual([])
    expect((await checkOf('{"shiplog":"export","version":2}\n')).problems[0]?.reason).toContain(
      'newer version (2)',
    )
  })
})

it('[E1] is the same as JSON and as JSONL, even if the document was reformatted', async () => {
  const made = await exported()
  const lines = await checkOf(await textOf(made, made.lead, { format: 'jsonl' }))
  const text = await textOf(made, made.lead, { format: 'json' })
  const { tasks, records, withheld, redacted } = lines
  for (const document of [text, JSON.stringify(JSON.parse(text), null, 2)])
    expect(await checkOf(document, 'export.json')).toMatchObject({
      tasks,
      records,
      withheld,
      redacted,
      problems: [],
    })
  const damaged = text.replace('"type":"title"', '"type":"tilte"')
  expect((await checkOf(damaged, 'export.json')).problems).not.toEqual([])
  expect((await checkOf(text.slice(0, -20), 'export.json')).problems).not.toEqual([])
  // The document has no hash of its bytes: the chain of the records shows that two changed places.
  const moved = JSON.parse(text)
  const { content } = moved.tasks[1]
  const [at = -1, next = -1] = content.flatMap((one: { v?: number }, index: number) =>
    one.v === 1 ? [index] : [],
  )
  const [first, second] = [content[at], content[next]]
  content.splice(at, 1, second)
  content.splice(next, 1, first)
  expect((await checkOf(JSON.stringify(moved), 'export.json')).problems).toContainEqual({
    line: expect.any(Number),
    reason: expect.stringContaining('does not follow'),
  })
})

it('[E1] is a page that begins with contents and the report, with each sub-agent folded', async () => {
  const made = await exported()
  const page = await textOf(made, made.lead, { format: 'html' })
  const at = (part: string) => {
    expect(page).toContain(part)
    return page.indexOf(part)
  }
  const child = `task-${made.helper.slice(0, 8)}`
  const order = [
    at(`href="#${child}"`),
    at('id="report"'),
    at('The albatross flew'),
    at('id="transcript"'),
    at(`<details class="child" id="${child}">`),
    at(`id="${child}-seq-`),
  ]
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(page).not.toContain('/home/grace')
})

it('[K4] previews each value with its places and the size, and writes the chosen ones', async () => {
  const made = await exported()
  const { client } = made.fixture.shiplog
  const request = { taskId: made.lead, format: 'md' } as const
  const preview = await client.exports.preview(request)
  const hit = preview.hits.find(({ match }) => match === key)
  expect(hit).toMatchObject({ kind: 'key', mark: '[hidden: key]', kept: false })
  expect(hit?.places[0]).toMatchObject({
    taskId: made.lead,
    before: expect.stringMatching(/with $/),
  })
  expect(preview).toMatchObject({
    tasks: 2,
    withheld: 0,
    fileName: expect.stringMatching(/^do-it-.*\.md$/),
  })
  expect(preview.bytes).toBe(Buffer.byteLength(await textOf(made, made.lead, { format: 'md' })))
  const kept = await textOf(made, made.lead, { format: 'md', keep: [hit?.id ?? ''] })
  expect(kept).toContain(key)
  expect(kept).not.toContain('grace')
})

it('[E1] is a valid ATIF-v1.7 trajectory: the sub-agent embedded, and referred to by the result of its call', async () => {
  const made = await exported()
  const text = await textOf(made, made.lead, { format: 'atif' })
  const root = atifTrajectory.parse(JSON.parse(text))
  expect(root).toMatchObject({
    trajectory_id: made.lead,
    agent: { name: 'lead' },
    subagent_trajectories: [{ trajectory_id: made.helper, session_id: made.lead }],
  })
  const [refs] = root.steps.flatMap(
    ({ observation }) =>
      observation?.results.flatMap((one) => one.subagent_trajectory_ref ?? []) ?? [],
  )
  expect(refs).toMatchObject({ trajectory_id: made.helper })
  expect(root.steps[0]).toMatchObject({ source: 'user', message: 'Do it' })
  expect(text).toContain('characters left out …]')
  for (const secret of [key, 'grace']) expect(text).not.toContain(secret)
  // It can be read again: the sub-agent below the call that started it.
  const file = join(await temporaryDir(), 'export.json')
  await writeFile(file, text)
  const [again] = await readSessions(atifAdapter, file)
  expect(again?.tasks).toMatchObject([
    { id: made.lead, title: 'Do it', agent: 'lead', counts: { damaged: 0, foreign: 0 } },
    { title: 'Helping', callId: expect.any(String), report: expect.any(String) },
  ])
  expect(again?.links).toEqual({ linked: 1, unlinked: 0, orphaned: 0, missing: 0 })
  const summary = JSON.parse(await textOf(made, made.lead, { format: 'atif', children: 'summary' }))
  expect(atifTrajectory.parse(summary).subagent_trajectories).toMatchObject([
    { steps: [{ source: 'user' }, { source: 'agent', message: 'A puffin was there.' }] },
  ])
})

it('[E1] has the lines that viewers of Claude Code’s sessions read, each call with its result', async () => {
  const made = await exported()
  const text = await textOf(made, made.lead, { format: 'claude-code' })
  const lines = linesOf(text).map((line) => claudeCodeLine.parse(line))
  const messages = lines.flatMap((line) => (line.type === 'summary' ? [] : [line]))
  for (const chain of [false, true]) {
    const own = messages.filter(({ isSidechain }) => isSidechain === chain)
    expect(own.map(({ parentUuid }) => parentUuid)).toEqual([
      null,
      ...own.slice(0, -1).map(({ uuid }) => uuid),
    ])
    const content = own.flatMap(({ message }) => message.content)
    const calls = content.flatMap((one) => (one.type === 'tool_use' ? [one.id] : []))
    const results = content.flatMap((one) => (one.type === 'tool_result' ? [one.tool_use_id] : []))
    expect(results).toEqual(calls)
    expect(calls.length).toBeGreaterThan(0)
  }
  for (const secret of [key, 'grace']) expect(text).not.toContain(secret)
})

it('[E1] is read as a session of Claude Code: tools, edits, and sub-agents with their titles and reports', async () => {
  const made = await exported()
  const text = await textOf(made, made.lead, { format: 'claude-code' })
  const file = join(await temporaryDir(), `${made.lead}.jsonl`)
  await writeFile(file, text)
  const [again] = await readSessions(claudeCodeAdapter, file)
  expect(again?.tasks).toMatchObject([
    { title: 'Do it', isComplete: true, counts: { damaged: 0 } },
    {
      title: 'Helping',
      agent: 'helper',
      isComplete: true,
      report: '# Found\n\nA puffin was there.',
      edited: [{ path: expect.stringMatching(/\/src\/puffin\.txt$/) }],
    },
  ])
  expect(again?.links).toEqual({ linked: 1, unlinked: 0, orphaned: 0, missing: 0 })
  const entries = again?.entriesOf(made.helper.slice(0, 8)) ?? []
  const calls = entries.flatMap((entry) => (entry.type === 'tool-call' ? [entry.name] : []))
  expect(calls).toEqual(['bash', 'write_file', 'agent_report'])
  const details = entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.detail] : []))
  expect(details[1]).toMatchObject({ kind: 'edit', change: 'created', additions: 2 })
  // Names that its viewers know.
  const names = linesOf(text).flatMap((line) => {
    const parsed = claudeCodeLine.parse(line)
    const content = parsed.type === 'summary' ? [] : parsed.message.content
    return content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
  })
  expect(names).toEqual(['Task', 'agent_report', 'Bash', 'Write', 'agent_report'])
  const brief = await textOf(made, made.lead, { format: 'claude-code', children: 'summary' })
  expect(brief).not.toContain('"agentId"')
})

describe('OTLP', () => {
  const spansOf = (text: string) =>
    otlpTraces
      .parse(JSON.parse(text))
      .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

  it('[E1] is a valid trace by the conventions it names: a span for every agent, turn and call', async () => {
    const made = await exported()
    const text = await textOf(made, made.lead, { format: 'otlp' })
    expect(text).toMatch(/semantic-conventions-genai\/tree\/[0-9a-f]{40}/)
    const spans = spansOf(text)
    const told = spans.map((span) => ({
      ...span,
      told: genAiSpan.parse(valuesOf(span.attributes)),
    }))
    const all = [made.lead, made.helper].map((id) => entriesOf(made.fixture.shiplog, id))
    const entries = (await Promise.all(all)).flat()
    const counts = (name: string) =>
      told.filter(({ told }) => told['gen_ai.operation.name'] === name).length
    expect(counts('invoke_agent')).toBe(2)
    expect(counts('execute_tool')).toBe(entries.filter(({ type }) => type === 'tool-call').length)
    expect(counts('chat')).toBe(
      entries.filter((entry) => entry.type === 'message' && entry.role === 'assistant').length,
    )
    // The sub-agent is below the call that started it, and that one below the root.
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const helper = spans.find(({ name }) => name === 'invoke_agent helper')
    const call = byId.get(helper?.parentSpanId ?? '')
    expect(call?.name).toBe('execute_tool task')
    expect(byId.get(call?.parentSpanId ?? '')).toMatchObject({ name: 'invoke_agent lead' })
    for (const secret of [key, 'grace', 'albatross', 'gannet']) expect(text).not.toContain(secret)
    expect(await textOf(made, made.lead, { format: 'otlp' })).toBe(text)
  })

  it('[E1] has prompts, messages, inputs and outputs on request, in the form of the conventions', async () => {
    const made = await exported()
    const text = await textOf(made, made.lead, { format: 'otlp', content: true })
    const told = spansOf(text).map(({ attributes }) => genAiSpan.parse(valuesOf(attributes)))
    const chats = told.filter((one) => one['gen_ai.operation.name'] === 'chat')
    const input = chats.map((one) =>
      genAiInput.parse(JSON.parse(`${one['gen_ai.input.messages']}`)),
    )
    const output = chats.map((one) =>
      genAiOutput.parse(JSON.parse(`${one['gen_ai.output.messages']}`)),
    )
    expect(input[0]?.[0]).toMatchObject({ role: 'user', parts: [{ content: 'Do it' }] })
    expect(JSON.stringify(output)).toContain('The albatross.')
    expect(JSON.stringify(told)).toContain('gannet')
    for (const secret of [key, 'grace']) expect(text).not.toContain(secret)
  })
})

it('[E1] is a valid Agent Trace: the lines that each agent wrote, with their hash and a link to the entry', async () => {
  const made = await exported()
  const text = await textOf(made, made.lead, { format: 'agent-trace' })
  const [lead, helper] = linesOf(text).map((line) => agentTraceRecord.parse(line))
  expect(lead).toMatchObject({ id: made.lead, files: [] })
  expect(helper).toMatchObject({
    version: '0.1.0',
    id: made.helper,
    vcs: { type: 'git' },
    tool: { name: 'shiplog' },
    files: [
      {
        path: 'src/puffin.txt',
        conversations: [
          {
            url: expect.stringMatching(`^shiplog://task/${made.helper}\\?seq=\\d+$`),
            contributor: { type: 'ai' },
            ranges: [
              { start_line: 1, end_line: 2, content_hash: expect.stringMatching(/^sha256:/) },
            ],
          },
        ],
      },
    ],
  })
})

it('[E1] distinguishes lines of the agent from lines that others edited too', () => {
  const lines = ['mine\n', 'theirs\n', 'both\n', 'mine\n', 'mine']
  const authors = [5, 7, 2, 2, 10]
  const known = { agentChars: 17, otherChars: 9, authors }
  expect(rangesOf(lines, known)).toEqual([
    { start: 1, end: 1, author: 'ai' },
    { start: 3, end: 3, author: 'mixed' },
    { start: 4, end: 5, author: 'ai' },
  ])
  expect(rangesOf(lines, { agentChars: 17, otherChars: 9 })).toEqual([
    { start: 1, end: 5, author: 'mixed' },
  ])
  expect(rangesOf([], { agentChars: 0, otherChars: 0, authors: [] })).toEqual([])
})
