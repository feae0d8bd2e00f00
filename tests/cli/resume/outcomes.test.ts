/** How a resume ends, by `tasks resume` and by `agent run --resume`, and what lists say of tasks that can be resumed. */
import { beforeEach, describe, expect, it } from 'vitest'
import { jsonLines, startCli } from '../fake-process.ts'
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

describe('how a resume ends', () => {
  it('[T6] 1 when one of them fails; the others continue to their end', async () => {
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

  it('waits for the sub-agents that a resumed one has started', async () => {
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

describe('agent run --resume', () => {
  const agentRun = (...argv: string[]) => run(['agent', 'run', ...argv])

  it('continues with a root and all below it; the drift report on standard error', async () => {
    const { code, stdout, stderr } = await agentRun('--resume', lead.slice(0, 8))
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Report of Fix the parser.\n' })
    expect(stderr).toContain('Nothing has changed since.')
    expect([lead, tester, writer].map(statusOf)).toEqual(['completed', 'completed', 'completed'])
  })

  it('of a sub-agent: it and those below it only', async () => {
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
      type: 'result',
      taskId: lead,
      status: 'completed',
      report: { reportMarkdown: 'Report of Fix the parser.' },
    })
  })

  it('sends the prompt to a root, and refuses it for a sub-agent (2)', async () => {
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

  it('--project may be omitted, and must be correct otherwise (2)', async () => {
    const wrong = await agentRun('--resume', lead, '--project', '/code/other')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('works on /code/api')
    expect((await agentRun('--resume', lead, '--project', '/code/api')).code).toBe(0)
    const neither = await agentRun('Do it')
    expect(neither.code).toBe(2)
    expect(neither.stderr).toMatch(/--project DIR.*--resume ID/)
  })

  it('refuses options that can’t be combined with it', async () => {
    const { code, stderr } = await agentRun('--resume', lead, '--scenario', 'x', '--keep')
    expect(code).toBe(2)
    expect(stderr).toContain('omit --scenario and --keep')
  })
})

describe('the lists', () => {
  it('show why a task stopped, what it waits for, and how to continue it', async () => {
    const projectId = fake.projectOf(lead)
    fake.createTask({ projectId, parentId: lead, title: 'Notes', dependsOn: [tester] })
    const { stdout, stderr } = await run(['tasks', 'list'])
    expect(stdout).toMatch(/❚❚ interrupted +├─ Add tests .*\n +│ +the power went\n/)
    expect(stdout).toMatch(/◌ queued +└─ Notes .*\n +waits for "Add tests"\n/)
    expect(stderr).toMatch(/^3 interrupted:\n {2}shiplog tasks resume +resumes the latest\n/)
  })

  it('name the failed task; the user chooses among several', async () => {
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

  it('show how often each ran, and which task it continues', async () => {
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
