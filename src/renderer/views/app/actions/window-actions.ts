import type { TaskId } from '../../../../shared/records/ids.ts'
import { toast } from '../../../components/primitives/index.ts'
import type { Stores } from '../../../store/stores.ts'
import { fullScreenRoute, linkTo } from '../../../store/window/route.ts'
import { attempt } from '../toasts.ts'

export interface WindowActions {
  /** Opens it in a window of its own, or a browser's tab. `seq`: at this entry, else where it usually opens. */
  openTranscript(taskId: TaskId, seq: number | undefined): Promise<void>
  /** `what`: "the link", for the toast. */
  copy(text: string, what: string): Promise<void>
}

export function createWindowActions({
  appInfo,
  client,
}: Pick<Stores, 'appInfo' | 'client'>): WindowActions {
  return {
    async openTranscript(taskId, seq) {
      const place = { taskId, ...(seq === undefined ? {} : { seq }) }
      if (appInfo.store.getState().info?.host !== 'desktop')
        return void window.open(linkTo(fullScreenRoute(taskId, seq)), '_blank', 'noopener')
      await attempt('open a window', () => client.app.openWindow(place))
    },
    async copy(text, what) {
      try {
        await navigator.clipboard.writeText(text)
        toast(`Copied ${what}.`)
      } catch {
        toast.error('The browser blocked copying.', { description: text })
      }
    },
  }
}
