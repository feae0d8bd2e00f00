/** What `tasks resume` requests, prints and ends with; the agents are not real. */
import { beforeEach, describe, expect, it } from 'vitest'
import { thePerson } from '../../../src/shared/records/drift.ts'
import { runIdOf } from '../../../src/shared/records/ids.ts'
import { momentOf } from '../../../src/shared/text/format-time.ts'
import { noDrift } from '../../fixtures/no-drift.ts'
import { runToEnd } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'
import {
  begun,
  changeUnder,
  fake,
  interruptCrew,
  lead,
  run,
  statusOf,
  tester,
  writer,
} from './crew.ts'

beforeEach(interruptCrew)

describe('[S1] tasks resume: selection', () => {
  it('without an id: the one that stopped last, and its report on standard output', async () => {
    const { code, stdout, stderr } = await run(['tasks', 'resume'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Report of Describe it.\n' })
    expect(stderr).toMatch(/✓ completed +Describe it \(writer, \w{8}, run 2\)/)
    expect(statusOf(tester)).toBe('interrupted')
  })

  it('by a prefix: earlier messages are not printed again', async () => {
    const { code, stderr } = await run(['tasks', 'resume', tester.slice(0, 8)])
    expect(code).toBe(0)
    expect(stderr).toContain(`${tester} goes on`)
    expect(stderr).not.toContain('said in the first run')
  })

  it('lists the others that stay interrupted, and mentions --tree', async () => {
    const { stderr } = await run(['tasks', 'resume', lead])
    expect(stderr).toContain('not resumed: Add tests')
    expect(stderr).toMatch(/Describe it \(\w{8}\)\.\n {2}shiplog tasks resume \w{8} --tree/)
  })

  it('--tree: all agents in the tree of its root; a line as each begins and ends', async () => {
    const { code, stdout, stderr } = await run(['tasks', 'resume', tester, '--tree'])
    expect(code).toBe(0)
    expect([lead, tester, writer].map(statusOf)).toEqual(['completed', 'completed', 'completed'])
    expect(stderr).not.toContain('resumes "')
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

  it('--batch: the group of the task that stopped last, or of the named one', async () => {
    for (const argv of [['--batch'], [tester, '--batch'], ['--batch', tester]]) {
      const { stdout } = await run(['tasks', 'resume', ...argv, '--dry-run', '--json'])
      expect(JSON.parse(stdout).resumed).toMatchObject([{ taskId: tester }, { taskId: writer }])
    }
    expect((await run(['tasks', 'resume', '--batch'])).code).toBe(0)
    expect([lead, tester, writer].map(statusOf)).toEqual(['interrupted', 'completed', 'completed'])
  })

  it('3 for an unknown id, and if no task is interrupted', async () => {
    expect((await run(['tasks', 'resume', 'dead'])).code).toBe(3)
    const { code, stderr } = await runToEnd(['tasks', 'resume'])
    expect(code).toBe(3)
    expect(stderr).toContain('No agent is interrupted')
  })

  it('[T4] 5 for a completed one, with when it completed and how to continue from it', async () => {
    await run(['tasks', 'resume', tester])
    const { code, stdout, stderr } = await run(['tasks', 'resume', tester])
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    expect(stderr).toContain(
      `completed on ${momentOf(fake.state.tasks.get(tester)?.endedAt ?? '')}`,
    )
    expect(stderr).toContain(`shiplog tasks continue ${tester.slice(0, 8)}`)
  })

  it('[Q1] reports why a request to a model is repeated, also while several tasks run', async () => {
    const { onGoOn } = fake.given
    fake.onGoOn(async (taskId) => {
      if (taskId === tester) {
        if (statusOf(taskId) === 'queued') fake.spawn(taskId)
        fake.append(taskId, {
          type: 'retrying',
          runId: runIdOf(taskId, 2),
          turn: 1,
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

  it('--force continues despite conflicts', async () => {
    changeUnder(tester)
    expect((await run(['tasks', 'resume', tester, '--force'])).code).toBe(0)
    expect(statusOf(tester)).toBe('completed')
  })

  it('fits a terminal of 80 columns, and lists many conflicts one by one', async () => {
    const conflicts = [...Array(30).keys()].map((n) => ({
      path: `src/a folder/with a long name/${n}.ts`,
      oldPath: null,
      change: 'deleted' as const,
      changedBy: { kind: 'agent' as const, taskId: null, name: 'Add tests' },
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

  it('has the run, the drift and the end of each', async () => {
    const done = await document(tester)
    const { drift } = done.resumed[0]
    expect(done).toMatchObject({
      code: 0,
      stderr: '',
      dryRun: false,
      refused: [],
      notResumed: [lead, writer],
      resumed: [{ taskId: tester, run: 2, status: 'completed', begun: true, cause: null }],
    })
    expect(drift).toMatchObject({
      conflicts: [],
      headMoved: null,
      branchChanged: null,
      missing: [],
      dirty: [],
    })
  })

  it('is the same for a dry run, and for one that conflicts prevent', async () => {
    const look = await document(tester, '--dry-run')
    expect(look).toMatchObject({
      code: 0,
      dryRun: true,
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

it('[S1] lists the resumable tasks if the one that stopped last has no group', async () => {
  const alone = createFakeShiplog()
  const id = alone.createTask({ projectId: alone.addProject('/code/web'), title: 'Alone' })
  alone.spawn(id)
  alone.interrupt(id, { kind: 'error', detail: 'the power went' })
  const { code, stderr } = await runToEnd(['tasks', 'resume', '--batch'], { fake: alone })
  expect(code).not.toBe(0)
  expect(stderr).toContain('1 agent is interrupted:')
  expect(stderr).toContain(`shiplog tasks resume ${id.slice(0, 8)}   resumes "Alone"`)
})

it('[S1] reports interrupted tasks that can’t be resumed because their workspace was removed', async () => {
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
