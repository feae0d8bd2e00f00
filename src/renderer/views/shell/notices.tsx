import { useState } from 'react'
import type { Notice } from '../../../shared/contract/app.ts'
import { NoticeLine, TextButton } from '../../components/primitives/index.ts'
import { useAppInfo, usePreference, useStores } from '../../store/hooks.ts'
import { useActions } from '../app/use-actions.ts'

const severity: Record<Notice['tone'], number> = { error: 0, warning: 1, info: 2 }

/**
 * What the host repaired or removed when it started, until it is dismissed. Only the most severe notice is shown at
 * first. Interrupted agents are left out, because the sidebar lists them.
 */
export function Notices() {
  const { info } = useAppInfo()
  const dismissed = usePreference('dismissedNotices')
  const { preferences, navigation } = useStores()
  const { undoSweep } = useActions()
  const [all, setAll] = useState(false)
  const notices = (info?.notices ?? [])
    .filter(({ id, topic }) => topic !== 'interrupted' && !dismissed.includes(id))
    .toSorted((a, b) => severity[a.tone] - severity[b.tone])
  if (notices.length === 0) return null
  const dismiss = (ids: string[]) =>
    preferences.setState((before) => ({ dismissedNotices: [...before.dismissedNotices, ...ids] }))
  const shown = all ? notices : notices.slice(0, 1)
  const more = notices.length - 1
  const actionOf = ({ receiptId, topic }: Notice) => {
    if (receiptId) return { label: 'Undo', onClick: () => void undoSweep(receiptId) }
    if (topic !== 'clock-ahead') return undefined
    return {
      label: 'Settings',
      onClick: () => navigation.go({ screen: 'settings', section: null }),
    }
  }
  return (
    <div className="flex max-h-[30vh] shrink-0 items-start gap-3 overflow-y-auto border-b bg-panel px-4">
      <div className="min-w-0 flex-1 divide-y">
        {shown.map((notice) => (
          <NoticeLine
            key={notice.id}
            tone={notice.tone}
            text={notice.text}
            details={notice.details}
            action={actionOf(notice)}
            onDismiss={() => dismiss([notice.id])}
          />
        ))}
      </div>
      {more > 0 ? (
        <span className="flex shrink-0 gap-3 py-1">
          <TextButton aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `${more} more`}
          </TextButton>
          <TextButton onClick={() => dismiss(notices.map(({ id }) => id))}>Dismiss all</TextButton>
        </span>
      ) : null}
    </div>
  )
}
