/** Projects: folders that agents work in. */

import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, parse, resolve } from 'node:path'
import type { Masker } from '../../shared/agents/driver/masker.ts'
import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import { FailureError, invalid, refused } from '../../shared/failure.ts'
import { tasksInUse } from '../../shared/projections/ledger/project-use.ts'
import { newProjectId, type ProjectId, shortId, type TaskId } from '../../shared/records/ids.ts'
import type { LedgerEvent, LedgerEventOf } from '../../shared/records/ledger.ts'
import { isOtherRepository } from '../../shared/records/projects/project-identity.ts'
import type { Project } from '../../shared/records/projects/projects.ts'
import type { Isolation } from '../../shared/records/projects/workspaces.ts'
import { counted, listFirst } from '../../shared/text/counted.ts'
import type { Git } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type DataLayout, storedPath } from '../sessions/session-files.ts'
import { goneFolderAdvice, isGone } from './moved-projects/gone-folder.ts'
import { createIdentifyProject } from './moved-projects/identify.ts'
import { createProjectMoves, type ProjectNotice } from './moved-projects/moves.ts'
import { createProjectSettings, type ProjectSettings } from './project-settings.ts'

export interface Projects extends ProjectSettings {
  list(): Project[]
  known(projectId: ProjectId): Project
  /**
   * Returns the project in that folder: a known one, one that was moved there, or a new one. Throws
   * FailureError.
   */
  add(dir: string): Promise<Project>
  /** Resolves when no project is being added or identified. */
  settled(): Promise<void>
  /** Updates the identity of every project whose folder exists. */
  identifyAll(signal: AbortSignal): Promise<void>
  remove(projectId: ProjectId): Promise<void>
  /** Lists a removed project again, in its former position. Does nothing for a listed or unknown one. */
  relist(projectId: ProjectId): Promise<void>
  /**
   * Returns the actual isolation of a new root. Throws FailureError if it can't start as requested.
   */
  checkStart(projectId: ProjectId, isolation: Isolation): Promise<Isolation>
}

