/** What the resuming commands ask for, print and end with; the agents are not real. */
import { beforeEach, describe, expect, it } from 'vitest'
import { thePerson } from '../../src/shared/records/drift.ts'
import { runIdOf, type TaskId } from '../../src/shared/records/ids.ts'
import { momentOf } from '../../src/shared/text/format-time.ts'
import { noDrift } from '../fixtures/no-drift.ts'
import { jsonLines, type RunOptions, runToEnd, startCli } from './fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from './fake-shiplog.ts'

let fake: FakeShiplog
let lead: TaskId
let tester: TaskId
let writer: TaskId

/** A lead and its two sub-agents, all interrupted; the writer stopped last. */
beforeEach(() => {
  fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  lead = fake.createTask({ projectId, title: 'Fix the parser' })
  fake.spawn(lead)
  tester = fake.createTask({ projectId, parentId: lead, title: 'Add tests', agent: 'tester' })
  writer = fake.createTask({ projectId, parentId: lead, title: 'Describe it', agent: 'writer' })
  for (const id of [tester, writer]) fake.spawn(id)
  fake.say(tester, 'said in the first run')
  for (const id of [lead, tester, writer])
    fake.interrupt(id, { kind: 'error', detail: 'the power went' })
  fake.onGoOn(async (taskId) => {
    if (fake.state.tasks.get(taskId)?.status === 'queued') fake.spawn(taskId)
    fake.say(taskId, `${taskId} goes on`)
    fake.report(taskId, 'Done', `Report of ${fake.state.tasks.get(taskId)?.title}.`)
    fake.complete(taskId)
    if (fake.state.tasks.get(taskId)?.parentId) fake.archive(taskId)
  })
})

const run = (argv: string[], options: RunOptions = {}) => runToEnd(argv, { fake, ...options })
const statusOf = (id: TaskId) => fake.state.tasks.get(id)?.status
const begun = () => fake.asked('tasks.resume')

function changeUnder(id: TaskId): void {
  const conflict = {
    path: 'src/a.ts',
    oldPath: null,
    change: 'modified',
    changedBy: thePerson,
  } as const
  fake.drift[id] = { ...noDrift(id), conflicts: [conflict] }
}

