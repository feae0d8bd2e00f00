/** What `tasks retry`, `restart`, `abandon` and `continue` request, print and end with. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { jsonLines } from '../fake-process.ts'
import { fake, interruptCrew, lead, run, statusOf, tester, writer } from './crew.ts'

beforeEach(interruptCrew)

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
      code: 1,
      taskId: again,
      run: 2,
      status: 'failed',
      cause: { kind: 'said', text: 'again' },
      report: null,
    })
  })

  it('abandon: abandons an interrupted task, and reports it', async () => {
    const { code, stderr } = await run(['tasks', 'abandon', tester])
    expect(code).toBe(0)
    expect(stderr).toContain('Abandoned Add tests')
    expect(statusOf(tester)).toBe('abandoned')
    const { stdout } = await run(['tasks', 'abandon', writer, '--json'])
    expect(JSON.parse(stdout)).toEqual({ abandoned: [writer] })
    expect((await run(['tasks', 'abandon', writer])).code).toBe(5)
  })

  it('restart: reports how many tasks below it were abandoned', async () => {
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
