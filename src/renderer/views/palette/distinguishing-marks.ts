/** Marks that distinguish entries with the same title in the palette. Pure. */
import { type ProjectId, shortId, type TaskId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

type Named = Pick<Task, 'id' | 'title' | 'projectId'>

/**
 * Returns a mark for each task whose title is not unique: its project if the tasks are of different projects, and its
 * short id if that is not enough.
 */
export function taskMarks(
  tasks: Named[],
  projectNames: ReadonlyMap<ProjectId, string>,
): ReadonlyMap<TaskId, string> {
  const marks = new Map<TaskId, string>()
  for (const same of groupsOf(tasks, ({ title }) => title)) {
    const nameOf = ({ projectId }: Named) => projectNames.get(projectId) ?? ''
    const byProject = Map.groupBy(same, nameOf)
    for (const task of same) {
      const name = nameOf(task)
      const alone = byProject.get(name)?.length === 1
      const parts = [byProject.size > 1 ? name : '', alone ? '' : shortId(task.id)]
      marks.set(task.id, parts.filter((part) => part !== '').join(' · ') || shortId(task.id))
    }
  }
  return marks
}

/** Returns the folder of each project whose name is not unique. */
export function projectMarks(
  projects: Pick<Project, 'id' | 'name' | 'dir'>[],
): ReadonlyMap<ProjectId, string> {
  const same = groupsOf(projects, ({ name }) => name).flat()
  return new Map(same.map(({ id, dir }) => [id, dir]))
}

/** Groups of several items with the same name; case and surrounding spaces do not count. */
const groupsOf = <Item>(items: Item[], nameOf: (item: Item) => string): Item[][] =>
  [...Map.groupBy(items, (item) => nameOf(item).trim().toLowerCase()).values()].filter(
    (group) => group.length > 1,
  )
