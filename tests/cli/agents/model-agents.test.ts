/** Agents that are models, by the built command line in processes of its own, on a strict fake of the services. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { Report } from '../../../src/shared/records/tasks/reports.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import { providerOf, wires } from '../../agents/model/model-stage.ts'
import { isSoak } from '../../crash/effort.ts'
import { startFakeModels } from '../../fake-models/fake-models.ts'
import type { Wire } from '../../fake-models/models.ts'
import { usualModels } from '../../fake-models/provider-models.ts'
import { call, type Script, say, think } from '../../fake-models/script.ts'
import { casesOf, itInSoak } from '../../soak.ts'
import { jsonLines } from '../fake-process.ts'
import { createSandbox, type Sandbox } from '../processes/shiplog-process.ts'

/** Several processes and Git on a busy machine with two cores. */
const timeoutMs = 240_000

/** In the project as a repository would bring them: two that ask for more than they may have, and a broken one. */
const definitions = {
  '.shiplog/agents/review.md': `---
name: review
description: Reviews as this project wants it.
tools: [read_file, bash, write_file]
permissions: allow-all
---
Look for dates without a zone.
`,
  '.claude/agents/careful.md': `---
name: careful
description: Use it: for what is delicate
tools: Read, Bash, WebSearch
permissionMode: default
model: openai/gpt-6.1-sol
---
Take care.
`,
  '.claude/agents/broken.md': 'no front matter',
}

let box: Sandbox
let project: string
beforeAll(async () => {
  box = await createSandbox()
  project = await box.repository('project', {
    'a.txt': 'one\n',
    'AGENTS.md': 'Be brief.\n',
    ...definitions,
  })
})
afterAll(() => box.remove())

async function fakeFor(wire: Wire, script: Script) {
  const fake = await startFakeModels({ script, key: null })
  onTestFinished(() => fake.stop())
  const model = `${providerOf[wire]}/${usualModels[wire].id}`
  const options = ['--project', project, '--permissions', 'all']
  return {
    fake,
    start: (prompt: string, ...more: string[]) =>
      box.start([
        ...['agent', 'run', prompt, '--model', model, '--base-url', fake.baseURLs[wire]],
        ...[...options, ...more, '--json'],
      ]),
  }
}

type RunEvent =
  | { type: 'task'; task: TaskTree }
  | { type: 'entry'; taskId: string; entry: Entry }
  | { type: 'result'; taskId: string; status: string; report: Report | null }

/** Two others are asked by the tests below; what each wire can do wrong: `tests/agents/model/failures.test.ts`. */
const wiresOfTree = isSoak ? wires : (['google'] as const)

