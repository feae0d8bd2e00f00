/** Agents whose process is killed, taken up again by the command line in processes of its own. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TranscriptPage } from '../../../src/shared/contract/workspace.ts'
import { thePerson } from '../../../src/shared/records/drift.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import { jsonLines } from '../fake-process.ts'
import { createSandbox, type Sandbox } from './shiplog-process.ts'

/** Several processes and Git on a busy machine with two cores. */
const timeoutMs = 120_000

/**
 * The commands themselves are tried on the services (`tests/tasks/resume/resume.test.ts`) and on a fake of them
 * (`resume.test.ts`), and that a killed process is resumed by another in `model-agents.test.ts` and
 * `tests/crash/resume-kills.test.ts`: all of it together is the soak's.
 */
const inProcesses = (name: string, work: () => Promise<void>) =>
  it(name, { timeout: timeoutMs }, work)

let box: Sandbox
let project: string
beforeEach(async () => {
  box = await createSandbox()
  project = await box.repository('project')
})
afterEach(() => box.remove())

const logFile = () => path.join(box.dir, 'log')
const logged = async () => (await readFile(logFile(), 'utf8')).trimEnd().split('\n').sort()
const note = (word: string) => `{ call: bash, with: { command: "echo ${word} >> '${logFile()}'" } }`
/** A call that is under way until `go` is there, or its folder no more. */
const hold = () =>
  `{ call: bash, with: { command: "while [ ! -e '${box.dir}/go' ] && [ -d '${box.dir}' ]; do sleep 0.1; done" } }`
const letGo = () => box.file('go', '')

const agent = (name: string, turns: string[]) =>
  `  ${name}:\n    turns:\n${turns.map((turn) => `      - ${turn}\n`).join('')}`
const scenario = (...agents: string[]) =>
  box.file('play.yaml', `version: 1\nname: play\nagents:\n${agents.join('')}`)

/** A lead awaits two sub-agents, and a third that waits for the first; each notes what it does. */
async function crew(): Promise<string> {
  const start = (name: string, more = '') =>
    `{ call: task, with: { agent: ${name}, title: ${name}, prompt: Go, background: true${more} } }`
  const worker = (name: string) =>
    agent(name, [
      note(`${name}-before`),
      hold(),
      note(`${name}-after`),
      `report: { title: ${name} done, markdown: Report of ${name}. }`,
    ])
  return scenario(
    agent('lead', [
      note('lead-before'),
      start('left'),
      start('right'),
      start('last', ', dependsOn: [left]'),
      '{ call: task_await, with: { tasks: all } }',
      note('lead-after'),
      'report: { title: Done, markdown: All of it. }',
    ]),
    worker('left'),
    worker('right'),
    worker('last'),
  )
}
const wholeLog = ['last', 'lead', 'left', 'right'].flatMap((one) => [
  `${one}-after`,
  `${one}-before`,
])

/** Begins an agent and kills its process once standard error has said all of this. */
async function killWhen(file: string, ...said: string[]): Promise<void> {
  const cli = box.start(['agent', 'run', 'Do it', '--project', project, '--scenario', file])
  for (const text of said) await cli.said(text)
  cli.kill('SIGKILL')
  await cli.ended
}
const killCrew = async () =>
  killWhen(
    await crew(),
    mark('left', '→ bash while'),
    mark('right', '→ bash while'),
    mark('lead', '→ task_await all'),
  )
/** As progress marks who does what; a root's title is its prompt. */
const mark = (title: string, text: string) =>
  `${(title === 'lead' ? 'Do it' : title).padEnd(18)} │ ${text}`

const flat = (task: TaskTree): TaskTree[] => [task, ...task.children.flatMap(flat)]
async function tasks(): Promise<Record<string, TaskTree>> {
  const listed = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
  return Object.fromEntries(listed.tasks.flatMap(flat).map((task) => [task.title, task]))
}
async function statuses(): Promise<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(await tasks()).map(([title, one]) => [title, one.status]),
  )
}

