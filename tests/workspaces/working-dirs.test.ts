/** Which worktrees may be discarded: those that this process made and that no event has recorded. */
import { expect, it } from 'vitest'
import { createWorkingDirs } from '../../src/main/workspaces/working-dirs.ts'
import { newProjectId, newTaskId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'

async function stage() {
  const dir = await temporaryDir()
  const project = { id: newProjectId(), name: 'project', dir, git: true }
  const listeners: ((records: unknown[]) => void)[] = []
  const removed: string[] = []
  const git = {
    inspectProject: async () => ({
      kind: 'repository',
      topLevel: dir,
      head: 'f00',
      branch: 'main',
    }),
    deleteUnusedBranch: async () => undefined,
    createWorktree: async () => undefined,
    pinBase: async () => undefined,
    unpinBase: async () => undefined,
    removeWorktree: async ({ path }: { path: string }) => void removed.push(path),
    repositoryConfig: async () => null,
  }
  const dirs = createWorkingDirs({
    ledger: {
      // Without tasks, as a ledger whose records are damaged.
      state: { tasks: new Map(), projects: new Map([[project.id, project]]) },
      subscribe: (listener: (records: unknown[]) => void) => listeners.push(listener),
    },
    git,
    layout: { dataDir: dir, worktrees: `${dir}/worktrees` },
    projects: { known: () => project, setup: async () => ({ trusted: true, git: null }) },
    secrets: { text: (text: string) => text },
  } as never)
  const from = {
    projectId: project.id,
    title: 'Work',
    parent: null,
    isolation: 'worktree',
  } as const
  const recorded = (workspaceId: string) => {
    for (const listener of listeners)
      listener([{ event: { type: 'workspace.created', workspaceId } }])
  }
  return { dirs, from, removed, recorded }
}

it('[R3] discards a worktree that was not recorded, once', async () => {
  const { dirs, from, removed } = await stage()
  const taskId = newTaskId()
  await dirs.make(taskId, from)
  await dirs.discard(taskId)
  await dirs.discard(taskId)
  expect(removed).toHaveLength(1)
})

it('[R3] never discards one that was recorded, whatever the ledger says of it later', async () => {
  const { dirs, from, removed, recorded } = await stage()
  const taskId = newTaskId()
  await dirs.make(taskId, from)
  recorded(taskId)
  await dirs.discard(taskId)
  expect(removed).toEqual([])
})
