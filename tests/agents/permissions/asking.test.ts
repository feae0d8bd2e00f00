/** Permissions in whole runs: what is asked, answered, denied and remembered, as the record has it. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import type { Shiplog } from '../../../src/main/composition/shiplog.ts'
import type {
  PendingPermission,
  PermissionDecision,
} from '../../../src/shared/agents/permissions.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import {
  entriesOf,
  type Fixture,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

const playing = (...turns: string[]) => `
version: 1
name: asking
agents:
  lead:
    turns:
${turns.map((turn) => `      - ${turn}`).join('\n')}
      - report: { title: Done, markdown: Done. }
`
const bash = (command: string) => `call: bash
        with: { command: ${JSON.stringify(command)} }`

const ofType = <Type extends Entry['type']>(entries: Entry[], type: Type) =>
  entries.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type)

/** Results of the calls before the report. */
const resultsIn = (entries: Entry[]) =>
  ofType(entries, 'tool-result').filter(({ name }) => name !== 'agent_report')

/** Resolves with the question once one waits. */
async function asked({ client }: Shiplog, count = 1): Promise<PendingPermission> {
  const abort = new AbortController()
  const feed = await client.feed.permissions(undefined, { signal: abort.signal })
  try {
    for await (const { questions } of feed) {
      const question = questions[count - 1]
      if (question) return question
    }
    throw new Error('the feed ended')
  } finally {
    abort.abort()
  }
}

async function answer(
  { client }: Shiplog,
  decision: PermissionDecision,
): Promise<PendingPermission> {
  const question = await asked({ client } as Shiplog)
  await client.permissions.answer({ id: question.id, decision })
  return question
}

const withWindow = () => openFixture({ canAsk: () => true })

const worktreeOf = async ({ shiplog }: Fixture, id: Parameters<typeof taskOf>[1]) =>
  (await taskOf(shiplog, id)).workspace?.path ?? ''

