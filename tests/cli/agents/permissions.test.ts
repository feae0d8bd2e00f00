/** Permissions on the command line: the mode of a run, and questions in the terminal that runs the agents. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { PendingPermission } from '../../../src/shared/agents/permissions.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import { temporaryDir, writeFiles } from '../../harness.ts'
import { jsonLines, runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

async function scenarioRun(...more: string[]) {
  const cwd = await temporaryDir()
  await writeFiles(cwd, { 'a.yaml': 'version: 1', 'api/README.md': '' })
  const argv = ['agent', 'run', 'Go', '--project', 'api', '--scenario', 'a.yaml', ...more]
  return { cwd, argv }
}

const questionOf = (taskId: TaskId, more: Partial<PendingPermission> = {}): PendingPermission => ({
  id: 'q1',
  taskId,
  projectId: newProjectId(),
  callId: null,
  kind: 'command',
  tool: 'bash',
  text: 'npm test\nrm -rf build',
  directory: '/code/api',
  lastText: 'Now the tests.',
  chain: [
    { taskId, title: 'Lead' },
    { taskId, title: 'Tests' },
  ],
  sandbox: { setting: 'writes-and-network', program: 'bubblewrap', why: null },
  reasons: ['No rule allows npm.'],
  proposal: ['bash: npm test *'],
  askedAt: 0,
  ...more,
})

/** A run whose agent asks, and ends once it was answered. */
function asking(question: Partial<PendingPermission> = {}) {
  const fake = createFakeShiplog()
  fake.given.onStart = async (taskId) => {
    const answered = Promise.withResolvers<void>()
    const { projectId } = fake.state.tasks.get(taskId) ?? {}
    fake.askPermission(questionOf(taskId, { ...(projectId && { projectId }), ...question }))
    const { feed } = fake.shiplog.client
    for await (const { questions } of await feed.permissions())
      if (questions.length === 0) {
        answered.resolve()
        break
      }
    await answered.promise
    fake.complete(taskId)
  }
  return fake
}

describe('the mode of a run', () => {
  it.each([
    ['ask', 'ask'],
    ['edits', 'allow-edits'],
    ['all', 'allow-all'],
  ])('--permissions %s is %s', async (flag, permissions) => {
    const { cwd, argv } = await scenarioRun('--permissions', flag)
    const fake = createFakeShiplog()
    fake.given.onStart = async (taskId) => fake.complete(taskId)
    expect(await runToEnd(argv, { cwd, fake })).toMatchObject({ code: 0 })
    expect(fake.asked('tasks.start')).toMatchObject([{ permissions }])
  })

  it('refuses any other word as invalid usage', async () => {
    const { cwd, argv } = await scenarioRun('--permissions', 'everything')
    expect(await runToEnd(argv, { cwd })).toMatchObject({ code: 2 })
  })
})

describe('[K8] a repository’s configuration of an agent', () => {
  const configuration: Partial<PendingPermission> = {
    kind: 'configuration',
    tool: 'Codex',
    text: 'Configuration for Codex\nevil\u202e',
    proposal: [],
  }

  it('--trust allows it for the agent that is started, shown and without a question', async () => {
    const { cwd, argv } = await scenarioRun('--trust', '--permissions', 'all')
    const fake = asking({ ...configuration, chain: [{ taskId: newTaskId(), title: 'Lead' }] })
    const { code, stderr } = await runToEnd(argv, { cwd, fake })
    expect(code).toBe(0)
    expect(stderr).toContain('this repository configures Codex')
    expect(stderr).toContain('evil<U+202E>')
    expect(fake.asked('permissions.answer')).toMatchObject([{ decision: { kind: 'allow-once' } }])
  })

  it('needs permission in a terminal, and for a sub-agent even with --trust', async () => {
    const { cwd, argv } = await scenarioRun('--trust')
    const fake = asking(configuration)
    const cli = startCli(argv, { cwd, fake, stderrTTY: true, stdinText: '' })
    await cli.said('Allow it, now and until it changes?')
    cli.type('\n')
    await cli.ended
    expect(fake.asked('permissions.answer')).toMatchObject([{ decision: { kind: 'deny' } }])
  })
})

