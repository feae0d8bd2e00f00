import { describe, expect, it } from 'vitest'
import { interruptedRows, interruptedTrees } from '../../src/renderer/store/resume/resumable.ts'
import {
  type AgentFilter,
  type SidebarRow,
  sidebarRows,
  withFold,
} from '../../src/renderer/views/sidebar/rows.ts'
import { childrenByParent } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { PendingRemoval } from '../../src/shared/records/projects/workspaces.ts'
import type { Activity } from '../../src/shared/records/tasks/activity.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'

function harbour() {
  const host = createFakeHost()
  const project = host.addProject('/home/ada/projects/harbour')
  const unused = host.addProject('/home/ada/projects/unused')
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
  const rows = (
    folded: string[] = [],
    filter: AgentFilter = 'all',
    more: { text?: string; needing?: ReadonlySet<TaskId> } = {},
  ) =>
    sidebarRows({
      projects: host.state.projects.values(),
      children: childrenByParent(host.state.tasks.values()),
      isFolded: (id) => folded.includes(id),
      filter,
      ...more,
    })
  return { host, project, unused, root, child, nested, rows }
}

const shown = (rows: SidebarRow[]): string[] =>
  rows.map((row) => (row.kind === 'project' ? row.label : `${row.level - 1} ${row.task.title}`))

describe('sidebar rows', () => {
  it('are projects with the trees of their roots, newest root first', () => {
    const { host, project, rows } = harbour()
    host.start({ projectId: project, title: 'Repair the fog horn' })
    expect(shown(rows())).toEqual([
      'harbour',
      '1 Repair the fog horn',
      '1 Light the harbour',
      '2 Test the lamps',
      '3 Make fixtures',
      'unused',
    ])
  })

  it('are projects by name, and none moves when one of them is worked on', () => {
    const { host, unused, rows } = harbour()
    for (const name of ['pier10', 'Pier2', 'anchor']) host.addProject(`/home/ada/projects/${name}`)
    const projects = () => rows().flatMap((row) => (row.kind === 'project' ? row.label : []))
    const byName = ['anchor', 'harbour', 'Pier2', 'pier10', 'unused']
    expect(projects()).toEqual(byName)
    host.start({ projectId: unused, title: 'Repair the fog horn' })
    expect(projects()).toEqual(byName)
  })

  it('show the location beside equal names', () => {
    const { host, rows } = harbour()
    host.addProject('/home/ada/old/harbour')
    const labels = rows().flatMap((row) => (row.kind === 'project' ? row.label : []))
    expect(labels.toSorted()).toEqual(['harbour (old)', 'harbour (projects)', 'unused'])
  })

  it('keep a cleaned-up sub-agent in its tree, and lose the tree once the root is archived', () => {
    const { host, root, nested, child, rows } = harbour()
    host.archive(nested)
    expect(shown(rows())).toContain('3 Make fixtures')
    host.archive(child)
    host.archive(root)
    expect(shown(rows())).toEqual(['harbour', 'unused'])
  })

  it('[R5] omit a tree as soon as its removal has begun, and show it again while that is postponed', () => {
    const { host, root, child, rows } = harbour()
    const advance = (step: 'started' | 'patch-saved', pending: PendingRemoval | null) =>
      host.record({ type: 'workspace.removal-advanced', workspaceId: root, step, pending })
    host.interrupt(child)
    expect(interruptedRows(host.state.tasks)).toHaveLength(1)
    advance('started', null)
    expect(shown(rows())).toEqual(['harbour', 'unused'])
    expect(interruptedRows(host.state.tasks)).toEqual([])
    advance('patch-saved', { step: 'transcript-moved', error: 'the disk is full' })
    expect(shown(rows())).toContain('1 Light the harbour')
  })

  it('omit the rows below a folded one, and count the running ones', () => {
    const { project, child, rows } = harbour()
    expect(shown(rows([child]))).not.toContain('3 Make fixtures')
    const folded = rows([project])
    expect(shown(folded)).toEqual(['harbour', 'unused'])
    expect(folded[0]).toMatchObject({ folded: true, running: 1, hasChildren: true })
    expect(folded[1]).toMatchObject({ hasChildren: false })
  })

  it('are those with every word of a text, or those that need the user', () => {
    const { host, project, root, nested, rows } = harbour()
    host.start({ projectId: project, title: 'Repair the fog horn' })
    expect(shown(rows([], 'all', { text: 'LAMPS test' }))).toEqual([
      'harbour',
      '1 Light the harbour',
      '2 Test the lamps',
      'unused',
    ])
    const needing = { needing: new Set([nested]) }
    expect(shown(rows([], 'needs-you', needing))).toContain('3 Make fixtures')
    expect(shown(rows([], 'needs-you', needing))).not.toContain('1 Repair the fog horn')
    expect(shown(rows([], 'needs-you', { needing: new Set([root]), text: 'horn' }))).toEqual([
      'harbour',
      'unused',
    ])
  })

  it('omit rows that do not match the filter, and keep the ancestors of the others', () => {
    const { host, project, root, child, nested, rows } = harbour()
    host.start({ projectId: project, title: 'Repair the fog horn' })
    host.interrupt(nested)
    const tree = ['harbour', '1 Light the harbour', '2 Test the lamps']
    expect(shown(rows([], 'interrupted'))).toEqual([...tree, '3 Make fixtures', 'unused'])
    expect(shown(rows([], 'finished'))).toEqual(['harbour', 'unused'])
    host.record({ type: 'task.completed', taskId: child, run: 1, usage: noUsage })
    expect(shown(rows([], 'finished'))).toEqual([...tree, 'unused'])
    host.record({ type: 'task.completed', taskId: root, run: 1, usage: noUsage })
    expect(shown(rows([], 'at-work'))).toEqual(['harbour', '1 Repair the fog horn', 'unused'])
  })
})