describe('asking the user', () => {
  it('[P2] [P4] runs a call that was allowed once, with question and answer recorded before it', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const turn = `steps:
          - say: I will write the file.
          - call: bash
            with: { command: "echo hello > a.txt" }`
    const id = await start(fixture, playing(turn), { permissions: 'ask' })
    const question = await answer(shiplog, { kind: 'allow-once' })
    await untilQuiet(shiplog)
    expect(question).toMatchObject({
      taskId: id,
      kind: 'command',
      tool: 'bash',
      text: 'echo hello > a.txt',
      directory: await worktreeOf(fixture, id),
      chain: [{ taskId: id, title: 'Do it' }],
      lastText: 'I will write the file.',
      proposal: ['edit: a.txt'],
    })
    expect(await readFile(join(question.directory, 'a.txt'), 'utf8')).toBe('hello\n')
    const entries = await entriesOf(shiplog, id)
    const [call] = ofType(entries, 'tool-call')
    const permissions = ofType(entries, 'permission')
    expect(permissions).toMatchObject([
      { callId: call?.callId, question: question.text, answer: null },
      { callId: call?.callId, answer: { allowed: true, by: 'person' } },
    ])
    const [result] = resultsIn(entries)
    expect(result).toMatchObject({ outcome: 'ok' })
    expect(call?.seq).toBeLessThan(permissions[0]?.seq ?? 0)
    expect(permissions[1]?.seq).toBeLessThan(result?.seq ?? 0)
    expect(ofType(entries, 'run-start')).toMatchObject([{ permissions: 'ask' }])
  })

  it('[P3] looks for the project’s own programs in the PATH that an allowed command left', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const activate = 'mkdir bin && touch bin/which && export PATH="$PWD/bin:$PATH"'
    await start(fixture, playing(bash('which a'), bash(activate), bash('which a')), {
      permissions: 'ask',
    })
    expect((await answer(shiplog, { kind: 'allow-once' })).text).toBe(activate)
    expect((await answer(shiplog, { kind: 'deny', message: '' })).text).toBe('which a')
    await untilQuiet(shiplog)
  })

  it('stores the rule of the answer, for later calls and waiting ones', async () => {
    const fixture = await withWindow()
    const { shiplog, project } = fixture
    const script = playing(bash('touch a'), bash('touch b'))
    const first = await start(fixture, script, { permissions: 'ask' })
    const question = await asked(shiplog)
    const second = await start(fixture, script, { permissions: 'ask' })
    await asked(shiplog, 2)
    const wrong: PermissionDecision = {
      kind: 'allow-always',
      scope: 'project',
      rules: ['bash: npm test *'],
    }
    await expect(
      shiplog.client.permissions.answer({ id: question.id, decision: wrong }),
    ).rejects.toMatchObject({ code: 'INVALID' })
    // Neither is a rule that is another one where it is read.
    for (const added of ['edit: a\nbash', 'edit: \u202etxt'])
      await expect(
        shiplog.client.permissions.answer({
          id: question.id,
          decision: { ...wrong, rules: ['bash: touch *', added] },
        }),
      ).rejects.toMatchObject({ code: 'INVALID' })
    const decision = { ...wrong, rules: ['bash: touch *'] }
    await shiplog.client.permissions.answer({ id: question.id, decision })
    await untilQuiet(shiplog)
    const answers = async (id: typeof first) =>
      ofType(await entriesOf(shiplog, id), 'permission').map((one) => one.answer)
    const byRule = { optionId: null, allowed: true, by: 'rule', rule: 'bash: touch *' }
    expect(await answers(first)).toEqual([null, { ...byRule, by: 'person' }, byRule])
    expect(await answers(second)).toEqual([null, byRule, byRule])
    const scope = { kind: 'project', projectId: project.id } as const
    const rules = [{ effect: 'allow', rule: 'bash: touch *' }]
    expect(await shiplog.client.permissions.settings({ scope })).toEqual({ mode: null, rules })
    const restarted = await fixture.restart()
    expect(await restarted.client.permissions.settings({ scope })).toEqual({ mode: null, rules })
  })

  it('remembers no rule for what was denied elsewhere meanwhile', async () => {
    const fixture = await withWindow()
    const { shiplog, project } = fixture
    await start(fixture, playing(bash('touch a')), { permissions: 'ask' })
    const { id } = await asked(shiplog)
    const { answer: decide } = shiplog.client.permissions
    const rules = ['bash: touch *']
    const [allowed, denied] = await Promise.allSettled([
      decide({ id, decision: { kind: 'allow-always', scope: 'project', rules } }),
      decide({ id, decision: { kind: 'deny', message: '' } }),
    ])
    expect(denied).toMatchObject({ status: 'fulfilled' })
    expect(allowed).toMatchObject({ status: 'rejected', reason: { code: 'NOT_FOUND' } })
    const scope = { kind: 'project', projectId: project.id } as const
    expect((await shiplog.client.permissions.settings({ scope })).rules).toEqual([])
    await untilQuiet(shiplog)
  })

  it('tells the agent of the refusal, with the user’s words', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const id = await start(fixture, playing(bash('touch a')), { permissions: 'ask' })
    const { directory } = await answer(shiplog, { kind: 'deny', message: 'Use the tests.' })
    await untilQuiet(shiplog)
    const entries = await entriesOf(shiplog, id)
    expect(resultsIn(entries)).toMatchObject([
      {
        outcome: 'error',
        output: 'Not run: the user refused it and says: Use the tests.',
        detail: { kind: 'not-run' },
      },
    ])
    await expect(readFile(join(directory, 'a'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  itInSoak('[P4] releases the slot while the user is asked', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const script = `
version: 1
name: two
agents:
  lead:
    turns:
      - call: task
        with: { agent: asker, title: Asker, prompt: a, background: true }
      - call: task
        with: { agent: free, title: Free, prompt: b, background: true }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: Done. }
  asker:
    turns:
      - ${bash('touch a')}
      - report: { title: A, markdown: A. }
  free:
    turns:
      - report: { title: B, markdown: B. }
`
    await start(fixture, script, { permissions: 'ask', agentsAtOnce: 1 })
    await asked(shiplog)
    // There is one slot, and the asker does not hold it.
    await until(shiplog, (tasks) => tasks.some((one) => one.title === 'Free' && one.hasReport))
    expect((await taskOf(shiplog, 'Asker')).status).toBe('spawned')
    await answer(shiplog, { kind: 'allow-once' })
    await untilQuiet(shiplog)
    expect((await taskOf(shiplog, 'Asker')).status).toBe('completed')
  })

  it('[G2] a stop ends the wait; the call has not run, and the record states that', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const id = await start(fixture, playing(bash('touch a')), { permissions: 'ask' })
    await asked(shiplog)
    await shiplog.client.tasks.stop({ taskId: id })
    expect(await shiplog.client.permissions.list()).toEqual({ questions: [] })
    const entries = await entriesOf(shiplog, id)
    expect(ofType(entries, 'permission').at(-1)?.answer).toMatchObject({ by: 'end-of-run' })
    expect(resultsIn(entries)).toMatchObject([
      {
        outcome: 'error',
        output: 'Not run: the run ended before this was allowed.',
        detail: { kind: 'not-run' },
      },
    ])
  })

  itInSoak('[P1] a resume keeps the mode, or uses the one that the user sets', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const script = playing(bash('touch a'), bash('touch b'))
    const id = await start(fixture, script, { permissions: 'ask' })
    await asked(shiplog)
    await shiplog.client.tasks.stop({ taskId: id })
    const selector = { by: 'task' as const, taskId: id }
    const other = createRouterClient(shiplog.router, { context: { grant: 'act' } })
    await expect(other.tasks.resume({ selector, permissions: 'allow-all' })).rejects.toMatchObject({
      code: 'REFUSED',
    })
    await shiplog.client.tasks.resume({ selector })
    await asked(shiplog)
    await shiplog.client.tasks.stop({ taskId: id })
    const outcome = await shiplog.client.tasks.resume({ selector, permissions: 'allow-all' })
    expect(outcome).toMatchObject({ accepted: [{ taskId: id }], refused: [] })
    await until(shiplog, ([task]) => task?.status === 'completed')
    const entries = await entriesOf(shiplog, id)
    expect(ofType(entries, 'run-start').map((one) => one.permissions)).toEqual([
      'ask',
      'ask',
      'allow-all',
    ])
    expect((await taskOf(shiplog, id)).options.permissions).toBe('allow-all')
  })

  it('[K7] without a deciding grant a caller can neither answer, nor set rules, nor start with more than the project allows', async () => {
    const fixture = await withWindow()
    const { shiplog, project } = fixture
    const other = createRouterClient(shiplog.router, { context: { grant: 'act' } })
    const id = await start(fixture, playing(bash('touch a')), { permissions: 'ask' })
    const { id: question } = await asked(shiplog)
    const refused = { code: 'REFUSED', data: { reason: 'window-decides' } }
    await expect(
      other.permissions.answer({ id: question, decision: { kind: 'allow-once' } }),
    ).rejects.toMatchObject(refused)
    const settings = { mode: 'allow-all' as const, rules: [] }
    await expect(
      other.permissions.setSettings({ scope: { kind: 'everywhere' }, settings }),
    ).rejects.toMatchObject(refused)
    await expect(
      other.tasks.start({
        projectId: project.id,
        prompt: 'Go',
        permissions: 'allow-edits',
        agent: { kind: 'scripted', scenario: playing(), source: 'test.yaml' },
      }),
    ).rejects.toMatchObject(refused)
    expect((await other.permissions.list()).questions).toHaveLength(1)
    await shiplog.client.tasks.stop({ taskId: id })
  })
})