describe('[S1] tasks resume: who is meant', () => {
  it('without an id: the one that stopped last, and its report on standard output', async () => {
    const { code, stdout, stderr } = await run(['tasks', 'resume'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Report of Describe it.\n' })
    expect(stderr).toMatch(/✓ completed +Describe it \(writer, \w{8}, run 2\)/)
    expect(statusOf(tester)).toBe('interrupted')
  })

  it('by a prefix: what it said before is not told again', async () => {
    const { code, stderr } = await run(['tasks', 'resume', tester.slice(0, 8)])
    expect(code).toBe(0)
    expect(stderr).toContain(`${tester} goes on`)
    expect(stderr).not.toContain('said in the first run')
  })

  it('says who stays interrupted beside it, and names --tree', async () => {
    const { stderr } = await run(['tasks', 'resume', lead])
    expect(stderr).toContain('not resumed: Add tests')
    expect(stderr).toMatch(/Describe it \(\w{8}\)\.\n {2}shiplog tasks resume \w{8} --tree/)
  })

  it('--tree: everybody in the tree of its root; a line as each begins and ends', async () => {
    const { code, stdout, stderr } = await run(['tasks', 'resume', tester, '--tree'])
    expect(code).toBe(0)
    expect([lead, tester, writer].map(statusOf)).toEqual(['completed', 'completed', 'completed'])
    expect(stderr).not.toContain('goes on')
    expect(stderr).not.toContain('not resumed')
    expect(stdout.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^✓ completed {2}Fix the parser +lead/),
      expect.stringMatching(/^✓ completed {2}Add tests +tester +\w{8} +2/),
      expect.stringMatching(/^✓ completed {2}Describe it +writer/),
    ])
  })

  it('--tree: lists a grandchild below its own parent, before and after', async () => {
    const projectId = fake.projectOf(lead)
    const fuzz = fake.createTask({ projectId, parentId: tester, title: 'Fuzz it' })
    fake.spawn(fuzz)
    fake.interrupt(fuzz, { kind: 'error', detail: 'the power went' })
    const titles = /Fix the parser|Add tests|Fuzz it|Describe it/g
    const inOrder = ['Fix the parser', 'Add tests', 'Fuzz it', 'Describe it']
    const look = await run(['tasks', 'resume', '--tree', '--dry-run'])
    expect(look.stdout.match(titles)).toEqual(inOrder)
    const { stdout } = await run(['tasks', 'resume', '--tree'])
    expect(stdout.match(titles)).toEqual(inOrder)
  })

  it('--batch: the group of the one that stopped last, or of the one that is named', async () => {
    for (const argv of [['--batch'], [tester, '--batch'], ['--batch', tester]]) {
      const { stdout } = await run(['tasks', 'resume', ...argv, '--dry-run', '--json'])
      expect(JSON.parse(stdout).resumed).toMatchObject([{ taskId: tester }, { taskId: writer }])
    }
    expect((await run(['tasks', 'resume', '--batch'])).code).toBe(0)
    expect([lead, tester, writer].map(statusOf)).toEqual(['interrupted', 'completed', 'completed'])
  })

  it('3 for an unknown id, and when nobody is interrupted', async () => {
    expect((await run(['tasks', 'resume', 'dead'])).code).toBe(3)
    const { code, stderr } = await runToEnd(['tasks', 'resume'])
    expect(code).toBe(3)
    expect(stderr).toContain('No agent is interrupted')
  })

  it('[T4] 5 for a completed one, with when it completed and how to go on from it', async () => {
    await run(['tasks', 'resume', tester])
    const { code, stdout, stderr } = await run(['tasks', 'resume', tester])
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    expect(stderr).toContain(
      `completed on ${momentOf(fake.state.tasks.get(tester)?.endedAt ?? '')}`,
    )
    expect(stderr).toContain(`shiplog tasks continue ${tester.slice(0, 8)}`)
  })

  it('[Q1] says of several, too, why a model is asked again', async () => {
    const { onGoOn } = fake.given
    fake.onGoOn(async (taskId) => {
      if (taskId === tester) {
        if (statusOf(taskId) === 'queued') fake.spawn(taskId)
        fake.append(taskId, {
          ...{ type: 'retrying', runId: runIdOf(taskId, 2), turn: 1 },
          cause: { kind: 'network', detail: 'the server closed the connection' },
          untilMs: Date.UTC(2200, 0),
        })
      }
      await onGoOn?.(taskId)
    })
    const { stderr } = await run(['tasks', 'resume', '--tree'])
    expect(stderr).toMatch(/waiting\s+Add tests .*: Trying again in \d+y: the connection failed/)
  })

  it('passes --max-agents and --force on', async () => {
    await run(['tasks', 'resume', '--tree', '--max-agents', '2', '--force'])
    expect(begun()).toMatchObject([
      { selector: { by: 'tree', taskId: writer }, force: true, agentsAtOnce: 2 },
    ])
  })
})

