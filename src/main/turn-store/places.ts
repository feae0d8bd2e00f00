/** Finds the project whose store keeps the files of a folder. */
import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { type ProjectId, shortId } from '../../shared/records/ids.ts'
import type { Project } from '../../shared/records/projects/projects.ts'
import { isInside } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'

export const storeDirOf = ({ turnStore }: DataLayout, projectId: ProjectId): string =>
  join(turnStore, projectId)

/**
 * Returns the stores that may hold objects of the repository that a folder is in, as absolute
 * paths, the one for new objects first. For a worktree that is its project's; else those of the
 * projects that contain the folder, the innermost first, and of projects inside it (several
 * projects may be folders of one repository). Those of removed projects, which have an archive,
 * come last. Empty for a folder of no project.
 */
export function createStoresOf(
  state: Pick<LedgerState, 'projects' | 'removedProjects'>,
  layout: DataLayout,
): (dir: string) => string[] {
  return (dir) => {
    const folder = firstBelow(layout.worktrees, dir)
    return [state.projects, state.removedProjects]
      .flatMap((projects) => projectsOf([...projects.values()], { folder, dir }))
      .map(({ id }) => storeDirOf(layout, id))
  }
}

/** `folder` is that of the worktrees that contain `dir`; null if it is in none. */
function projectsOf(
  projects: Project[],
  { folder, dir }: { folder: string | null; dir: string },
): Project[] {
  if (folder !== null) return projects.filter(({ id }) => folder.endsWith(`-${shortId(id)}`))
  const around = projects
    .filter((project) => isInside(project.dir, dir))
    .sort((a, b) => b.dir.length - a.dir.length)
  const below = projects
    .filter((project) => !around.includes(project) && isInside(dir, project.dir))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  return [...around, ...below]
}

/**
 * Returns the first folder on the path from `parent` to `dir`; null if `dir` is outside. Links are
 * resolved.
 */
function firstBelow(parent: string, dir: string): string | null {
  for (const one of new Set([parent, resolved(parent)])) {
    const below = relative(one, dir)
    const [first = ''] = below.split(sep)
    if (first !== '' && first !== '..' && !isAbsolute(below)) return first
  }
  return null
}

function resolved(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