describe('a question in the terminal', () => {
  const terminal = { stderrTTY: true, stdinText: '' }

  it.each([
    ['y', { kind: 'allow-once' }],
    ['a', { kind: 'allow-always', rules: ['bash: npm test *'], scope: 'project' }],
    ['', { kind: 'deny', message: '' }],
    ['use make', { kind: 'deny', message: 'use make' }],
  ])('[P2] shows the whole of it; %j is an answer', async (typed, decision) => {
    const { cwd, argv } = await scenarioRun()
    const fake = asking()
    const cli = startCli(argv, { cwd, fake, ...terminal })
    await cli.said('Allow it?')
    cli.type(`${typed}\n`)
    const { stderr } = await cli.ended
    expect(fake.asked('permissions.answer')).toEqual([{ id: 'q1', decision }])
    for (const text of ['Lead › Tests asks to run in /code/api', 'npm test', 'rm -rf build'])
      expect(stderr).toContain(text)
    for (const text of ['Now the tests.', 'No rule allows npm.', 'bash: npm test *'])
      expect(stderr).toContain(text)
    expect(stderr).toMatch(
      /Runs in a sandbox: writes only in the working directory .*, no network\./,
    )
  })

  it.each([
    ['2', { kind: 'answer', text: 'Only the new one' }],
    ['Both, for a month', { kind: 'answer', text: 'Both, for a month' }],
    ['', { kind: 'deny', message: '' }],
  ])(
    'takes a number, an answer or nothing for a question of the agent: %j',
    async (typed, decision) => {
      const { cwd, argv } = await scenarioRun()
      const choices = ['Both', 'Only the new one']
      const fake = asking({ kind: 'question', tool: 'ask_person', text: 'Keep it?', choices })
      const cli = startCli(argv, { cwd, fake, ...terminal })
      await cli.said('the agent decides')
      cli.type(`${typed}\n`)
      const { stderr } = await cli.ended
      expect(fake.asked('permissions.answer')).toEqual([{ id: 'q1', decision }])
      expect(stripVTControlCharacters(stderr)).toContain('Lead › Tests asks:')
    },
  )

  it('holds the output of agents back until it is answered', async () => {
    const { cwd, argv } = await scenarioRun()
    const fake = createFakeShiplog()
    fake.given.onStart = async (taskId) => {
      fake.spawn(taskId)
      fake.say(taskId, 'Before the question.')
      fake.askPermission(questionOf(taskId))
      for await (const { questions } of await fake.shiplog.client.feed.permissions())
        if (questions.length === 0) break
      fake.complete(taskId)
    }
    const cli = startCli(argv, { cwd, fake, ...terminal })
    await cli.said('Allow it?')
    const [lead] = fake.state.tasks.keys()
    if (lead) fake.say(lead, 'During the question.')
    // The terminal shows nothing of it: typing is the next that happens there.
    cli.type('y\n')
    const stderr = stripVTControlCharacters((await cli.ended).stderr)
    const places = ['Before the question.', 'or say why not: ', 'During the question.'].map(
      (text) => stderr.indexOf(text),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('[K6] shows hidden characters, and all pages before the question', async () => {
    const { cwd, argv } = await scenarioRun()
    const text = ['echo \u202e', ...Array.from({ length: 30 }, (_, at) => `echo ${at}`)].join('\n')
    const cli = startCli(argv, { cwd, fake: asking({ text, proposal: [] }), ...terminal })
    await cli.said('line 20 of 31; Enter to read on')
    cli.type('\n')
    await cli.said('Allow it? [y]es, once, [n]o')
    cli.type('n\n')
    const { stderr } = await cli.ended
    expect(stripVTControlCharacters(stderr)).toContain('echo <U+202E>')
    expect(stderr).not.toContain('\u202e')
  })

  it('[K6] shows each character of the rules, and all of them before the question', async () => {
    const { cwd, argv } = await scenarioRun()
    const many = Array.from({ length: 11 }, (_, at) => `bash: touch ${at} ${'a'.repeat(300)}`)
    const proposal = ["bash: touch 'a  b'", 'edit: a\u00a0b', ...many]
    const cli = startCli(argv, { cwd, fake: asking({ proposal }), ...terminal, columns: 80 })
    for (const part of ['(Enter to read on', '(line 20 of', '(line 40 of', 'by the rules, [n]o']) {
      await cli.said(part)
      cli.type('\n')
    }
    const said = stripVTControlCharacters((await cli.ended).stderr)
    expect(said).toContain("bash: touch 'a  b'")
    expect(said).toContain('edit: a<U+00A0>b')
  })

  it('[K6] lets no reasons push what is to be allowed out of view', async () => {
    const { cwd, argv } = await scenarioRun()
    const reasons = Array.from({ length: 30 }, (_, at) => `It writes to file-${at}.`)
    const cli = startCli(argv, { cwd, fake: asking({ reasons, proposal: [] }), ...terminal })
    await cli.said('rm -rf build')
    await cli.said('(Enter to read on)')
    cli.type('\n')
    await cli.said('Allow it?')
    cli.type('n\n')
    const { stderr } = await cli.ended
    expect(stderr.indexOf('(Enter')).toBeLessThan(stderr.indexOf('file-0.'))
  })

  it('[K6] keeps each row of a command within a narrow terminal', async () => {
    const { cwd, argv } = await scenarioRun()
    const fake = asking({ text: 'x'.repeat(100), proposal: [] })
    const cli = startCli(argv, { cwd, fake, ...terminal, columns: 20 })
    await cli.said('Allow it?')
    cli.type('n\n')
    const rows = stripVTControlCharacters((await cli.ended).stderr).split('\n')
    const ofCommand = rows.filter((row) => /^ +1? │ x/.test(row))
    expect(ofCommand.length).toBeGreaterThan(1)
    expect(Math.max(...ofCommand.map((row) => row.length))).toBeLessThanOrEqual(20)
  })

  it('denies what can’t be answered any more because the input has ended', async () => {
    const { cwd, argv } = await scenarioRun()
    const fake = asking()
    const cli = startCli(argv, { cwd, fake, ...terminal })
    await cli.said('Allow it?')
    cli.endInput()
    const { stderr } = await cli.ended
    expect(fake.asked('permissions.answer')).toMatchObject([{ decision: { kind: 'deny' } }])
    expect(stderr).toContain('has ended')
  })

  it('[P1] asks nothing if nobody reads it, and tells the services that nobody can be asked', async () => {
    const { cwd, argv } = await scenarioRun()
    const canAsk: (boolean | undefined)[] = []
    for (const options of [terminal, {}, { ...terminal, json: true }]) {
      const fake = createFakeShiplog()
      fake.given.onStart = async (taskId) => fake.complete(taskId)
      await runToEnd([...argv, ...('json' in options ? ['--json'] : [])], {
        cwd,
        fake,
        ...options,
        async openShiplog(opening) {
          canAsk.push(opening.canAsk?.())
          return fake.shiplog
        },
      })
    }
    expect(canAsk).toEqual([true, false, false])
  })

  it('[P1] reports calls that were denied because nobody could be asked', async () => {
    const { cwd, argv } = await scenarioRun()
    const fake = createFakeShiplog()
    const answer = { optionId: null, allowed: false, by: 'nobody' } as const
    fake.onStart(async (taskId) => {
      await Promise.resolve()
      fake.spawn(taskId)
      const asked = { callId: 'call-1' as never, question: 'npm test', options: [] }
      fake.append(taskId, { type: 'permission', runId: `${taskId}/1` as never, ...asked, answer })
      fake.complete(taskId)
    })
    const { stderr } = await runToEnd(argv, { cwd, fake })
    expect(stderr).toContain('Not allowed because no user was available: npm test')
    expect(stderr).toContain('--permissions')
    const json = await runToEnd([...argv, '--json'], { cwd, fake })
    expect(jsonLines(json.stdout)).toContainEqual(
      expect.objectContaining({ entry: expect.objectContaining({ type: 'permission', answer }) }),
    )
  })
})
