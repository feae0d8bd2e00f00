import { describe, expect, it } from 'vitest'
import { interruptedRows } from '../../src/renderer/store/resume/resumable.ts'
import {
  countChoices,
  firstChoices,
  onlyTopmost,
  resumeActionLabel,
  resumeSummary,
  resumeTitle,
  rowsFor,
  sentChoices,
  withChoice,
} from '../../src/renderer/views/resume/choices.ts'
import { type DriftReport, thePerson } from '../../src/shared/records/drift.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'

/** A root with a child and a grandchild, and another root; all of them interrupted. */
async function interrupted(drift: Record<TaskId, DriftReport> = {}) {
  const host = createFakeHost({ drift })
  const project = host.addProject('/home/ada/projects/harbour')
  const root = host.start({ projectId: project, title: 'Light the harbour' })
  const child = host.start({
    projectId: project,
    title: 'Test the lamps',
    agent: 'tester',
    parentId: root,
  })
  const nested = host.start({
    projectId: project,
    title: 'Make fixtures',
    agent: 'fixer',
    parentId: child,
  })
  const other = host.start({ projectId: project, title: 'Repair the fog horn' })
  for (const taskId of [nested, other, child, root]) host.interrupt(taskId)
  const { candidates } = await host.client.tasks.planResume({ selector: { by: 'all' } })
  return { host, tasks: host.state.tasks, candidates, root, child, nested, other }
}

