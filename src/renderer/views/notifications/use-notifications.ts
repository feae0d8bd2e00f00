import { useEffect, useRef } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { statusLabel } from '../../components/primitives/index.ts'
import { afterInterrupted, plainCause } from '../../components/task/plain-cause.ts'
import { watchRoots } from '../../store/attention/root-endings.ts'
import { useStores } from '../../store/hooks.ts'
import { taskRoute } from '../../store/window/route.ts'
import { useNeedsYou } from '../sidebar/use-needs-you.ts'

/** Notifies the user that an agent ended or stopped if the window does not have the focus. Use it once, in the shell. */
export function useNotifications(): void {
  const { ledger, preferences, navigation } = useStores()
  useNeedNotifications()
  useEffect(
    () =>
      watchRoots(ledger, (task) => {
        if (!preferences.getState().notifications || !isAllowed() || document.hasFocus()) return
        // Tagged by the task, so that its next notification replaces this one.
        const status = willSleep(task) ? 'sleeping' : task.status
        notify(`${statusLabel(status)}: ${task.title}`, bodyOf(task), task.id, () =>
          navigation.go(taskRoute(task.id)),
        )
      }),
    [ledger, preferences, navigation],
  )
}

/** Notifies when an agent waits for the user. The effect above notifies when a run ends. */
function useNeedNotifications(): void {
  const { preferences, navigation, arrivals } = useStores()
  const needs = useNeedsYou()
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    const before = known.current
    known.current = new Set(needs.map(({ key }) => key))
    if (before === null || !preferences.getState().notifyNeeds) return
    if (!isAllowed() || document.hasFocus()) return
    for (const { key, kind, taskId, title, text, at } of needs) {
      // The resume dialog has just shown the conflicts; ended runs have their own notification.
      if (before.has(key) || kind === 'drift' || kind === 'failed' || kind === 'review') continue
      notify(`${needTitles[kind]}: ${title}`, text, key, () => {
        arrivals.expect({ taskId, at })
        navigation.go(taskRoute(taskId))
      })
    }
  }, [needs, preferences, navigation, arrivals])
}

export const needTitles = {
  permission: 'Asks for permission',
  question: 'Asks a question',
  budget: 'Limit reached',
  stuck: 'Silent for minutes',
  'not-resumed': 'Not resumed',
}

function notify(title: string, body: string, tag: string, open: () => void): void {
  const shown = new Notification(title, { body, tag })
  shown.onclick = () => {
    window.focus()
    open()
    shown.close()
  }
}

const isAllowed = (): boolean => 'Notification' in window && Notification.permission === 'granted'

/** Whether the task's tree will sleep until its spent quota is renewed. */
export const willSleep = ({ status, cause, options, quotaWaitsUsed = 0 }: Task): boolean =>
  status === 'interrupted' &&
  cause?.kind === 'quota' &&
  cause.untilMs !== null &&
  quotaWaitsUsed < (options.quotaWaits ?? 0)

function bodyOf(task: Task): string {
  const { status, reportTitle, cause } = task
  if (willSleep(task) && cause) return `${plainCause(cause)}. Continues automatically.`
  if (status === 'completed') return reportTitle ?? 'Completed.'
  if (status === 'interrupted') return `Interrupted${afterInterrupted(cause)}. You can resume it.`
  return cause ? plainCause(cause) : ''
}