describe('interrupted tasks', () => {
  it('are listed as trees, with how many are below each, until they are cleaned up', () => {
    const { host, root, child, nested } = harbour()
    for (const taskId of [nested, child, root]) host.interrupt(taskId)
    const listed = () =>
      interruptedRows(host.state.tasks).map(
        ({ task, depth, below }) => `${depth} ${task.title} (${below})`,
      )
    expect(listed()).toEqual([
      '0 Light the harbour (2)',
      '1 Test the lamps (1)',
      '2 Make fixtures (0)',
    ])
    host.archive(child)
    expect(listed()).toEqual(['0 Light the harbour (1)', '1 Make fixtures (0)'])
  })

  it('include those that never began, once their root has stopped', () => {
    const { host, project, root } = harbour()
    const late = host.createTask({
      projectId: project,
      title: 'Paint the lamps',
      agent: 'painter',
      parentId: root,
    })
    const has = () => interruptedRows(host.state.tasks).some(({ task }) => task.id === late)
    expect(has()).toBe(false)
    host.interrupt(root)
    expect(has()).toBe(true)
  })

  it('[S1] include one that an earlier host queued while its root runs again, and omit one that waits in this host', () => {
    const { host, project, root } = harbour()
    const late = host.createTask({
      projectId: project,
      title: 'Paint the lamps',
      agent: 'painter',
      parentId: root,
    })
    const has = (since: string, waiting: [TaskId, Activity][] = []) =>
      interruptedRows(host.state.tasks, since, new Map(waiting)).some(
        ({ task }) => task.id === late,
      )
    expect(has('2000-01-01T00:00:00.000Z')).toBe(false)
    expect(has('2099-01-01T00:00:00.000Z', [[late, { state: 'waiting' }]])).toBe(false)
    expect(has('2099-01-01T00:00:00.000Z')).toBe(true)
  })

  it('include a root that never began, once another host is running', () => {
    const { host, project } = harbour()
    const root = host.start({ projectId: project, title: 'Paint the pier' })
    const task = host.state.tasks.get(root)
    if (!task) throw new Error('the root was not started')
    host.state.tasks.set(root, { ...task, status: 'queued', runs: [] })
    const has = (since: string | null) =>
      interruptedRows(host.state.tasks, since).some(({ task: { id } }) => id === root)
    expect(has(null)).toBe(false)
    expect(has(task.createdAt)).toBe(false)
    expect(has('2099-01-01T00:00:00.000Z')).toBe(true)
  })

  it('begin with the tree that stopped last', () => {
    const { host, project, root } = harbour()
    const other = host.start({ projectId: project, title: 'Repair the fog horn' })
    for (const taskId of [other, root]) host.interrupt(taskId)
    expect(interruptedRows(host.state.tasks).map(({ task }) => task.title)).toEqual([
      'Light the harbour',
      'Repair the fog horn',
    ])
  })

  it('[S1] stay listed after their root has completed, until they are resumed, abandoned or removed', () => {
    const { host, root, child } = harbour()
    host.interrupt(child)
    const titles = () => interruptedRows(host.state.tasks).map(({ task }) => task.title)
    expect(titles()).toEqual(['Test the lamps'])
    host.record({ type: 'task.completed', taskId: root, run: 1, usage: noUsage })
    expect(titles()).toEqual(['Test the lamps'])
    expect(
      interruptedTrees(host.state.tasks, interruptedRows(host.state.tasks)).map(
        (tree) => `${tree.root.title}: ${tree.interrupted}`,
      ),
    ).toEqual(['Light the harbour: 1'])
    host.record({ type: 'task.abandoned', taskId: child, cause: { kind: 'abandoned' } })
    expect(titles()).toEqual([])
  })
})