describe('without asking', () => {
  it('[P1] denies a call if nobody can be asked, and continues', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    const id = await start(fixture, playing(bash('touch a'), bash('ls')), { permissions: 'ask' })
    await untilQuiet(shiplog)
    const entries = await entriesOf(shiplog, id)
    expect(ofType(entries, 'permission').map((one) => one.answer?.by)).toEqual([
      undefined,
      'nobody',
    ])
    expect(resultsIn(entries).map((one) => one.outcome)).toEqual(['error', 'ok'])
    expect((await taskOf(shiplog, id)).status).toBe('completed')
  })

  it('[P1] a scenario is the user’s own script: nothing is asked in any mode', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    const rules = [{ effect: 'deny' as const, rule: 'bash: touch *' }]
    const settings = { mode: 'ask' as const, rules }
    await shiplog.client.permissions.setSettings({ scope: { kind: 'everywhere' }, settings })
    const id = await start(fixture, playing(bash('touch a')))
    await untilQuiet(shiplog)
    const entries = await entriesOf(shiplog, id)
    expect(ofType(entries, 'permission')).toEqual([])
    expect(resultsIn(entries)).toMatchObject([{ outcome: 'ok' }])
  })

  it('a repository narrows the user’s permissions, and one that widens them makes it ask about everything', async () => {
    const fixture = await openFixture()
    const { shiplog, project } = fixture
    const policy = join(project.dir, '.shiplog/permissions.json')
    await mkdir(join(project.dir, '.shiplog'), { recursive: true })
    const outcomes = async (text: string) => {
      await writeFile(policy, text)
      const script = playing(bash('touch a'), bash('touch b'))
      const id = await start(fixture, script, { permissions: 'allow-all', isolation: 'in-place' })
      await untilQuiet(shiplog)
      return resultsIn(await entriesOf(shiplog, id)).map((one) => one.outcome)
    }
    const rules = [{ effect: 'deny', rule: 'bash: touch b' }]
    expect(await outcomes(JSON.stringify({ rules }))).toEqual(['ok', 'error'])
    const widening = [{ effect: 'allow', rule: 'bash: *' }]
    expect(await outcomes(JSON.stringify({ rules: widening }))).toEqual(['error', 'error'])
    const { notices } = await shiplog.client.app.info()
    expect(notices.map(({ text }) => text).join()).toContain('a repository allows nothing')
    await rm(policy)
  })

  it('[K8] a task into a new worktree whose set-up runs scripts counts as running them', async () => {
    const files = { '.shiplog/project.yaml': 'setup: touch made\n', 'a.txt': 'a\n' }
    const fixture = await openFixture({ files })
    const { shiplog, project } = fixture
    const { configSha256 } = await shiplog.client.projects.setup({ projectId: project.id })
    await shiplog.client.projects.trustSetup({
      projectId: project.id,
      configSha256: configSha256 ?? '',
    })
    const script = (isolation: string) => `
version: 1
name: sub
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Worker, prompt: a, isolation: ${isolation} }
      - report: { title: Done, markdown: Done. }
  worker:
    turns:
      - report: { title: A, markdown: A. }
`
    const outcomeOf = async (isolation: string) => {
      const id = await start(fixture, script(isolation), { permissions: 'ask' })
      await untilQuiet(shiplog)
      return resultsIn(await entriesOf(shiplog, id)).map((one) => one.outcome)
    }
    expect(await outcomeOf('worktree')).toEqual(['error'])
    expect(await outcomeOf('in-place')).toEqual(['ok'])
    const rules = [{ effect: 'allow' as const, rule: 'bash: touch made' }]
    const settings = { mode: null, rules }
    await shiplog.client.permissions.setSettings({ scope: { kind: 'everywhere' }, settings })
    expect(await outcomeOf('worktree')).toEqual(['ok'])
  })
})

