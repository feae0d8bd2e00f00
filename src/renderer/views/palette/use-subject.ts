import { useState } from 'react'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  useProject,
  useProjectLookup,
  useRoute,
  useTask,
  useTaskLookup,
} from '../../store/hooks.ts'
import type { Route } from '../../store/window/route.ts'

/**
 * What the palette's actions are for: the task or project whose row or card had the focus when it was opened, else the
 * one on screen.
 */
export function useSubject(): { task: Task | null; project: Project | null } {
  const route = useRoute()
  // Read before the palette takes the focus.
  const [focused] = useState(() => idUnderFocus(document.activeElement))
  const focusedTask = useTask(focused as TaskId | null)
  const focusedProject = useProject(focused)
  const lookup = useTaskLookup(taskIdOf(route) ?? '')
  const shownTask = useTask(lookup.kind === 'found' ? lookup.id : null)
  const projects = useProjectLookup(route.screen === 'project' ? route.projectId : '')
  const shownProject = useProject(projects.kind === 'found' ? projects.id : null)
  if (focusedTask) return { task: focusedTask, project: null }
  if (focusedProject) return { task: null, project: focusedProject }
  return { task: shownTask, project: shownProject }
}

/** The id of the task or project that the focused element stands for; null if it stands for none. */
function idUnderFocus(focused: Element | null): TaskId | ProjectId | null {
  if (!focused) return null
  const card = focused.closest<HTMLElement>('[data-task]')
  if (card) return card.dataset.task as TaskId
  const row = focused.closest<HTMLElement>('[role="treeitem"][data-row]')
  // A tree of interrupted agents stands for its root.
  if (row) return (row.dataset.row ?? '').replace(/^tree:/, '') as TaskId
  // A row of a transcript may hold the card of one task.
  const cards = focused.matches('article')
    ? focused.querySelectorAll<HTMLElement>('[data-task]')
    : []
  return cards.length === 1 ? (cards[0]?.dataset.task as TaskId) : null
}

function taskIdOf(route: Route): string | null {
  switch (route.screen) {
    case 'task':
      return route.transcriptOf ?? route.taskId
    case 'transcript':
    case 'review':
    case 'archive':
      return route.taskId
    default:
      return null
  }
}