it.each(wiresOfTree)(
  '[G5] a model on the wire %s works with sub-agents of its own, one with its own',
  { timeout: timeoutMs },
  async (wire) => {
    const sub = (marker: string) => ({ agent: 'implement', title: marker, prompt: `${marker} Go.` })
    const { fake, start } = await fakeFor(wire, {
      '[root]': [
        [
          think('Two of them.'),
          call('task', sub('[left]')),
          call('task', sub('[right]')),
          call('no_tool', '{'),
        ].slice(0, wire === 'google' ? 3 : 4),
        [call('task_apply_patch', { task: '[left]' })],
        [think('Done.'), say('All is done.')],
      ],
      '[left]': [
        [think('Look.'), call('read_file', { path: 'a.txt' }), call('list_files', {})],
        [call('edit_file', { path: 'a.txt', oldText: 'one', newText: 'two' })],
        [call('task', sub('[deep]'))],
        [call('agent_report', { title: 'Left', markdown: 'Changed a.txt.' })],
      ],
      '[right]': [
        { status: 429, retryAfter: { ms: 1 } },
        { parts: [say('I begin, and am cut off.')], flaw: { kind: 'disconnect' } },
        [say('This is my answer.')],
        [say('I have nothing to add.')],
      ],
      '[deep]': [[call('agent_report', { title: 'Deep', markdown: 'Nothing.' })]],
    })
    const { code, stdout } = await start('[root] Go.').ended
    expect(fake.refused).toEqual([])
    expect(fake.unused()).toEqual({})
    expect(code).toBe(0)
    const events = jsonLines(stdout) as RunEvent[]
    const last = new Map(
      events.flatMap((one) => (one.type === 'task' ? [[one.task.id, one.task]] : [])),
    )
    const tasks = [...last.values()]
    expect(tasks.map(({ title, status }) => [title, status]).sort()).toEqual([
      ['[deep]', 'completed'],
      ['[left]', 'completed'],
      ['[right]', 'completed'],
      ['[root] Go.', 'completed'],
    ])
    expect(new Set(tasks.map((task) => task.model))).toEqual(
      new Set([`${providerOf[wire]}/${usualModels[wire].id}`]),
    )
    const root = tasks[0] ?? expect.unreachable()
    expect(root.usage).toMatchObject({ complete: true })
    expect(root.usage?.inputTokens).toBeGreaterThan(1_000)
    expect(await readFile(path.join(root.workspace?.path ?? '', 'a.txt'), 'utf8')).toBe('two\n')
    expect(JSON.stringify(fake.requestsOf('[root]')[0]?.body)).toContain('Be brief.')
    // It was asked for its report once, and its last message is that report, marked so (T3).
    const right = tasks.find(({ title }) => title === '[right]') ?? expect.unreachable()
    const report = await box.json<Report>('tasks', 'report', right.id)
    expect(report.reportMarkdown).toMatch(/ended without a report.*I have nothing to add\./s)
    const [given] = fake.requestsOf('[root]').slice(1)
    expect(JSON.stringify(given?.body)).toContain('I have nothing to add.')
  },
)

itInSoak(
  '[P1] sub-agents go by their definitions, and those of a repository only narrow them',
  {
    timeout: timeoutMs,
  },
  async () => {
    const report = call('agent_report', { title: 'Read', markdown: 'No fault.' })
    const { fake, start } = await fakeFor('anthropic', {
      '[defined]': [
        [call('task', { agent: 'reviewer', title: 'Wrong', prompt: '[wrong] Go.' })],
        [call('task', { agent: 'review', title: 'Review', prompt: '[review] Look at a.txt.' })],
        [call('task', { agent: 'careful', title: 'Care', prompt: '[careful] Go.' })],
        [say('All is done.')],
      ],
      '[review]': [
        [
          call('read_file', { path: 'a.txt' }),
          call('bash', { command: 'echo hacked > hacked.txt' }),
          call('task', { agent: 'implement', title: 'Out', prompt: '[out] Go.' }),
        ],
        [report],
      ],
      '[careful]': [[call('bash', { command: 'echo hacked > hacked.txt' })], [report]],
    })
    const { code, stdout, stderr } = await start('[defined] Go.').ended
    expect(fake.refused).toEqual([])
    expect({ code, unused: fake.unused() }, stderr).toEqual({ code: 0, unused: {} })
    const bodies = (marker: string) =>
      fake.requestsOf(marker).map(({ body }) => body as { tools: { name: string }[] })
    const names = (marker: string) => bodies(marker)[0]?.tools.map(({ name }) => name)
    const offered = JSON.stringify(bodies('[defined]')[0]?.tools)
    expect(offered).toContain(
      '- review: Reviews as this project wants it.\\n- careful: Use it: for',
    )
    expect(JSON.stringify(bodies('[defined]')[1])).toContain(
      'There is no agent \\"reviewer\\". The agents are lead, explore, implement, review, careful.',
    )
    expect(names('[review]')).toEqual(['read_file', 'agent_report'])
    expect(JSON.stringify(bodies('[review]')[0])).toContain('Look for dates without a zone.')
    const refusal = (tool: string) =>
      `Not run: the agent \\"review\\" does not have the tool \\"${tool}\\". Its tools: read_file, agent_report.`
    expect(JSON.stringify(bodies('[review]')[1])).toContain(refusal('bash'))
    expect(JSON.stringify(bodies('[review]')[1])).toContain(refusal('task'))
    expect(names('[careful]')).toEqual(
      expect.arrayContaining(['read_file', 'bash', 'agent_report']),
    )
    expect(names('[careful]')).not.toContain('write_file')
    // The whole tree may do everything, but for the agent whose definition says that it asks.
    expect(JSON.stringify(bodies('[careful]')[1])).toContain('nobody can be asked here')
    const events = jsonLines(stdout) as RunEvent[]
    const tasks = new Map(
      events.flatMap((one) => (one.type === 'task' ? [[one.task.id, one.task]] : [])),
    )
    const starts = events.flatMap((one) =>
      one.type === 'entry' && one.entry.type === 'run-start'
        ? ([[one.taskId, one.entry]] as const)
        : [],
    )
    const root = [...tasks.values()][0] ?? expect.unreachable()
    expect(
      starts.map(([, { agent, model, permissions, definition }]) => ({
        agent,
        model,
        permissions,
        source: definition?.source,
      })),
    ).toEqual([
      { agent: 'lead', model: root.model, permissions: 'allow-all', source: 'built-in' },
      {
        agent: 'review',
        model: root.model,
        permissions: 'allow-all',
        source: '.shiplog/agents/review.md',
      },
      {
        agent: 'careful',
        model: root.model,
        permissions: 'ask',
        source: '.claude/agents/careful.md',
      },
    ])
    // What played is kept under the hash of its text.
    const sha256 = starts[1]?.[1].definition?.sha256
    const kept = path.join(box.dataDir, 'sessions', root.id, 'agents', `${sha256}.md`)
    expect(await readFile(kept, 'utf8')).toBe(definitions['.shiplog/agents/review.md'])
    for (const { workspace } of tasks.values())
      if (workspace) expect(existsSync(path.join(workspace.path, 'hacked.txt'))).toBe(false)
    expect(stderr).toContain('.claude/agents/broken.md does not begin with front matter')
  },
)