describe('a tree whose process was killed', () => {
  it(
    '[S1] [S3] is resumed one by one and as a whole; nothing runs twice, and nobody is begun too early',
    async () => {
      await killCrew()
      const look = await box.run('tasks', 'resume', '--dry-run')
      expect(look.code).toBe(0)
      expect(look.stdout).toMatch(/❚❚ interrupted (left|right) /)
      expect(look.stdout).toMatch(/`while .*` was running when it stopped; its result is unknown/)
      const before = await statuses()
      expect(before).toEqual({
        'Do it': 'interrupted',
        left: 'interrupted',
        right: 'interrupted',
        last: 'queued',
      })
      const noted = await logged()

      await letGo()
      const { right } = await tasks()
      const one = await box.run('tasks', 'resume', right?.id.slice(0, 8) ?? '')
      expect(one).toMatchObject({ code: 0, stdout: 'Report of right.\n' })
      expect(one.stderr).toMatch(/not resumed: Do it .*left/)
      expect(await statuses()).toEqual({ ...before, right: 'completed' })
      expect(await logged()).toEqual([...noted, 'right-after'].sort())

      const rest = await box.json<{ resumed: { title: string; status: string; run: number }[] }>(
        ...['tasks', 'resume', '--tree'],
      )
      expect(rest.resumed).toMatchObject([
        { title: 'Do it', status: 'completed', run: 2 },
        { title: 'left', status: 'completed', run: 2 },
        { title: 'last', status: 'completed', run: 1 },
      ])
      expect(await logged()).toEqual(wholeLog)
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['completed']))
      // The lead awaited the last of them, too.
      expect(await readFile(logFile(), 'utf8')).toMatch(/lead-after\n$/)

      const again = await box.run('tasks', 'resume', right?.id ?? '')
      expect(again.code).toBe(5)
      expect(again.stderr).toMatch(/completed on \w{3} \d.*\n {2}shiplog tasks continue \w{8}/)
      expect((await box.run('tasks', 'resume')).code).toBe(3)
    },
    timeoutMs,
  )

  inProcesses(
    'is resumed as a batch, and then by agent run --resume, with the events of its new runs',
    async () => {
      await killCrew()
      await letGo()
      const batch = await box.run('tasks', 'resume', '--batch')
      expect({ code: batch.code, log: await logged() }).toEqual({
        code: 0,
        log: wholeLog.filter((word) => word !== 'lead-after'),
      })
      expect(batch.stdout).toMatch(
        /✓ completed +left .*\n✓ completed +right .*\n✓ completed +last /,
      )

      const { 'Do it': lead } = await tasks()
      const before = await transcript(lead?.id ?? '')
      const argv = [
        'agent',
        'run',
        'And be quick',
        '--resume',
        lead?.id.slice(0, 6) ?? '',
        '--json',
      ]
      const { code, stdout } = await box.run(...argv)
      expect(code).toBe(0)
      const events = jsonLines(stdout)
      expect(events.at(-1)).toMatchObject({
        type: 'result',
        taskId: lead?.id,
        status: 'completed',
        report: { reportMarkdown: 'All of it.' },
      })
      const after = await transcript(lead?.id ?? '')
      const told = events.flatMap((one) => (one.type === 'entry' ? [one.entry] : []))
      expect(told).toEqual(after.slice(before.length))
      expect(after).toContainEqual(
        expect.objectContaining({ role: 'user', parts: [{ type: 'text', text: 'And be quick' }] }),
      )
      expect(await logged()).toEqual(wholeLog)
    },
  )
})

const transcript = async (id: string) =>
  (await box.json<TranscriptPage>('transcripts', 'show', id)).entries