export function createProjects(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  secrets: Pick<Masker, 'text'>
  /** Called if a project has moved, or another repository is in its folder. */
  onProjectNotice: (notice: ProjectNotice) => void
  /** Called for a failure that has no consequences. */
  onIgnored?: (what: string, error: unknown) => void
}): Projects {
  const { ledger, git, layout, onIgnored } = deps
  const { state } = ledger
  const serially = createKeyedMutex()
  const identify = createIdentifyProject(deps)
  const moves = createProjectMoves({ ...deps, onNotice: deps.onProjectNotice })
  // A project without an identity may have got its first commit from an agent.
  ledger.subscribe((records) => {
    for (const { event } of records) if (endsRun(event)) identifyAfterRun(event.taskId)
  })

  function known(projectId: ProjectId): Project {
    const project = state.projects.get(projectId)
    if (!project) throw new FailureError({ kind: 'not-found', what: 'project', id: projectId })
    return project
  }

  async function add(given: string): Promise<Project> {
    const path = given.replace(/^~(?=$|[\\/])/, homedir())
    if (!isAbsolute(path)) {
      invalid(
        'dir',
        `${given} is not an absolute path. Enter it from the root, such as ${join(homedir(), given)}.`,
      )
    }
    const dir = await realpath(path).catch(() => resolve(path))
    // Two windows may add one folder at the same time: it is one project.
    return serially(dir, () => addDir(dir))
  }

  async function addDir(dir: string): Promise<Project> {
    const isGit = await inspect(dir)
    const there = projectAt(dir)
    if (there) return identified(there, isGit)
    // Serialized, because two folders may hold the same moved project.
    return serially('new folders', async () => {
      const identity = isGit ? await identify(dir) : null
      const found = await moves.find(dir, identity)
      if (found) {
        await relist(found.id)
        if (found.dir === dir || !identity) return identified(known(found.id), isGit)
        await serially(found.id, () => moves.move(found, dir, identity))
        return known(found.id)
      }
      const projectId = newProjectId()
      await ledger.record({
        type: 'project.added',
        projectId,
        name: basename(dir) || dir,
        // Relative for the demo project.
        dir: storedPath(layout, dir),
        git: isGit,
        ...(identity && { identity }),
      })
      return known(projectId)
    })
  }

  async function relist(projectId: ProjectId): Promise<void> {
    const removed = state.removedProjects.get(projectId)
    if (!removed) return
    const { name, dir, git, identity } = removed
    await ledger.record({
      type: 'project.added',
      projectId,
      name,
      dir: storedPath(layout, dir),
      git,
      ...(identity && { identity }),
    })
  }

  const projectAt = (dir: string): Project | undefined =>
    [...state.projects.values()].find((project) => project.dir === dir)

  /** Returns whether it is a repository. Throws FailureError if it can't be a project. */
  async function inspect(dir: string): Promise<boolean> {
    const found = await git.inspectProject(dir)
    switch (found.kind) {
      case 'missing':
        if (projectAt(dir)) return refused('folder-gone', goneFolderAdvice(projectAt(dir), dir))
        return invalid('dir', `${dir} does not exist. Give the path of a folder.`)
      case 'not-a-directory':
        return invalid('dir', `${dir} is not a folder. Give the folder that holds the project.`)
      case 'bare':
        return invalid(
          'dir',
          `${dir} is a bare repository: it has no files to work on. Clone it (\`git clone ${dir} FOLDER\`) and add the clone.`,
        )
      case 'no-commits':
        return invalid(
          'dir',
          `${dir} is a Git repository without a commit, so no worktree can be created from it. Create one: \`git -C "${dir}" commit --allow-empty -m "First commit"\`.`,
        )
      case 'dubious-ownership':
        return invalid('dir', found.advice)
      case 'repository':
        return true
      case 'not-a-repository': {
        const what = await nameOfSharedFolder(dir)
        if (what === null) return false
        return invalid(
          'dir',
          `${dir} is ${what}, where an agent would work on everything. Give the folder that holds the project.`,
        )
      }
    }
  }

  /** Records what has changed about a project's repository since it was last identified. */
  async function identified(project: Project, isGit: boolean): Promise<Project> {
    const before = project.identity
    const found = isGit ? await identify(project.dir, before) : null
    if (found && before && isOtherRepository(before, found)) {
      await serially(project.id, () => moves.replace(project, found))
      return known(project.id)
    }
    // A clone that became shallow keeps the root commits recorded before.
    const rootCommits = found?.rootCommits.length ? found.rootCommits : before?.rootCommits
    const now = found ? { ...found, rootCommits: rootCommits ?? [] } : before
    if (isGit === project.git && JSON.stringify(now) === JSON.stringify(before)) return project
    await ledger.record({
      type: 'project.identified',
      projectId: project.id,
      git: isGit,
      ...(now && { identity: now }),
      replaced: false,
    })
    return known(project.id)
  }

  function reidentify(projectId: ProjectId): Promise<void> {
    const { dir = '' } = state.projects.get(projectId) ?? {}
    return serially(dir, async () => {
      const project = projectAt(dir)
      if (project && !(await isGone(dir))) await identified(project, await inspect(dir))
    }).catch((error) => onIgnored?.(`the project in ${dir} could not be identified`, error))
  }

  function identifyAfterRun(taskId: TaskId): void {
    const task = state.tasks.get(taskId)
    const project = task && state.projects.get(task.projectId)
    if (project && !project.identity) void reidentify(project.id)
  }

  async function identifyAll(signal: AbortSignal): Promise<void> {
    for (const id of [...state.projects.keys()]) if (!signal.aborted) await reidentify(id)
  }

  async function remove(projectId: ProjectId): Promise<void> {
    const { name } = known(projectId)
    const inUse = tasksInUse(state, projectId)
    if (inUse.length > 0) {
      const roots = inUse.filter(({ parentId }) => parentId === null)
      const shown = roots.length > 0 ? roots : inUse
      const names = shown.map(({ id, title }) => `"${title}" (${shortId(id)})`)
      refused(
        'in-use',
        `${name} still has ${counted(inUse.length, 'workspace')} in use: ${listFirst(names, namedMax)}. Remove ${inUse.length === 1 ? 'it' : 'them'} first: \`shiplog workspaces remove ID\`, or "Remove workspace" in the app.`,
      )
    }
    await ledger.record({ type: 'project.removed', projectId })
  }

  async function checkStart(projectId: ProjectId, isolation: Isolation): Promise<Isolation> {
    // The folder may have changed since it was added: it may be missing, or a repository now.
    const project = await add(known(projectId).dir)
    return project.git ? isolation : 'in-place'
  }

  return {
    list: () => [...state.projects.values()],
    known,
    add,
    settled: serially.settled,
    identifyAll,
    remove,
    relist,
    checkStart,
    ...createProjectSettings({ ledger, git, known, serially }),
  }
}

/** Matches runs of any isolation, because an agent in place commits in the project's folder. */
const endsRun = (event: LedgerEvent): event is EndedRun =>
  event.type === 'task.completed' ||
  event.type === 'task.interrupted' ||
  event.type === 'task.failed'

type EndedRun = LedgerEventOf<'task.completed' | 'task.interrupted' | 'task.failed'>

/** More would make the message too long to read. */
const namedMax = 3

/** Returns what a folder is that holds more than one project; null for any other. */
async function nameOfSharedFolder(dir: string): Promise<string | null> {
  if (dir === parse(dir).root) return 'the root of the file system'
  const home = await realpath(homedir()).catch(homedir)
  return dir === home ? 'your home folder' : null
}
