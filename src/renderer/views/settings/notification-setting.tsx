import { useState } from 'react'
import { Button } from '../../components/primitives/index.ts'
import { usePreference, useStores } from '../../store/hooks.ts'

type Permission = NotificationPermission | 'missing'

/** The browser's permission is requested only by a click on the button. */
export function NotificationSetting() {
  const { preferences } = useStores()
  const finished = usePreference('notifications')
  const needs = usePreference('notifyNeeds')
  const wanted = finished || needs
  const [permission, setPermission] = useState<Permission>(currentPermission)
  const ask = async () => {
    setPermission(await Notification.requestPermission())
    preferences.setState({ notifications: true })
  }
  return (
    <>
      <label className="flex min-h-7 w-fit items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-[var(--accent-fill)]"
          checked={finished}
          onChange={(event) => preferences.setState({ notifications: event.target.checked })}
        />
        When an agent finishes or stops while this window is in the background
      </label>
      <label className="flex min-h-7 w-fit items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-[var(--accent-fill)]"
          checked={needs}
          onChange={(event) => preferences.setState({ notifyNeeds: event.target.checked })}
        />
        When an agent needs you: for a permission, at a limit, or when it has been silent for
        minutes
      </label>
      {wanted && permission === 'default' ? (
        <Button className="self-start" onClick={() => void ask()}>
          Allow notifications…
        </Button>
      ) : null}
      {wanted && (permission === 'denied' || permission === 'missing') ? (
        <p className="text-muted">
          {permission === 'denied'
            ? 'Blocked for this page. Allow notifications in the browser’s settings for it, then reload.'
            : 'This browser has no notifications.'}
        </p>
      ) : null}
    </>
  )
}

const currentPermission = (): Permission =>
  'Notification' in window ? Notification.permission : 'missing'
