import { type ReactNode, useState } from 'react'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { useChangeSummary, useRoute, useStores } from '../../store/hooks.ts'
import type { KeyCommand, Keys } from '../../store/window/keys.ts'
import { scopeOf } from '../../store/window/route.ts'
import type { Action } from '../actions/action.ts'
import { useProjectActions } from '../actions/use-project-actions.tsx'
import { useTaskActions } from '../actions/use-task-actions.tsx'

interface PaletteCommand {
  label: string
  icon: ReactNode
  keys: string | null
  disabled: boolean
  run(): void
}

export interface CommandGroup {
  heading: string
  commands: PaletteCommand[]
}

/** Every action of the subject, of the screen and of the window, in groups. */
export function usePaletteCommands(subject: {
  task: Task | null
  project: Project | null
}): CommandGroup[] {
  const { keys } = useStores()
  const route = useRoute()
  const actionsOfTask = useTaskActions()
  const actionsOfProject = useProjectActions()
  // Loads the counts that the task's actions depend on, and renders again when they arrive.
  useChangeSummary(subject.task)
  // Read once, when the palette opens: a transcript behind it unregisters its commands then.
  const [registered] = useState(() => keys.store.getState())
  const scope = scopeOf(route)
  const actions: Action[] = subject.task
    ? actionsOfTask(subject.task).toSorted(
        (a, b) =>
          Number(endsWork(a)) - Number(endsWork(b)) ||
          order.indexOf(a.group) - order.indexOf(b.group),
      )
    : subject.project
      ? actionsOfProject(subject.project.id)
      : []
  const ofSubject = actions.map((action) => ({
    label: action.label,
    icon: action.icon,
    run: action.run,
    // Only if it is registered: keys of rows need a row.
    keys: registered.find((one) => one.run && one.keys === action.keys)?.keys ?? null,
    disabled: action.disabled === true,
  }))
  const listed = registered.filter(
    (command) =>
      command.run &&
      isListed(command) &&
      (command.group === 'Everywhere' || (command.scope ?? 'window') === scope) &&
      !ofSubject.some((action) => action.keys !== null && action.keys === command.keys),
  )
  const distinct = [...new Map(listed.map((command) => [command.label, command])).values()]
  const commandsOf = (everywhere: boolean): PaletteCommand[] =>
    distinct
      .filter(({ group }) => (group === 'Everywhere') === everywhere)
      .map((command) => ({
        label: command.label,
        icon: command.icon,
        keys: command.keys,
        disabled: false,
        run: () => runRegistered(keys, command),
      }))
  const name = subject.task?.title ?? subject.project?.name ?? ''
  return [
    { heading: name, commands: ofSubject },
    { heading: 'On this screen', commands: commandsOf(false) },
    { heading: 'Commands', commands: commandsOf(true) },
  ].filter(({ commands }) => commands.length > 0)
}

/** The most likely next actions come first. */
const order: Action['group'][] = ['run', 'changes', 'open', 'name', 'keep']

/** They are never the first one, which Enter runs before anything is typed. */
const endsWork = ({ id }: Action): boolean => ['stop', 'wrap-up', 'abandon', 'restart'].includes(id)

const isListed = ({ group, keys, inPalette }: KeyCommand): boolean =>
  inPalette !== false && group !== 'Lists' && keys !== 'Escape'

/** How long a screen that the palette replaced may take to return. */
const backMs = 5_000

/** Runs a command of the screen, which the palette may have replaced, once it is registered again. */
function runRegistered(keys: Keys, wanted: KeyCommand): void {
  const command = () =>
    keys.store
      .getState()
      .findLast(({ label, scope, run }) => run && label === wanted.label && scope === wanted.scope)
  const registered = command()
  if (registered) return registered.run?.()
  const stop = keys.store.subscribe(() => {
    if (!command()) return
    stop()
    clearTimeout(timer)
    // The screen takes the focus in its first frame.
    requestAnimationFrame(() => requestAnimationFrame(() => command()?.run?.()))
  })
  const timer = setTimeout(stop, backMs)
}