async function taskCalled(title: string): Promise<TaskTree> {
  const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
  return tasks.find((task) => task.title === title) ?? expect.unreachable()
}

/** Kills the command that runs the tree of this root, and goes on with the tree. */
async function killAndResume(
  running: ReturnType<Sandbox['start']>,
  title: string,
  env?: NodeJS.ProcessEnv,
) {
  running.kill('SIGKILL')
  return resumeAfter(running, title, env)
}

async function resumeAfter(
  running: ReturnType<Sandbox['start']>,
  title: string,
  env?: NodeJS.ProcessEnv,
) {
  await running.ended
  const { id } = await taskCalled(title)
  return box.start(['tasks', 'resume', id, '--tree', '--permissions', 'all', '--force'], { env })
}

const killedAtCompaction = {
  NODE_OPTIONS: `--import=${new URL('kill-at-compaction.ts', import.meta.url)}`,
}

it('[S3] a model whose process is killed in each phase of a turn continues, without repeating a call', {
  timeout: timeoutMs,
}, async () => {
  const log = path.join(box.dir, 'log')
  const note = (word: string) => call('bash', { command: `echo ${word} >> '${log}'` })
  const hold = (word: string) =>
    call('bash', {
      command: `echo hold-${word} >> '${log}'; while [ -d '${box.dir}' ]; do sleep 0.1; done`,
    })
  const { fake, start } = await fakeFor('anthropic', {
    '[killed]': [
      // While it speaks.
      { parts: [think('Hm.'), say('I begin with many words.')], flaw: { kind: 'silence' } },
      // In a call, after another.
      [think('First this.'), note('one'), hold('root')],
      // While it waits for the next attempt.
      { status: 429, retryAfter: { seconds: 200 } },
      // While its sub-agent works.
      [think('Ask.'), call('task', { agent: 'implement', title: 'Help', prompt: '[help] Go.' })],
      [say('All is done.')],
    ],
    '[help]': [
      [think('So.'), note('help'), hold('help')],
      [call('agent_report', { title: 'Helped', markdown: 'I helped.' })],
    ],
  })
  let running = start('[killed] Go.')
  const kill = () => killAndResume(running, '[killed] Go.')
  const logged = async (word: string) =>
    vi.waitUntil(async () => existsSync(log) && (await readFile(log, 'utf8')).includes(word), {
      timeout: timeoutMs,
      interval: 20,
    })
  await fake.until(([first]) => first?.status === 200)
  running = await kill()
  await logged('hold-root')
  running = await kill()
  await fake.until((requests) => requests[2]?.status === 429)
  running = await kill()
  await logged('hold-help')
  running = await kill()
  const { code, stderr } = await running.ended
  expect(fake.refused).toEqual([])
  expect({ code, unused: fake.unused() }, stderr).toEqual({ code: 0, unused: {} })
  expect((await readFile(log, 'utf8')).trim().split('\n')).toEqual([
    'one',
    'hold-root',
    'help',
    'hold-help',
  ])
  // The cut turn came back as it was: its reasoning had been written before its first call was made.
  const [, , resumed] = fake.requestsOf('[killed]')
  expect(JSON.stringify(resumed?.body)).toContain('"tool_use"')
  expect(JSON.stringify(resumed?.body)).toContain('"signature"')
  const [last] = fake.requestsOf('[killed]').slice(-1)
  expect(JSON.stringify(last?.body)).toContain('I helped.')
})

