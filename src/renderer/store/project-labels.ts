import type { Project } from '../../shared/records/projects/projects.ts'
import { folderLabels } from '../../shared/text/folder-labels.ts'

/**
 * Returns the labels of projects in lists: the name, and the path too if several have the same
 * name, such as two clones.
 */
export function projectLabels(projects: Iterable<Project>): Map<Project['id'], string> {
  const all = [...projects]
  const labels = folderLabels(all.map(({ dir }) => dir))
  return new Map(
    all.map(({ id, name, dir }) => {
      const label = labels.get(dir)
      return [id, label?.startsWith(`${name} (`) ? label : name]
    }),
  )
}
