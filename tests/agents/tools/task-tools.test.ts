import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JournalWriteError } from '../../../src/main/journal/index.ts'
import type { ApplyOutcome, AwaitedTask } from '../../../src/shared/agents/tools.ts'
import { newTaskId, shortId } from '../../../src/shared/records/ids.ts'
import { detailOf, openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

const taskId = newTaskId()
const done: AwaitedTask = {
  taskId,
  title: 'Add tests',
  agent: 'tester',
  status: 'completed',
  cause: null,
  report: { run: 1, title: 'Tests added', markdown: '- one\n- two\n' },
}
const failed: AwaitedTask = {
  ...done,
  title: 'Fix it',
  status: 'failed',
  cause: { kind: 'no-report' },
  report: null,
}
const request = { agent: 'tester', title: 'Add tests', prompt: 'Cover the parser' }

describe('task', () => {
  it('waits for the sub-agent and returns its report', async () => {
    const asked: unknown[] = []
    bench.tasks.spawn = async (wanted) => {
      asked.push(wanted)
      return { taskId }
    }
    bench.tasks.await = async (wanted) => {
      asked.push(wanted)
      return [done]
    }
    const result = await bench.call('task', request)
    expect(asked).toEqual([request, [taskId]])
    expect(result).toMatchObject({ outcome: 'ok', detail: { kind: 'tasks', tasks: [done] } })
    expect(result.output).toBe(
      `**Add tests** (tester, ${shortId(taskId)}): completed\n\n*Tests added*\n\n- one\n- two`,
    )
  })

  it('returns at once for a background task', async () => {
    bench.tasks.spawn = async () => ({ taskId })
    const result = await bench.call('task', { ...request, background: true })
    expect(result.output).toContain('Add tests')
    expect(result.output).toContain(taskId)
    expect(detailOf(result, 'tasks').tasks).toMatchObject([{ taskId, report: null }])
  })

  it('is an error when the sub-agent did not complete', async () => {
    bench.tasks.spawn = async () => ({ taskId })
    bench.tasks.await = async () => [failed]
    const result = await bench.call('task', request)
    expect(result.outcome).toBe('error')
    expect(result.output).toContain('failed, ended without a report')
  })

  it('returns a refusal of the services to the agent', async () => {
    bench.tasks.spawn = () => Promise.reject(new Error('At most 5 levels of sub-agents.'))
    expect(await bench.call('task', request)).toEqual({
      outcome: 'error',
      output: 'At most 5 levels of sub-agents.',
    })
  })

  it('ends the run when the record could not be written', async () => {
    const full = new JournalWriteError('ledger.jsonl', { code: 'ENOSPC' })
    bench.tasks.spawn = () => Promise.reject(full)
    await expect(bench.call('task', request)).rejects.toBe(full)
  })
})

describe('task_await', () => {
  it('passes on the tasks to wait for and the time limit', async () => {
    const asked: unknown[] = []
    bench.tasks.await = async (wanted, { timeoutMs }) => {
      asked.push([wanted, timeoutMs])
      return [done, failed]
    }
    const result = await bench.call('task_await', { tasks: 'all', timeout: '1.5s' })
    await bench.call('task_await', { tasks: ['Add tests'], timeout: 20 })
    await bench.call('task_await', { tasks: ['Add tests'] })
    expect(asked).toEqual([
      ['all', 1500],
      [['Add tests'], 20],
      [['Add tests'], undefined],
    ])
    expect(result.outcome).toBe('ok')
    expect(detailOf(result, 'tasks').tasks).toEqual([done, failed])
    expect(result.output).toContain('*Tests added*')
    expect(result.output).toContain('**Fix it**')
  })

  it('states what still runs at the time limit', async () => {
    bench.tasks.await = async () => [done, { ...failed, status: 'spawned', cause: null }]
    const result = await bench.call('task_await', { tasks: 'all', timeout: 1 })
    expect(result.output).toContain('[1 of 2 still running]')
    const blocked = { ...failed, status: 'blocked' as const }
    bench.tasks.await = async () => [done, blocked]
    const { output } = await bench.call('task_await', { tasks: 'all' })
    expect(output).toContain('[1 of 2 blocked]')
    expect(output).not.toContain('still running')
  })

  it('refuses an invalid time limit', async () => {
    const result = await bench.call('task_await', { tasks: 'all', timeout: 'soon' })
    expect(result).toMatchObject({ outcome: 'error' })
    expect(result.output).toMatch(/^timeout: .*30s/)
  })

  it('stops waiting on abort, even when the services do not', async () => {
    bench.tasks.await = () => new Promise(() => {})
    const running = bench.call('task_await', { tasks: 'all' })
    const reason = new Error('quitting')
    bench.abort.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})

describe('the other task tools', () => {
  it('list and stop tasks', async () => {
    bench.tasks.list = async () => []
    expect((await bench.call('task_list')).output).toBe('[no sub-agents]')
    bench.tasks.stop = async (task) => ({
      ...failed,
      title: task,
      status: 'interrupted',
      cause: { kind: 'error', detail: 'stopped' },
    })
    expect((await bench.call('task_stop', { task: 'Fix it' })).output).toContain(
      `**Fix it** (tester, ${shortId(taskId)}): interrupted, stopped`,
    )
  })

  it('return a conflict as an error that changed nothing', async () => {
    const conflict: ApplyOutcome = {
      kind: 'conflict',
      paths: ['src/a.ts'],
      message: 'Conflict in src/a.ts. Nothing was changed.',
    }
    bench.tasks.applyPatch = async (title) => ({ taskId, title, outcome: conflict })
    const result = await bench.call('task_apply_patch', { task: 'Add tests' })
    expect(result.outcome).toBe('error')
    expect(result.output.match(/Nothing was changed\./g)).toHaveLength(1)
    expect(result.output).toContain('In conflict:\nsrc/a.ts')
    expect(detailOf(result, 'apply')).toMatchObject({ taskId, outcome: conflict })
  })

  it.each<[ApplyOutcome, string]>([
    [
      {
        kind: 'applied',
        files: [
          { path: 'a', change: 'modified', oldPath: null },
          { path: 'c', change: 'renamed', oldPath: 'b' },
        ],
      },
      'a\nb -> c',
    ],
    [{ kind: 'nothing-to-apply' }, 'changed no files'],
    [{ kind: 'already-applied' }, 'applied before'],
  ])('tells how applying went: %j', async (outcome, text) => {
    bench.tasks.applyPatch = async (title) => ({ taskId, title, outcome })
    const result = await bench.call('task_apply_patch', { task: 'Add tests' })
    expect(result.outcome).toBe('ok')
    expect(result.output).toContain(text)
  })

  it('end the run with a report', async () => {
    const reports: unknown[] = []
    bench.tasks.report = async (report) => void reports.push(report)
    const report = { title: 'Done', markdown: '# All\n', taskResults: { tests: 3 } }
    expect(await bench.call('agent_report', report)).toEqual({
      outcome: 'ok',
      output: 'Reported: Done',
      detail: { kind: 'report', title: 'Done', markdown: '# All\n' },
      endsRun: true,
    })
    expect(reports).toEqual([report])
  })

  it('[A6] return an error if a report could not be kept', async () => {
    const lost = new Error('report.md could not be written')
    bench.tasks.report = () => Promise.reject(lost)
    await expect(bench.call('agent_report', { title: 'x', markdown: '' })).rejects.toBe(lost)
  })
})

describe('a wrong call', () => {
  it.each([
    ['fly', {}, /no tool named "fly".*bash/],
    ['toString', {}, /no tool named/],
    ['bash', {}, /command: is missing; give a string/],
    ['bash', { command: 5 }, /command: give a string/],
    ['bash', { command: '' }, /command: empty; give a text/],
    ['bash', { command: 'ls', timeoutMs: 0 }, /timeoutMs: give 1 or more/],
    [
      'bash',
      { command: 'ls', cmd: 1 },
      /cmd: no such key; .*use one that bash takes: command, timeoutMs/,
    ],
    ['task_list', { all: true }, /all: no such key; leave it out, task_list takes no keys/],
    ['task', { ...request, dependsOn: [1] }, /dependsOn\[0\]: give a string/],
    ['task', { ...request, isolation: 'none' }, /isolation: give "worktree" or "in-place"/],
    ['task_await', { tasks: 7 }, /tasks: give "all" or an array/],
    ['task_await', { tasks: [] }, /tasks: give at least 1 item/],
    ['web_fetch', { url: 'x'.repeat(4001) }, /url: too long; give 4000 characters or fewer/],
    ['bash', 'ls', /not called. Correct its input and call it again:\n- input: give an object/],
    ['bash', null, /input: give an object/],
  ])('%s %j is answered with the key and what is expected', async (name, input, message) => {
    const result = await bench.call(name, input as object)
    expect(result.outcome).toBe('error')
    expect(result.output).toMatch(message)
  })
})