itInSoak(
  '[Q1] tries again when a user asks for it, before the time that the provider named',
  {
    timeout: timeoutMs,
  },
  async () => {
    const { fake, start } = await fakeFor('anthropic', {
      '[try now]': [{ status: 429, retryAfter: { seconds: 250 } }, [say('Here.')]],
    })
    const running = start('[try now] Go.')
    await running.printed('"type":"retrying"')
    const { id } = await taskCalled('[try now] Go.')
    expect(await box.json('tasks', 'try-now', id)).toEqual({ trying: [id] })
    expect(await running.ended).toMatchObject({ code: 0 })
    expect(fake.refused).toEqual([])
    expect(await box.run('tasks', 'try-now', id)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('"[try now] Go." does not wait to try again.'),
    })
  },
)

/** Their core: `tests/agents/model/compaction.test.ts`, in one process. */
it.each(casesOf(wires, () => false))(
  '[S3] a model on the wire %s whose process is killed around a summary goes by it once it is recorded, and repeats no call',
  {
    timeout: timeoutMs,
  },
  async (wire) => {
    const title = `[summary ${wire}] Go.`
    const log = path.join(box.dir, `summary-${wire}`)
    const note = (word: string) => call('bash', { command: `echo ${word} >> '${log}'` })
    const { fake, start } = await fakeFor(wire, {
      [`[summary ${wire}]`]: [
        [think('First this.'), note('one')],
        { promptTooLong: true },
        // While the summary is written.
        { parts: [say('## Task, and many words')], flaw: { kind: 'silence' } },
        { promptTooLong: true },
        // Between its end and its entry.
        [say('## Done\nNot recorded.')],
        { promptTooLong: true },
        [say('## Done\nThe summary.')],
        // In the first turn that goes by it.
        { parts: [say('I go on with many words.')], flaw: { kind: 'silence' } },
        [think('Then this.'), note('two')],
        [say('All is done.')],
      ],
    })
    const isSummary = (index: number) =>
      JSON.stringify(fake.requests[index]?.body ?? '').includes('Write that summary now')
    let running = start(title)
    await fake.until((requests) => requests.length === 3 && requests[2]?.status === 200)
    running = await killAndResume(running, title, killedAtCompaction)
    running = await resumeAfter(running, title)
    await fake.until((requests) => requests.length === 8 && requests[7]?.status === 200)
    running = await killAndResume(running, title)
    const { code, stderr } = await running.ended
    expect(fake.refused).toEqual([])
    expect({ code, unused: fake.unused() }, stderr).toEqual({ code: 0, unused: {} })
    expect((await readFile(log, 'utf8')).trim().split('\n')).toEqual(['one', 'two'])
    expect(fake.requests.map((_, index) => isSummary(index))).toEqual(
      [2, 4, 6].reduce((all, at) => all.with(at, true), Array<boolean>(10).fill(false)),
    )
    // Until a summary is recorded, the turn before it is told as it was; then only the summary is.
    for (const index of [3, 5])
      expect(JSON.stringify(fake.requests[index]?.body)).toContain('echo one')
    expect(JSON.stringify(fake.requests.map(({ body }) => body))).not.toContain('Not recorded.')
    for (const request of fake.requests.slice(7)) {
      expect(JSON.stringify(request.body)).toContain('The summary.')
      expect(JSON.stringify(request.body)).not.toContain('echo one')
      expect(JSON.stringify(request.body)).toContain(title)
    }
    const { id } = await taskCalled(title)
    const { entries } = await box.json<{ entries: Entry[] }>('transcripts', 'show', id)
    expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1)
  },
)