describe('[P4] a question of an agent', () => {
  const ask = `call: ask_person
        with: { question: Keep the old format?, choices: [Both, Only the new one] }`

  it('waits for the user, and the answer is the result of its call', async () => {
    const fixture = await withWindow()
    const { shiplog } = fixture
    const id = await start(fixture, playing(ask))
    const question = await asked(shiplog)
    expect(question).toMatchObject({
      taskId: id,
      kind: 'question',
      tool: 'ask_person',
      text: 'Keep the old format?',
      choices: ['Both', 'Only the new one'],
      chain: [{ taskId: id, title: 'Do it' }],
    })
    const { answer: give } = shiplog.client.permissions
    // It is no permission.
    await expect(give({ id: question.id, decision: { kind: 'allow-once' } })).rejects.toMatchObject(
      { code: 'INVALID' },
    )
    await give({ id: question.id, decision: { kind: 'answer', text: 'Both, for a month' } })
    await untilQuiet(shiplog)
    const entries = await entriesOf(shiplog, id)
    expect(resultsIn(entries)).toMatchObject([
      {
        outcome: 'ok',
        output: 'The user answers: Both, for a month',
        detail: { kind: 'answer', text: 'Both, for a month' },
      },
    ])
    expect(ofType(entries, 'permission')).toEqual([])
  })

  it('is shown without the text of an earlier turn', async () => {
    const fixture = await withWindow()
    await start(fixture, playing('say: I have a question first.', ask))
    expect((await answer(fixture.shiplog, { kind: 'deny', message: '' })).lastText).toBe('')
    await untilQuiet(fixture.shiplog)
  })

  it('[P1] is answered at once if nobody can be asked', async () => {
    const fixture = await openFixture()
    const id = await start(fixture, playing(ask))
    await untilQuiet(fixture.shiplog)
    const [result] = resultsIn(await entriesOf(fixture.shiplog, id))
    expect(result).toMatchObject({ outcome: 'error' })
    expect(result?.output).toContain('Nobody can be asked here')
  })

  it('can be left to the agent, and is not answered by a permission', async () => {
    const fixture = await withWindow()
    const id = await start(fixture, playing(ask, bash('touch a')), { permissions: 'ask' })
    await answer(fixture.shiplog, { kind: 'deny', message: '' })
    const permission = await asked(fixture.shiplog)
    const decision = { kind: 'answer', text: 'Yes' } as const
    await expect(
      fixture.shiplog.client.permissions.answer({ id: permission.id, decision }),
    ).rejects.toMatchObject({ code: 'INVALID' })
    await answer(fixture.shiplog, { kind: 'allow-once' })
    await untilQuiet(fixture.shiplog)
    const [result] = resultsIn(await entriesOf(fixture.shiplog, id))
    expect(result?.output).toContain('Decide it yourself')
    expect(result?.detail).toEqual({ kind: 'answer', text: null })
  })
})