inProcesses('[S2] conflicts end a resume with 5 and change nothing; --force goes on', async () => {
  // No command of its own is under way: what changes then may be its work.
  const file = await scenario(
    agent('lead', [
      '{ call: write_file, with: { path: notes.md, content: "Mine.\\n" } }',
      '{ call: task, with: { agent: child, title: child, prompt: Go } }',
      'report: { title: Done, markdown: All of it. }',
    ]),
    agent('child', [hold(), 'report: { title: Done, markdown: Some of it. }']),
  )
  await killWhen(file, mark('child', '→ bash while'))
  const { 'Do it': lead } = await tasks()
  const theirs = path.join(lead?.workspace?.path ?? '', 'notes.md')
  await writeFile(theirs, 'Yours.\n')
  await letGo()
  for (const more of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await box.run('tasks', 'resume', '--tree', ...more)
    expect(code).toBe(5)
    expect(stdout + stderr).toContain('You changed 1 file that it worked on: notes.md.')
  }
  const refused = await box.run('tasks', 'resume', lead?.id ?? '', '--json')
  expect(JSON.parse(refused.stdout).resumed).toMatchObject([
    {
      taskId: lead?.id,
      run: 1,
      drift: { conflicts: [{ path: 'notes.md', changedBy: thePerson }] },
    },
  ])
  expect(await tasks()).toMatchObject({ 'Do it': lead })
  const forced = await box.run('agent', 'run', '--resume', lead?.id ?? '', '--force')
  expect(forced).toMatchObject({ code: 0, stdout: 'All of it.\n' })
  expect(await readFile(theirs, 'utf8')).toBe('Yours.\n')
  expect((await box.run('tasks', 'abandon', lead?.id ?? '')).code).toBe(5)
})

inProcesses(
  'abandon gives an interrupted one up; continue goes on from it with its files and history',
  async () => {
    const file = await scenario(
      agent('lead', [
        '{ call: write_file, with: { path: notes.md, content: "Mine.\\n" } }',
        hold(),
        `{ call: bash, with: { command: "cat notes.md >> '${logFile()}'" } }`,
        'report: { title: Done, markdown: All of it. }',
      ]),
    )
    await killWhen(file, mark('lead', '→ bash while'))
    await letGo()
    const { 'Do it': lead } = await tasks()
    expect((await box.run('tasks', 'continue', lead?.id ?? '')).code).toBe(5)
    expect(await box.json('tasks', 'abandon', lead?.id ?? '')).toEqual({ abandoned: [lead?.id] })
    const { code, stdout } = await box.run('tasks', 'continue', lead?.id ?? '', '--json')
    expect(code).toBe(0)
    const result = jsonLines(stdout).at(-1) as { taskId: string }
    expect(result).toMatchObject({ type: 'result', report: { reportMarkdown: 'All of it.' } })
    expect(await logged()).toEqual(['Mine.'])
    const listed = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
    expect(listed.tasks.find(({ id }) => id === result.taskId)).toMatchObject({
      resumedFrom: lead?.id,
      status: 'completed',
    })
    expect((await box.run('tasks', 'list')).stdout).toContain('continues "Do it"')
  },
)

inProcesses('retry runs what failed again, and with it what waited for that', async () => {
  const start = (name: string, more: string) =>
    `{ call: task, with: { agent: ${name}, title: ${name}, prompt: Go, background: true${more} } }`
  const file = await scenario(
    agent('lead', [
      start('luckless', ''),
      start('later', ', dependsOn: [luckless]'),
      '{ call: task_await, with: { tasks: all } }',
    ]),
    agent('luckless', [
      note('first'),
      'fail: no luck',
      note('second'),
      'report: { title: Luck, markdown: Some luck. }',
    ]),
    agent('later', [note('later'), 'report: { title: Later, markdown: Later. }']),
  )
  const argv = ['agent', 'run', 'Do it', '--project', project, '--scenario', file]
  expect((await box.run(...argv)).code).toBe(0)
  expect(await statuses()).toMatchObject({ luckless: 'failed', later: 'blocked' })
  const list = await box.run('tasks', 'list')
  expect(list.stdout).toMatch(/⊘ blocked .*later .*\n +it depends on "luckless" \(failed\)/)
  const { luckless, later } = await tasks()
  expect(list.stderr).toContain(`shiplog tasks retry ${luckless?.id.slice(0, 8)}`)

  const refused = await box.run('tasks', 'resume', later?.id ?? '')
  expect(refused.code).toBe(5)
  expect(refused.stderr).toContain(`shiplog tasks retry ${luckless?.id.slice(0, 8)}`)
  const { code, stdout } = await box.run('tasks', 'retry', luckless?.id.slice(0, 8) ?? '')
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Some luck.\n' })
  expect(await statuses()).toMatchObject({ luckless: 'completed', later: 'completed' })
  expect(await logged()).toEqual(['first', 'later', 'second'])
  expect((await box.run('tasks', 'retry', luckless?.id ?? '')).code).toBe(5)
})