describe('[S2] the drift report', () => {
  it('--dry-run: on standard output, and nothing begins', async () => {
    fake.drift[lead] = {
      ...noDrift(lead),
      unknownCalls: [{ tool: 'bash', subject: 'npm test', startedAt: '2026-11-20T09:00:00.000Z' }],
    }
    const { code, stdout, stderr } = await run(['tasks', 'resume', '--tree', '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^❚❚ interrupted +Fix the parser \(lead, \w{8}\)\n/)
    expect(stdout).toContain('`npm test` was running when it stopped; its result is unknown.')
    expect(stdout).toMatch(/Describe it .*\n.*the power went\.\n +Nothing has changed since\./)
    expect(stderr).toMatch(
      /Nothing was changed\.\n {2}shiplog tasks resume \w{8} --tree {3}resumes it/,
    )
    expect(begun()).toEqual([])
  })

  it.each([[[]], [['--dry-run']]])(
    'conflicts end it with 5, who changed what, and nothing begun: %j',
    async (more) => {
      changeUnder(tester)
      const { code, stdout, stderr } = await run(['tasks', 'resume', '--tree', ...more])
      expect(code).toBe(5)
      expect(stdout + stderr).toContain('You changed 1 file that it worked on: src/a.ts.')
      expect(stderr).toMatch(/shiplog tasks resume \w{8} --tree --force/)
      expect(begun()).toEqual([])
      expect(statusOf(lead)).toBe('interrupted')
    },
  )

  it('--force goes on in spite of them', async () => {
    changeUnder(tester)
    expect((await run(['tasks', 'resume', tester, '--force'])).code).toBe(0)
    expect(statusOf(tester)).toBe('completed')
  })

  it('fits a terminal of 80 columns, and lists many conflicts one by one', async () => {
    const conflicts = [...Array(30).keys()].map((n) => ({
      ...{ path: `src/a folder/with a long name/${n}.ts`, oldPath: null },
      ...{
        change: 'deleted' as const,
        changedBy: { kind: 'agent' as const, taskId: null, name: 'Add tests' },
      },
    }))
    fake.drift[lead] = { ...noDrift(lead), conflicts }
    const { stdout } = await run(['tasks', 'resume', lead, '--dry-run'], {
      stdoutTTY: true,
      env: { NO_COLOR: '1' },
    })
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(stdout).toContain('with a long name/19.ts (deleted by Add tests)')
    expect(stdout).toContain('and 10 more')
  })

  it('prints no escape sequence from a title or a path', async () => {
    const projectId = fake.addProject('/code/other')
    const bad = fake.createTask({ projectId, title: 'a\x1b[2Jb' })
    fake.spawn(bad)
    fake.interrupt(bad, { kind: 'error', detail: 'gone\x1b]0;owned\x07' })
    const { stdout, stderr } = await run(['tasks', 'resume', bad, '--dry-run'])
    expect(stdout).toContain('a␛[2Jb')
    expect(stdout + stderr).not.toContain('\x1b')
  })
})

describe('tasks resume --json: one document', () => {
  const document = async (...argv: string[]) => {
    const { code, stdout, stderr } = await run(['tasks', 'resume', ...argv, '--json'])
    return { code, stderr, ...JSON.parse(stdout) }
  }

  it('of each: its run, its drift and how it ended', async () => {
    const done = await document(tester)
    const { drift } = done.resumed[0]
    expect(done).toMatchObject({
      ...{ code: 0, stderr: '', dryRun: false, refused: [], notResumed: [lead, writer] },
      resumed: [{ taskId: tester, run: 2, status: 'completed', begun: true, cause: null }],
    })
    expect(drift).toMatchObject({
      ...{ conflicts: [], headMoved: null, branchChanged: null, missing: [], dirty: [] },
    })
  })

  it('a dry run, and one that conflicts keep from beginning', async () => {
    const look = await document(tester, '--dry-run')
    expect(look).toMatchObject({
      ...{ code: 0, dryRun: true },
      resumed: [{ taskId: tester, run: 1, status: 'interrupted', begun: false }],
    })
    changeUnder(tester)
    const refused = await document(tester)
    expect(refused.code).toBe(5)
    expect(refused.resumed[0].drift.conflicts).toMatchObject([
      { path: 'src/a.ts', changedBy: thePerson },
    ])
  })
})

describe('how a resume ends', () => {
  it('[T6] 1 when one of them fails; the others go on to their end', async () => {
    fake.onGoOn(async (taskId) => {
      if (taskId === tester) return fake.fail(taskId, 'no parser here')
      fake.complete(taskId)
      if (taskId === writer) fake.archive(writer)
    })
    const { code, stdout } = await run(['tasks', 'resume', '--tree'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/✕ failed +Add tests .*\n +no parser here\n/)
    expect(stdout).toMatch(/✓ completed +Describe it/)
  })

  it('waits for what a resumed one has started', async () => {
    let finish = () => {}
    fake.onGoOn(async (taskId) => {
      const projectId = fake.projectOf(taskId)
      const child = fake.createTask({ projectId, parentId: taskId, title: 'One more' })
      fake.spawn(child)
      fake.complete(taskId)
      finish = () => {
        fake.complete(child)
        fake.archive(child)
      }
    })
    const cli = startCli(['tasks', 'resume', lead], { fake })
    await cli.said('waiting for 1 sub-agent')
    finish()
    const { code, stderr } = await cli.ended
    expect(code).toBe(0)
    expect(stderr).toMatch(/✓ cleaned up +One more/)
  })

  it('Ctrl-C interrupts what it resumed, and exits 130', async () => {
    fake.onGoOn(async () => {})
    const cli = startCli(['tasks', 'resume', '--tree'], { fake })
    await cli.said('running      Fix the parser')
    cli.signal('SIGINT')
    const { code, stderr } = await cli.ended
    expect(code).toBe(130)
    expect(stderr).toContain('Interrupting 3 agents…')
    expect([lead, tester, writer].map(statusOf)).toEqual(Array(3).fill('interrupted'))
  })
})

describe('tasks retry, restart, abandon and continue', () => {
  it('retry: runs a failed one to its end, and refuses any other', async () => {
    const refused = await run(['tasks', 'retry', tester])
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain(`shiplog tasks resume ${tester.slice(0, 8)}`)
    const projectId = fake.addProject('/code/other')
    const failed = fake.createTask({ projectId, title: 'Try it' })
    fake.spawn(failed)
    fake.fail(failed, 'out of luck')
    const retried = await run(['tasks', 'retry', failed])
    expect(retried).toMatchObject({ code: 0, stdout: 'Report of Try it.\n' })
    // Not the time that its failed run took.
    expect(retried.stderr).toMatch(/^◌ queued +Try it \(lead, \w{8}\)\n/)
    expect(retried.stderr).toMatch(/✓ completed +Try it \(lead, \w{8}, run 2\) after \d/)
    fake.onGoOn(async (taskId) => {
      fake.spawn(taskId)
      fake.fail(taskId, 'again')
    })
    const again = fake.createTask({ projectId, title: 'Try that' })
    fake.spawn(again)
    fake.fail(again, 'out of luck')
    const { code, stdout } = await run(['tasks', 'retry', again, '--json'])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      ...{
        code: 1,
        taskId: again,
        run: 2,
        status: 'failed',
        cause: { kind: 'said', text: 'again' },
        report: null,
      },
    })
  })

  it('abandon: gives up an interrupted one, and says so', async () => {
    const { code, stderr } = await run(['tasks', 'abandon', tester])
    expect(code).toBe(0)
    expect(stderr).toContain('Abandoned Add tests')
    expect(statusOf(tester)).toBe('abandoned')
    const { stdout } = await run(['tasks', 'abandon', writer, '--json'])
    expect(JSON.parse(stdout)).toEqual({ abandoned: [writer] })
    expect((await run(['tasks', 'abandon', writer])).code).toBe(5)
  })

  it('restart: says how many below it were abandoned with it', async () => {
    const { code, stderr } = await run(['tasks', 'restart', lead.slice(0, 8)])
    expect(code).toBe(0)
    expect(stderr).toContain('Abandoned 2 sub-agents of the previous attempt.')
    const leaf = fake.createTask({ projectId: fake.projectOf(lead), title: 'Alone' })
    fake.spawn(leaf)
    fake.interrupt(leaf, { kind: 'error', detail: 'the power went' })
    expect((await run(['tasks', 'restart', leaf])).stderr).not.toContain('Abandoned')
  })

  it('continue: a new task, followed as agent run follows its own', async () => {
    await run(['tasks', 'resume', tester])
    const { code, stdout } = await run(['tasks', 'continue', tester, 'And more', '--json'])
    expect(code).toBe(0)
    const events = jsonLines(stdout)
    const result = events.at(-1)
    expect(result).toMatchObject({ type: 'result', status: 'completed' })
    const continued = fake.state.tasks.get(result?.taskId as TaskId)
    expect(continued).toMatchObject({
      resumedFrom: { taskId: tester },
      prompt: 'And more',
      parentId: null,
    })
    const refused = await run(['tasks', 'continue', lead])
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain(`shiplog tasks resume ${lead.slice(0, 8)}`)
  })

  it.each([['resume'], ['retry'], ['abandon'], ['continue']])(
    '%s: 3 for an unknown id, 4 for an ambiguous one with its candidates',
    async (command) => {
      const alike = ['3f2a0000-0000-4000-8000-000000000001', '3f2a0000-0000-4000-8000-000000000002']
      const projectId = fake.addProject('/code/alike')
      for (const taskId of alike) fake.createTask({ projectId, taskId: taskId as TaskId })
      expect((await run(['tasks', command, 'dead'])).code).toBe(3)
      const { code, stdout, stderr } = await run(['tasks', command, '3f2a'])
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
      for (const id of alike) expect(stderr).toContain(id)
    },
  )
})

describe('agent run --resume', () => {
  const agentRun = (...argv: string[]) => run(['agent', 'run', ...argv])

  it('goes on with a root and all below it; the drift report on standard error', async () => {
    const { code, stdout, stderr } = await agentRun('--resume', lead.slice(0, 8))
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Report of Fix the parser.\n' })
    expect(stderr).toContain('Nothing has changed since.')
    expect([lead, tester, writer].map(statusOf)).toEqual(['completed', 'completed', 'completed'])
  })

  it('of a sub-agent: it and what is below it, and no more', async () => {
    expect((await agentRun('--resume', tester)).code).toBe(0)
    expect([lead, tester, writer].map(statusOf)).toEqual([
      'interrupted',
      'completed',
      'interrupted',
    ])
  })

  it('--json: entries of the new runs, each once, and the result last', async () => {
    const before = fake.sessionOf(tester).entries.length
    const { code, stdout } = await agentRun('--resume', lead, '--json')
    expect(code).toBe(0)
    const events = jsonLines(stdout)
    const told = events.filter((event) => event.type === 'entry' && event.taskId === tester)
    expect(told.map((event) => event.entry)).toEqual(fake.sessionOf(tester).entries.slice(before))
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'result', taskId: lead, status: 'completed' },
      report: { reportMarkdown: 'Report of Fix the parser.' },
    })
  })

  it('says the prompt to a root, and refuses it for a sub-agent (2)', async () => {
    expect((await agentRun('Be quick', '--resume', tester)).code).toBe(2)
    expect(begun()).toEqual([])
    await agentRun('Be quick', '--resume', lead, '--max-agents', '4')
    expect(begun()).toMatchObject([{ prompt: 'Be quick', agentsAtOnce: 4 }])
  })

  it('5 with conflicts, unless --force', async () => {
    changeUnder(writer)
    const refused = await agentRun('--resume', lead)
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain(`shiplog agent run --resume ${lead.slice(0, 8)} --force`)
    expect((await agentRun('--resume', lead, '--force')).code).toBe(0)
  })

  it('--project may be left out, and must be the right one when it is not (2)', async () => {
    const wrong = await agentRun('--resume', lead, '--project', '/code/other')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('works on /code/api')
    expect((await agentRun('--resume', lead, '--project', '/code/api')).code).toBe(0)
    const neither = await agentRun('Do it')
    expect(neither.code).toBe(2)
    expect(neither.stderr).toMatch(/--project DIR.*--resume ID/)
  })

  it('names what it can not be combined with', async () => {
    const { code, stderr } = await agentRun('--resume', lead, '--scenario', 'x', '--keep')
    expect(code).toBe(2)
    expect(stderr).toContain('omit --scenario and --keep')
  })
})