describe('choices of a resume', () => {
  it('are shown as trees, and for one agent with those below it', async () => {
    const { tasks, candidates, child, nested } = await interrupted()
    const shown = (rows: ReturnType<typeof rowsFor>) =>
      rows.map(({ candidate, depth }) => `${depth} ${candidate.title}`)
    expect(shown(rowsFor(candidates, { of: 'all' }, tasks)).toSorted()).toEqual([
      '0 Light the harbour',
      '0 Repair the fog horn',
      '1 Test the lamps',
      '2 Make fixtures',
    ])
    const below = rowsFor(candidates, { of: 'task', taskId: child }, tasks)
    expect(shown(below)).toEqual(['0 Test the lamps', '1 Make fixtures'])
    expect(below.map(({ candidate }) => candidate.taskId)).toEqual([child, nested])
  })

  it('are in the order of the list', async () => {
    const { tasks, candidates } = await interrupted()
    const listed = interruptedRows(tasks).map(({ task }) => task.id)
    for (const found of [candidates, candidates.toReversed()]) {
      const rows = rowsFor(found, { of: 'all' }, tasks)
      expect(rows.map(({ candidate }) => candidate.taskId)).toEqual(listed)
    }
  })

  it('leave out agents that are not shown', async () => {
    const { tasks, candidates, root, child, nested, other } = await interrupted()
    const rows = rowsFor(candidates, { of: 'task', taskId: child }, tasks)
    const choices = firstChoices(rows, 'resume', tasks)
    expect(sentChoices(candidates, rows, choices)).toEqual({
      [root]: 'leave',
      [child]: 'resume',
      [nested]: 'resume',
      [other]: 'leave',
    })
    expect(sentChoices(candidates, rows.slice(0, 1), choices)[nested]).toBe('leave')
  })

  it('abandon agents below one that restarts, and resume them if it is resumed', async () => {
    const { tasks, candidates, root, child, nested } = await interrupted()
    const rows = rowsFor(candidates, { of: 'task', taskId: root }, tasks)
    const fresh = firstChoices(rows, 'restart', tasks)
    expect(fresh).toEqual({ [root]: 'restart', [child]: 'abandon', [nested]: 'abandon' })
    const kept = withChoice(fresh, rows, nested, 'leave', tasks)
    expect(withChoice(kept, rows, root, 'resume', tasks)).toEqual({
      [root]: 'resume',
      [child]: 'resume',
      [nested]: 'leave',
    })
  })

  it('abandon agents that can’t be resumed below one that restarts', async () => {
    const { tasks, candidates, root, nested } = await interrupted()
    const hindered = candidates.map((one) =>
      one.taskId === nested ? { ...one, obstacle: 'The folder is gone.' } : one,
    )
    const rows = rowsFor(hindered, { of: 'task', taskId: root }, tasks)
    const fresh = firstChoices(rows, 'restart', tasks)
    expect(fresh[nested]).toBe('abandon')
    expect(withChoice(fresh, rows, root, 'resume', tasks)[nested]).toBe('leave')
  })

  it('leave out the agents below a single one, but abandon them if it restarts', async () => {
    const { tasks, candidates, root, child, nested, other } = await interrupted()
    const rows = rowsFor(candidates, { of: 'task', taskId: root }, tasks)
    const resumed = onlyTopmost(rows, firstChoices(rows, 'resume', tasks))
    expect(resumed.included.map(({ candidate }) => candidate.taskId)).toEqual([root])
    const fresh = withChoice(firstChoices(rows, 'restart', tasks), rows, child, 'leave', tasks)
    const restarted = onlyTopmost(rows, fresh)
    expect(sentChoices(candidates, restarted.included, restarted.choices)).toEqual({
      [root]: 'restart',
      [child]: 'abandon',
      [nested]: 'abandon',
      [other]: 'leave',
    })
  })

  it('[S2] are named by the button', async () => {
    const { tasks, candidates, root, child, nested } = await interrupted()
    const rows = rowsFor(candidates, { of: 'task', taskId: root }, tasks)
    const words = (choices: Parameters<typeof countChoices>[1]) =>
      resumeActionLabel(countChoices(rows, choices))
    expect(words({})).toBe('Resume')
    expect(words({ [root]: 'restart', [child]: 'leave', [nested]: 'leave' })).toBe('Restart')
    expect(words({ [root]: 'abandon', [child]: 'abandon', [nested]: 'abandon' })).toBe('Abandon 3')
    expect(words({ [root]: 'restart', [child]: 'abandon', [nested]: 'abandon' })).toBe(
      'Restart 1, abandon 2',
    )
    const [first] = rows
    if (!first?.candidate.drift) throw new Error('nothing is interrupted')
    first.candidate.drift.conflicts = [
      { path: 'lamp.ts', oldPath: null, change: 'modified', changedBy: thePerson },
    ]
    expect(words({})).toBe('Resume anyway')
    expect(words({ [root]: 'leave' })).toBe('Resume')
  })

  it('[S2] are named by the title and a sentence', async () => {
    const { tasks, candidates, root, child, nested } = await interrupted()
    const rows = rowsFor(candidates, { of: 'task', taskId: root }, tasks)
    const said = (choices: Parameters<typeof countChoices>[1]) => {
      const counts = countChoices(rows, choices)
      return [resumeTitle('Light', choices[root] ?? 'resume', counts), resumeSummary(counts)]
    }
    const all = (choice: 'abandon' | 'restart' | 'leave') => ({
      [root]: choice,
      [child]: choice,
      [nested]: choice,
    })
    expect(said({})).toEqual([
      'Resume “Light”',
      'All 3 will pick up where they stopped, with their full history.',
    ])
    expect(said(all('abandon'))).toEqual([
      'Abandon “Light”',
      'All 3 will be abandoned. What they did stays in the archive.',
    ])
    expect(said(all('restart'))).toEqual([
      'Restart “Light”',
      'All 3 will restart from the beginning. What they did so far stays in the archive.',
    ])
    expect(said({ ...all('abandon'), [root]: 'restart' })).toEqual([
      'Restart “Light”',
      'Of these 3, 1 will restart; 2 will be abandoned.',
    ])
    expect(said({ [root]: 'leave', [nested]: 'abandon' })).toEqual([
      'Only the sub-agents of “Light”',
      'Of these 3, 1 will resume; 1 will be abandoned; 1 stays interrupted.',
    ])
    expect(said(all('leave'))).toEqual(['Resume “Light”', 'All 3 stay interrupted.'])
    expect(resumeSummary({ ...countChoices(rows, {}), resume: 2 })).toBe(
      'Both will pick up where they stopped, with their full history.',
    )
    expect(resumeTitle(null, 'abandon', countChoices(rows, all('abandon')))).toBe(
      'Abandon interrupted agents',
    )
    const [first] = rows
    if (!first?.candidate.drift) throw new Error('nothing is interrupted')
    first.candidate.drift.conflicts = [
      { path: 'lamp.ts', oldPath: null, change: 'modified', changedBy: thePerson },
    ]
    expect(said({ [nested]: 'abandon' })[1]).toBe(
      'Of these 3, 2 will resume; 1 will be abandoned. 1 of these 3 agents has conflicts: files it was working on were changed. It will continue with the files in its folder as they are now.',
    )
  })

  it('can’t resume an agent with an obstacle', async () => {
    const { tasks, candidates, root } = await interrupted()
    const hindered = candidates.map((one) =>
      one.taskId === root ? { ...one, obstacle: 'The folder is gone.' } : one,
    )
    const rows = rowsFor(hindered, { of: 'all' }, tasks)
    expect(firstChoices(rows, 'resume', tasks)[root]).toBe('leave')
  })
})
