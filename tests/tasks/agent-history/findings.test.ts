import { expect, it } from 'vitest'
import { createFindings } from '../../../src/main/tasks/agent-history/findings.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { testLedger } from './ledger-of.ts'

/** A completed agent with a worktree of its own and a report. */
function finishedTask(): Task {
  const ledger = testLedger()
  const taskId = ledger.ask()
  ledger.spawn(taskId)
  ledger.complete(taskId)
  const task = ledger.state.tasks.get(taskId)
  if (!task) throw new Error('The ledger has no such task.')
  // What the look-up reads of it.
  const workspace = { isolation: 'worktree', baseCommit: 'c' } as NonNullable<Task['workspace']>
  return { ...task, workspace, hasReport: true }
}

function countingFindings() {
  const asked: string[] = []
  const findings = createFindings({
    changedPaths: async () => {
      asked.push('git')
      return ['a.txt']
    },
    reportedResults: async () => {
      asked.push('report')
      return null
    },
  })
  return { asked, findings }
}

const open = { closing: false }

it('does not ask Git about an agent whose files an earlier process recorded', async () => {
  const { asked, findings } = countingFindings()
  const task = finishedTask()
  const wanted = findings.due(task, { files_modified: ['a.txt'], task_results: null }, open)
  expect(wanted).toEqual({ files: false, results: true })
  if (wanted) await findings.lookUp(task, wanted)
  expect(asked).toEqual(['report'])
})

it('asks again once a run has ended in this process', async () => {
  const { asked, findings } = countingFindings()
  const task = finishedTask()
  findings.ended(task.id)
  const known = { files_modified: ['old.txt'], task_results: {} as never }
  const wanted = findings.due(task, known, { closing: true })
  if (wanted) await findings.lookUp(task, wanted)
  expect(asked).toEqual(['git', 'report'])
  expect(findings.of(task)?.files).toEqual(['a.txt'])
  expect(findings.due(task, known, open)).toBeNull()
})