describe('the lists', () => {
  it('say why a task stands still, what it waits for, and what takes it up', async () => {
    const projectId = fake.projectOf(lead)
    fake.createTask({ projectId, parentId: lead, title: 'Notes', dependsOn: [tester] })
    const { stdout, stderr } = await run(['tasks', 'list'])
    expect(stdout).toMatch(/❚❚ interrupted +├─ Add tests .*\n +│ +the power went\n/)
    expect(stdout).toMatch(/◌ queued +└─ Notes .*\n +waits for "Add tests"\n/)
    expect(stderr).toMatch(/^3 interrupted:\n {2}shiplog tasks resume +resumes the latest\n/)
  })

  it('name the one that failed; of several the person chooses', async () => {
    const projectId = fake.projectOf(lead)
    const fail = (title: string) => {
      const id = fake.createTask({ projectId, parentId: lead, title })
      fake.spawn(id)
      fake.fail(id, 'no luck')
      return id
    }
    const failed = fail('Try it')
    const hint = `1 failed:\n  shiplog tasks retry ${failed.slice(0, 8)}   runs it again\n`
    expect((await run(['tasks', 'list'])).stderr).toContain(hint)
    expect((await run(['transcripts', 'list'])).stderr).toContain(hint)
    fail('Try that')
    expect((await run(['tasks', 'list'])).stderr).toContain(
      '2 failed:\n  shiplog tasks retry ID   runs one again\n',
    )
  })

  it('say how often each ran, and what it goes on from', async () => {
    await run(['tasks', 'resume', tester])
    await run(['tasks', 'continue', tester])
    const { stdout } = await run(['tasks', 'list'])
    expect(stdout).toMatch(/ID +RUNS +TOOK/)
    expect(stdout).toMatch(/├─ Add tests +tester +\w{8} +2 /)
    expect(stdout).toContain(`continues "Add tests" ${tester.slice(0, 8)}`)
    const transcripts = await run(['transcripts', 'list'])
    expect(transcripts.stdout).toMatch(/tester · 2 runs · \d+ entries .* · archived · api\n/)
    expect(transcripts.stdout).toContain(`· continues "Add tests" ${tester.slice(0, 8)}`)
    expect(transcripts.stderr).toContain('2 interrupted:')
  })
})

