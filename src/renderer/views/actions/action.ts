/** The actions on a task or a project. Menus, context menus, keys of rows and the palette all show these. */
import type { ReactNode } from 'react'
import type { MenuEntry } from '../../components/primitives/index.ts'

type TaskActionId =
  | 'open'
  | 'transcript'
  | 'full-screen'
  | 'new-window'
  | 'replay'
  | 'report'
  | 'stop'
  | 'wrap-up'
  | 'resume'
  | 'resume-group'
  | 'restart'
  | 'retry'
  | 'abandon'
  | 'continue'
  | 'limits'
  | 'review'
  | 'apply'
  | 'undo-apply'
  | 'open-editor'
  | 'open-folder'
  | 'link-pull-request'
  | 'rename'
  | 'export'
  | 'copy-link'
  | 'copy-id'
  | 'pin'
  | 'archive'
  | 'restore'
  | 'delete'
  | 'delete-transcript'

type ProjectActionId =
  | 'open-project'
  | 'new-agent'
  | 'project-settings'
  | 'copy-project-id'
  | 'remove-project'

export interface Action<Id extends string = string> {
  id: Id
  label: string
  icon: ReactNode
  /** Groups are separated by lines in a menu. */
  group: 'open' | 'run' | 'changes' | 'name' | 'keep'
  /** The key that runs it for the selected row of a list. */
  keys?: string
  /** True while no request can be sent. */
  disabled?: boolean
  run(): void
}

export type TaskAction = Action<TaskActionId>
export type ProjectAction = Action<ProjectActionId>

/** Returns the actions as menu entries, with lines between the groups. */
export function menuOf(actions: readonly Action[]): MenuEntry[] {
  return actions.flatMap(({ label, icon, keys, disabled, group, run }, index) => {
    const before = actions[index - 1]
    const entry: MenuEntry = { label, icon, shortcut: keys, disabled, onSelect: run }
    return before && before.group !== group ? [{ kind: 'separator' }, entry] : [entry]
  })
}

/** Runs the action that has this key; false if none has it, or if it is disabled. */
export function runByKey(actions: readonly Action[], key: string): boolean {
  const action = actions.find(({ keys, disabled }) => keys === key && !disabled)
  action?.run()
  return action !== undefined
}
