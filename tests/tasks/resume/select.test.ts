import { expect, it } from 'vitest'
import { selectForResume } from '../../../src/main/tasks/resume/select.ts'
import { foldLedgerRecord } from '../../../src/shared/projections/ledger/fold-ledger.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../src/shared/projections/ledger/ledger-state.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import type { ResumeSelector } from '../../../src/shared/records/resume.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { taskCreated } from '../../ledger/histories.ts'

interface History {
  state: LedgerState
  begin(parentId?: TaskId): TaskId
  interrupt(...ids: TaskId[]): void
  /** `active`: those that run or wait for their turn. */
  selected(selector: ResumeSelector, active?: TaskId[]): TaskId[]
}

function newHistory(): History {
  const state = emptyLedgerState('/data')
  const projectId = newProjectId()
  const record = (event: LedgerEvent) =>
    foldLedgerRecord(state, { seq: state.seq + 1, at: state.seq * 1000, event })
  return {
    state,
    begin(parentId) {
      const taskId = newTaskId()
      const rootId = parentId && state.tasks.get(parentId)?.rootId
      record({ ...taskCreated(taskId, projectId, parentId ?? null), rootId: rootId ?? taskId })
      const process = { pid: 1, startedAt: '1' }
      record({ type: 'task.spawned', taskId, run: 1, process, spawnCommit: null })
      return taskId
    },
    interrupt(...ids) {
      for (const taskId of ids)
        record({
          type: 'task.interrupted',
          taskId,
          run: 1,
          cause: { kind: 'error', detail: 'the power went' },
          usage: noUsage,
        })
    },
    selected: (selector, active = []) =>
      selectForResume(state, selector, (id) => active.includes(id)).map(({ id }) => id),
  }
}

it('[S1] lists each agent below the one that it is a sub-agent of, in every tree', () => {
  const { begin, interrupt, selected } = newHistory()
  const lead = begin()
  const parser = begin(lead)
  const tests = begin(lead)
  const otherLead = begin()
  // Begun last, as a sub-agent's sub-agents are.
  const lexer = begin(parser)
  const fuzz = begin(tests)
  const docs = begin(otherLead)
  interrupt(lead, parser, tests, otherLead, lexer, fuzz, docs)
  const tree = [lead, parser, lexer, tests, fuzz]
  expect(selected({ by: 'tree', taskId: fuzz })).toEqual(tree)
  expect(selected({ by: 'all' })).toEqual([...tree, otherLead, docs])
})

it('[S1] keeps that order if those between them are not included', () => {
  const { begin, interrupt, selected } = newHistory()
  const lead = begin()
  const parser = begin(lead)
  const tests = begin(lead)
  const lexer = begin(parser)
  interrupt(lead, tests, lexer)
  expect(selected({ by: 'tree', taskId: lead })).toEqual([lead, lexer, tests])
})

it('[S1] reports that neither a group nor an agent has the name', () => {
  const { begin, interrupt, selected } = newHistory()
  interrupt(begin())
  expect(() => selected({ by: 'group', group: 'nope' })).toThrow(
    /^There is no parallel group "nope", and no agent with that id/,
  )
})

it('[S1] uses the agent that stopped last if none is named', () => {
  const { begin, interrupt, selected } = newHistory()
  const [first, second, third] = [begin(), begin(), begin()]
  interrupt(second)
  interrupt(third)
  interrupt(first)
  expect(selected({ by: 'most-recent' })).toEqual([first])
})

it('[S1] omits tasks that already wait for their turn', () => {
  const { begin, interrupt, selected } = newHistory()
  const lead = begin()
  const parser = begin(lead)
  interrupt(lead, parser)
  expect(selected({ by: 'all' }, [lead])).toEqual([parser])
  expect(selected({ by: 'tree', taskId: lead }, [parser])).toEqual([lead])
  expect(() => selected({ by: 'task', taskId: lead }, [lead])).toThrow(/is running, or about to/)
  expect(() => selected({ by: 'all' }, [lead, parser])).toThrow(/No agent is interrupted/)
})