it('[S1] where the one that stopped last has no group, lists what can be resumed instead', async () => {
  const alone = createFakeShiplog()
  const id = alone.createTask({ projectId: alone.addProject('/code/web'), title: 'Alone' })
  alone.spawn(id)
  alone.interrupt(id, { kind: 'error', detail: 'the power went' })
  const { code, stderr } = await runToEnd(['tasks', 'resume', '--batch'], { fake: alone })
  expect(code).not.toBe(0)
  expect(stderr).toContain('1 agent is interrupted:')
  expect(stderr).toContain(`shiplog tasks resume ${id.slice(0, 8)}   goes on with "Alone"`)
})

it('[S1] says when what is interrupted can not be resumed, since its workspace was removed', async () => {
  const removed = createFakeShiplog()
  const id = removed.createTask({ projectId: removed.addProject('/code/web'), title: 'Alone' })
  removed.spawn(id)
  removed.interrupt(id, { kind: 'error', detail: 'the power went' })
  removed.archive(id)
  expect(await runToEnd(['tasks', 'resume'], { fake: removed })).toMatchObject({
    code: 3,
    stderr:
      'Error: No agent can be resumed: the workspace of "Alone" was removed.\n' +
      `  shiplog workspaces restore ${id.slice(0, 8)}   restores what can be resumed\n`,
  })
})
