import { useEffect } from 'react'
import type { Task } from '../../../shared/records/tasks.ts'
import { statusLabel } from '../../components/primitives/index.ts'
import { afterInterrupted, causeWords } from '../../components/task/cause-words.ts'
import { useStores } from '../../store/hooks.ts'
import { watchRoots } from '../../store/root-endings.ts'
import { taskRoute } from '../../store/route.ts'

/** Tells the person, who is looking at something else, that an agent has ended or stopped. Once, in the shell. */
export function useNotifications(): void {
  const { ledger, preferences, navigation } = useStores()
  useEffect(
    () =>
      watchRoots(ledger, (task) => {
        if (!preferences.getState().notifications || !isAllowed() || document.hasFocus()) return
        // One for each agent: the next of its runs takes the place of this one.
        const shown = new Notification(`${statusLabel(task.status)}: ${task.title}`, {
          body: bodyOf(task),
          tag: task.id,
        })
        shown.onclick = () => {
          window.focus()
          navigation.go(taskRoute(task.id))
          shown.close()
        }
      }),
    [ledger, preferences, navigation],
  )
}

const isAllowed = (): boolean => 'Notification' in window && Notification.permission === 'granted'

function bodyOf({ status, reportTitle, cause }: Task): string {
  if (status === 'completed') return reportTitle ?? 'Completed.'
  if (status === 'interrupted') return `Interrupted${afterInterrupted(cause)}. You can resume it.`
  return cause ? causeWords(cause) : ''
}
