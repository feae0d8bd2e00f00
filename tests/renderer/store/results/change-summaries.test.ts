import { describe, expect, it } from 'vitest'
import { createChangeSummaries } from '../../../../src/renderer/store/results/change-summaries.ts'
import type { TargetComparison } from '../../../../src/shared/contract/changes/changes.ts'
import type { ShiplogClient } from '../../../../src/shared/contract/index.ts'
import type { WorkspaceDiff } from '../../../../src/shared/contract/workspace.ts'
import type { Task } from '../../../../src/shared/records/tasks/tasks.ts'
import { ids, laterState, taskWith } from '../../../fixtures/entries/tasks.ts'

const file = (path: string, additions: number | null, deletions: number | null) => ({
  path,
  change: 'modified' as const,
  oldPath: null,
  additions,
  deletions,
  contentId: '1'.repeat(40),
})
const ended = (more: Partial<Task> = {}): Task =>
  taskWith({ ...laterState.tasks.get(ids.lead), status: 'completed', patch: 'ready', ...more })

function summaries(files: WorkspaceDiff['files']) {
  const asked: boolean[] = []
  const diff = async ({ patch = true }: { patch?: boolean }) => {
    asked.push(patch)
    return { files, patch: '', truncated: false, target: { path: '/api', branch: 'main' } }
  }
  const inTarget = new Set<string>()
  const compareTarget = async (): Promise<TargetComparison> => ({
    tree: null,
    files: files.map(({ path }) => ({
      path,
      state: inTarget.has(path) ? 'applied' : 'open',
      uncommitted: false,
      hunks: [],
    })),
    conflicts: [],
  })
  const client = { workspace: { diff, compareTarget } } as unknown as ShiplogClient
  return { asked, files, inTarget, ...createChangeSummaries({ client }) }
}

describe('change summaries', () => {
  it('count the files and lines of an ended run once', async () => {
    const { store, load, asked } = summaries([
      file('a', 2, 1),
      file('b', 3, 0),
      file('c', null, null),
    ])
    const task = ended()
    await load(task)
    await load(task)
    expect(asked).toEqual([false])
    expect(store.getState().get(task.id)).toEqual({
      files: 3,
      additions: 5,
      deletions: 1,
      binary: 1,
      branch: 'main',
      applied: false,
    })
  })

  it('are missing if nothing could be read, until the next count', async () => {
    const task = ended()
    let isGone = true
    const found = { files: [file('a', 1, 0)], patch: '', truncated: false }
    const diff = async () =>
      isGone
        ? Promise.reject(new Error('the worktree is missing'))
        : { ...found, target: { path: '/api', branch: 'main' } }
    const client = { workspace: { diff } } as unknown as ShiplogClient
    const { store, load } = createChangeSummaries({ client })
    await load(task)
    expect(store.getState().get(task.id)).toBeUndefined()
    isGone = false
    await load(task)
    expect(store.getState().get(task.id)).toMatchObject({ files: 1 })
    isGone = true
    await load(ended({ patch: 'applied' }))
    expect(store.getState().get(task.id)).toMatchObject({ files: 1 })
  })

  it('wait for the end of a run', async () => {
    const { store, load, asked } = summaries([file('a', 1, 0)])
    await load(ended({ status: 'spawned' }))
    expect(asked).toEqual([])
    expect(store.getState().size).toBe(0)
  })

  it('know whether the same changes were applied, or a later run changed more', async () => {
    const { store, load, files, inTarget } = summaries([file('a', 1, 0)])
    inTarget.add('a')
    const task = ended({ patch: 'applied' })
    await load(task)
    expect(store.getState().get(task.id)?.applied).toBe(true)
    files.push(file('b', 4, 0))
    await load(ended({ patch: 'applied', status: 'interrupted' }))
    expect(store.getState().get(task.id)).toMatchObject({ files: 2, applied: false })
  })

  it('do not take a part in the target for all of it', async () => {
    const { store, load, inTarget } = summaries([file('a', 1, 0), file('b', 1, 0)])
    inTarget.add('a')
    const task = ended({ patch: 'applied' })
    await load(task)
    expect(store.getState().get(task.id)).toMatchObject({ files: 2, applied: false })
  })
})
