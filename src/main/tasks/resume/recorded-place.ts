/** Finds where an imported session can be continued: its recorded folder, or a project with the same repository. */
import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { Continuation, ContinuationPlace } from '../../../shared/contract/continuation.ts'
import { invalid } from '../../../shared/failure.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { isSameProject } from '../../../shared/records/projects/project-identity.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type Git, nullForGitError } from '../../git/index.ts'
import { isInside } from '../../journal/index.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import { isDirectory } from '../drift/presence.ts'
import { driftOfImported, type EditedFile } from './imported-drift.ts'

/** Projects that are searched for a commit; each takes a Git process. */
const searchedProjectsMax = 50

/** `chosen` is the user's choice of a project, which is always among the places. Throws FailureError. */
export type FindRecordedPlace = (
  task: Task,
  given: { at?: number | undefined; chosen?: ProjectId | undefined },
) => Promise<Continuation>

export interface RecordedPlaceDependencies {
  git: Git
  workspaces: Pick<WorkspaceService, 'projects' | 'records'>
  /** Files that calls of the session and its sub-agents edited. */
  editedFiles: (task: Task) => Promise<EditedFile[]>
}

/** Throws FailureError `invalid` for a task that was not imported. */
export function createFindRecordedPlace(deps: RecordedPlaceDependencies): FindRecordedPlace {
  const { git, workspaces } = deps

  return async (task, { at, chosen }) => {
    if (!task.imported)
      invalid('taskId', `"${task.title}" was not imported: it has a project here.`)
    const state = await workspaces.records.sessionState(task.id, at ?? Number.MAX_SAFE_INTEGER)
    const recordedDir = task.projectDir
    const last = state?.place.directory ?? recordedDir
    const found = await findPlaces(task, [...new Set([last, recordedDir])].filter(isAbsolute))
    const known = chosen && workspaces.projects.known(chosen)
    if (known && !found.places.some((one) => 'projectId' in one && one.projectId === known.id))
      found.places.push(placeOf(known, 'choice'))
    const session = {
      recordedDir,
      branch: state?.place.branch ?? task.workspace?.branch ?? null,
      untilMs: state?.at ?? Date.parse(task.endedAt ?? task.createdAt),
      edited: await deps.editedFiles(task),
      isAtItsEnd: at === undefined,
    }
    const places: ContinuationPlace[] = []
    for (const place of found.places)
      places.push({ ...place, drift: await driftOfImported(git, place, session) })
    const dirExists = isAbsolute(recordedDir) && (await isDirectory(recordedDir))
    return { recordedDir, dirExists, places, problem: found.problem }
  }

  /** `dirs`: recorded folders, absolute, the last one of the session first. */
  async function findPlaces(task: Task, dirs: string[]) {
    const places: Place[] = []
    const add = (project: Project | undefined, foundBy: FoundBy) => {
      if (!project || places.some((one) => 'projectId' in one && one.projectId === project.id))
        return
      places.push(placeOf(project, foundBy))
    }
    const projects = await present(workspaces.projects.list())
    // The project that it was imported into, which may have been moved since.
    add(projects.find(({ project }) => project.id === task.projectId)?.project, 'folder')
    let problem: string | null = null
    const there: string[] = []
    for (const dir of dirs) {
      // Links are resolved as far as the folder exists.
      const path = await realpath(dir).catch(() => dir)
      add(containing(projects, path), 'folder')
      if (await isDirectory(dir)) there.push(path)
    }
    const folder = there.at(-1)
    if (places.length === 0 && folder !== undefined) {
      const inspected = await inspect(folder)
      if (inspected.problem === null)
        places.push({ kind: 'folder', dir: folder, git: inspected.isGit })
      problem = inspected.problem
      if (inspected.isGit)
        for (const one of await sameRepository(projects, folder)) add(one, 'repository')
    }
    if (places.length === 0 && task.spawnCommit !== null)
      for (const { project } of projects.slice(0, searchedProjectsMax))
        if (await hasCommit(project, task.spawnCommit)) add(project, 'commit')
    return { places, problem }
  }

  async function sameRepository(projects: PresentProject[], dir: string): Promise<Project[]> {
    const identity = await git.identifyRepository({ dir }).catch(nullForGitError)
    if (identity === null) return []
    return projects.flatMap(({ project }) =>
      project.identity && isSameProject(project.identity, identity) ? [project] : [],
    )
  }

  /** Git finds the repository of a subfolder by itself; here the folder is to become a project. */
  async function inspect(dir: string): Promise<{ isGit: boolean; problem: string | null }> {
    const found = await git.inspectProject(dir).catch(nullForGitError)
    switch (found?.kind) {
      case 'repository':
        return { isGit: true, problem: null }
      case 'not-a-repository':
        return { isGit: false, problem: null }
      case 'no-commits':
        return {
          isGit: false,
          problem: `${dir} is a Git repository without a commit. Make a first commit, then continue.`,
        }
      case 'dubious-ownership':
        return { isGit: false, problem: found.advice }
      default:
        return { isGit: false, problem: `Git can't read ${dir}.` }
    }
  }

  async function hasCommit({ dir, git: isGit }: Project, commit: string): Promise<boolean> {
    if (!isGit || !/^[0-9a-f]{40,64}$/.test(commit)) return false
    return (await git.resolveCommit(dir, commit).catch(nullForGitError)) !== null
  }
}

type FoundBy = Extract<ContinuationPlace, { kind: 'project' }>['foundBy']
type Place = ContinuationPlace extends infer One
  ? One extends unknown
    ? Omit<One, 'drift'>
    : never
  : never

const placeOf = ({ id: projectId, name, dir, git }: Project, foundBy: FoundBy): Place => ({
  kind: 'project',
  projectId,
  name,
  foundBy,
  dir,
  git,
})

interface PresentProject {
  project: Project
  /** Its folder, with links resolved. */
  path: string
}

async function present(projects: readonly Project[]): Promise<PresentProject[]> {
  const there = await Promise.all(
    projects.map(async (project): Promise<PresentProject[]> => {
      const path = await realpath(project.dir).catch(() => null)
      return path === null ? [] : [{ project, path }]
    }),
  )
  return there.flat()
}

/** Returns the innermost project whose folder is `dir` or contains it. */
function containing(projects: PresentProject[], dir: string): Project | undefined {
  const around = projects.filter(({ path }) => isInside(path, dir))
  around.sort((a, b) => b.path.length - a.path.length)
  return around[0]?.project
}
