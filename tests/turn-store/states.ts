/** A turn store on a real repository, and what a test asks of both. */
import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { createGit } from '../../src/main/git/index.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createStoresOf, storeDirOf } from '../../src/main/turn-store/places.ts'
import { createTurnStore, type ProjectTurns } from '../../src/main/turn-store/turn-store.ts'
import {
  newProjectId,
  newTaskId,
  type ProjectId,
  type TaskId,
} from '../../src/shared/records/ids.ts'
import { makeRepository, type Repository, temporaryDir, testEnv } from '../git/repository.ts'

export interface States {
  project: Repository
  projectId: ProjectId
  turns: ProjectTurns
  store: string
  taskId: TaskId
  git: ReturnType<typeof createGit>
  /** The files of the project as they are now, for the task or another one. */
  take(over?: {
    dir?: string
    taskId?: TaskId
    base?: string | null
    since?: string | null
  }): ReturnType<ProjectTurns['snapshot']>
  /** Git in the store, without the repository. */
  inStore(...args: string[]): string
  /** Every object and reference of the user's repository. */
  theirs(): string
}

export async function openStates(
  files: Record<string, string> = { 'a.txt': 'one\n', 'deep/b.txt': 'two\n' },
): Promise<States> {
  const project = await makeRepository(files)
  return statesOf(project)
}

export async function statesOf(project: Repository): Promise<States> {
  const dataDir = path.join(await temporaryDir(), 'data')
  const layout = layoutOf(dataDir)
  const projectId = newProjectId()
  const taskId = newTaskId()
  const state = {
    projects: new Map([[projectId, { id: projectId, dir: project.dir }]]),
    removedProjects: new Map(),
    tasks: new Map(),
  }
  const git = createGit({ env: testEnv, storesOf: createStoresOf(state as never, layout) })
  const turns = createTurnStore({
    ledger: { state } as never,
    git,
    layout,
    onProblem: (text, error) => {
      throw new Error(text, { cause: error })
    },
  }).open(projectId)
  const store = storeDirOf(layout, projectId)
  const run = (env: Record<string, string>, cwd: string, args: string[]) =>
    execFileSync('git', args, {
      cwd,
      env: { ...testEnv, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 64 * 1024 * 1024,
    }).replace(/\n$/, '')
  return {
    project,
    projectId,
    turns,
    store,
    taskId,
    git,
    take: ({ dir = project.dir, taskId: id = taskId, base = null, since = null } = {}) =>
      turns.snapshot({ taskId: id, dir, last: null, since, base }),
    inStore: (...args) => run({ GIT_DIR: store }, store, args),
    theirs: () =>
      [
        run({}, project.dir, [
          'cat-file',
          '--batch-all-objects',
          '--batch-check=%(objectname) %(objecttype)',
        ]),
        run({}, project.dir, ['for-each-ref']),
      ].join('\n'),
  }
}

export const textOf = (read: { bytes: Buffer } | null): string | null =>
  read?.bytes.toString() ?? null

export const packsIn = async (store: string): Promise<string[]> =>
  (await readdir(path.join(store, 'objects/pack'))).filter((name) => name.endsWith('.pack'))