describe('[Q1] a tree that waits for a spent quota', () => {
  it('sleeps until then, and is not interrupted', () => {
    const { host, root, child, nested, rows } = harbour()
    const untilMs = Date.now() + 3_600_000
    const cause = { kind: 'quota', untilMs, detail: '5-hour limit' } as const
    host.interrupt(nested, { kind: 'stopped', by: 'person' })
    for (const id of [child, root]) host.interrupt(id, cause)
    const listed = () => interruptedRows(host.state.tasks).map(({ task }) => task.title)
    expect(listed()).toEqual(['Light the harbour', 'Test the lamps', 'Make fixtures'])
    host.record({
      type: 'task.sleep-started',
      taskId: root,
      untilMs,
      wait: 1,
      reason: cause.detail,
    })
    const sleeping = rows().flatMap((row) =>
      row.kind === 'task' ? [[row.task.title, row.sleepsUntil !== null]] : [],
    )
    expect(sleeping).toEqual([
      ['Light the harbour', true],
      ['Test the lamps', true],
      // The user stopped it before.
      ['Make fixtures', false],
    ])
    expect(listed()).toEqual(['Make fixtures'])
    const titles = (filter: AgentFilter) => shown(rows([], filter))
    expect(titles('at-work')).toContain('2 Test the lamps')
    expect(titles('interrupted')).toContain('3 Make fixtures')
    host.record({ type: 'task.sleep-ended', taskId: root, because: 'cancelled' })
    expect(listed()).toEqual(['Light the harbour', 'Test the lamps', 'Make fixtures'])
  })
})

it('remembers a row that was opened, also once it has been read', () => {
  const none = { folded: [], opened: [] }
  const closed = withFold(none, { id: 'a', isFolded: false, isRead: false })
  expect(closed).toEqual({ folded: ['a'], opened: [] })
  const open = withFold(closed, { id: 'a', isFolded: true, isRead: false })
  expect(open).toEqual({ folded: [], opened: ['a'] })
  // Read since, and still open.
  expect(withFold(open, { id: 'a', isFolded: false, isRead: true })).toEqual(none)
})