inProcesses(
  'tasks restart abandons what was interrupted and runs its assignment again, in the same tree or as a tree of its own',
  async () => {
    await killCrew()
    await letGo()
    const before = await tasks()
    const left = before.left?.id ?? ''
    const again = await box.json<{ taskId: string }>('tasks', 'restart', left)
    expect(again).toMatchObject({ run: 1, status: 'completed' })
    expect(again.taskId).not.toBe(left)
    const { tasks: listed } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list', '--all')
    const all = listed.flatMap(flat)
    expect(all.find(({ id }) => id === left)?.status).toBe('abandoned')
    expect(all.find(({ id }) => id === again.taskId)).toMatchObject({
      title: 'left',
      parentId: before['Do it']?.id,
    })
    expect(all.find(({ title }) => title === 'right')?.status).toBe('interrupted')
    // What it did before its process was killed was done a second time.
    expect((await logged()).filter((word) => word === 'left-before')).toHaveLength(2)

    const refused = await box.run('tasks', 'restart', left)
    expect(refused.code).toBe(5)
    expect(refused.stderr).toMatch(/abandoned/)

    const root = before['Do it']?.id ?? ''
    const { code, stdout } = await box.run('tasks', 'restart', root)
    expect(code).toBe(0)
    expect(stdout).toContain('All of it.')
    const roots = (await box.json<{ tasks: TaskTree[] }>('tasks', 'list', '--all')).tasks
    expect(roots.map(({ status }) => status).toSorted()).toEqual(['abandoned', 'completed'])
  },
)

inProcesses(
  '[S1] tasks resume --project means the one that stopped last in that project, and says when there is none',
  async () => {
    const other = await box.repository('other')
    await killCrew()
    const held = await scenario(agent('lead', [hold(), note('other-after')]))
    const cli = box.start(['agent', 'run', 'Elsewhere', '--project', other, '--scenario', held])
    await cli.said('→ bash while')
    cli.kill('SIGKILL')
    await cli.ended
    await letGo()
    const plan = await box.json<{ resumed: { taskId: string }[] }>(
      ...['tasks', 'resume', '--dry-run', '--project', project],
    )
    const { 'Do it': lead, left, right, Elsewhere: elsewhere } = await tasks()
    expect(plan.resumed).toHaveLength(1)
    expect([lead?.id, left?.id, right?.id]).toContain(plan.resumed[0]?.taskId)
    const went = await box.run('tasks', 'resume', '--project', other)
    expect(went.code).toBe(0)
    expect(await logged()).toContain('other-after')
    const after = await statuses()
    expect(after).toMatchObject({ Elsewhere: 'completed', 'Do it': 'interrupted' })
    expect(elsewhere?.status).toBe('interrupted')
    const nothing = await box.run('tasks', 'resume', '--project', other)
    expect(nothing.code).toBe(3)
    expect(nothing.stderr).toContain(`No agent is interrupted in ${other}`)
  },
)

// That commands are carried out by the process that serves: `two-processes.test.ts`.
inProcesses(
  'while the app is served a resume is carried out there; Ctrl-C interrupts what it resumed, and the next goes on',
  async () => {
    await killCrew()
    const server = box.start(['serve', '--port', '0'])
    await server.said('Ctrl-C ends it')
    const resumed = box.start(['tasks', 'resume', '--tree'])
    // The held calls are not repeated: the last of them holds, once it has made its note.
    await resumed.said('running        last')
    await vi.waitFor(async () => expect(await logged()).toContain('last-before'), timeoutMs)
    const second = await box.run('tasks', 'resume', (await tasks()).last?.id ?? '')
    expect(second.code).toBe(5)
    resumed.kill('SIGINT')
    const { code, stderr } = await resumed.ended
    expect(code).toBe(130)
    expect(stderr).toContain('Interrupting 4 agents…')
    expect(await statuses()).toMatchObject({ 'Do it': 'interrupted', last: 'interrupted' })

    await letGo()
    expect(await box.run('tasks', 'resume', '--tree')).toMatchObject({ code: 0 })
    expect(await logged()).toEqual(wholeLog)
    server.kill('SIGINT')
    expect((await server.ended).code).toBe(0)
  },
)