itInSoak(
  '[Q2] a tree whose budget is used up ends before its next request, with that cause, and continues with another budget',
  {
    timeout: timeoutMs,
  },
  async () => {
    const { fake, start } = await fakeFor('chat', {
      '[budget]': [[call('read_file', { path: 'a.txt' })], [say('Done.')]],
    })
    const spent = await start('[budget] Go.', '--budget-tokens', '10').ended
    expect(spent.code).toBe(1)
    expect(fake.requests).toHaveLength(1)
    const { taskId } = jsonLines(spent.stdout).at(-1) as { taskId: string }
    const listed = await box.run('tasks', 'list', '--json')
    const { tasks } = JSON.parse(listed.stdout) as { tasks: (TaskTree & { error: string })[] }
    const task = tasks.find(({ id }) => id === taskId)
    expect(task).toMatchObject({ status: 'interrupted', cause: { kind: 'budget' } })
    const resume = ['agent', 'run', '--resume', taskId, '--budget-tokens', '1000000', '--json']
    expect(await box.run(...resume)).toMatchObject({ code: 0 })
    expect(fake.requests).toHaveLength(2)
    const unpriced = await start('[budget] Go.', '--budget-usd', '5').ended
    expect(unpriced).toMatchObject({ code: 2, stderr: expect.stringContaining('no known price') })
  },
)

itInSoak(
  '[K1] asks with the key in the variable that --key-env names, and keeps the name alone',
  {
    timeout: timeoutMs,
  },
  async () => {
    const key = 'planted-0123456789'
    const fake = await startFakeModels({
      key,
      script: {
        '[key]': [
          [call('bash', { command: 'echo "<$MY_ACCESS>"' })],
          [call('task', { agent: 'implement', title: 'Sub', prompt: '[sub] Go.' })],
          [say('Done.')],
          // The history that it goes on from begins with the same marker.
          [say('Went on.')],
        ],
        '[sub]': [[call('agent_report', { title: 'Sub', markdown: 'Done.' })]],
      },
    })
    onTestFinished(() => fake.stop())
    const env = { MY_ACCESS: key }
    const flags = ['--base-url', fake.baseURLs.chat, '--key-env', 'MY_ACCESS']
    const model = `openai-compatible/${usualModels.chat.id}`
    const asked = ['agent', 'run', '[key] Go.', '--project', project, '--model', model, ...flags]
    const { code, stdout, stderr } = await box.start([...asked, '--permissions', 'all', '--json'], {
      env,
    }).ended
    expect({ code, refused: fake.refused }, stderr).toEqual({ code: 0, refused: [] })
    expect(stdout).toContain('<>')
    const { taskId } = jsonLines(stdout).at(-1) as { taskId: string }
    // The same environment needs no flag.
    const more = await box.start(['tasks', 'continue', taskId, 'Go on.', '--json'], { env }).ended
    expect(more.code, more.stderr).toBe(0)
    expect(fake.unused()).toEqual({})
    const without = await box.start(['tasks', 'continue', taskId, 'Go on.']).ended
    expect(without.code).not.toBe(0)
    expect(without.stderr).toContain('MY_ACCESS')
    const ledger = await readFile(path.join(box.dataDir, 'ledger.jsonl'), 'utf8')
    expect(ledger).toContain('"keyEnv":"MY_ACCESS"')
    expect(ledger + stdout + stderr + more.stdout + more.stderr).not.toContain(key)

    for (const wrong of [key, 'AIzaSyPlanted0123456789']) {
      const refused = await box.start([...asked.slice(0, -1), wrong]).ended
      expect(refused.code).toBe(2)
      expect(refused.stdout + refused.stderr).not.toContain(wrong)
    }
  },
)
