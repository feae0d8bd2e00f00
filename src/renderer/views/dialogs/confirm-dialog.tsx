import { DialogDescription, TitleText } from '../../components/primitives/index.ts'
import type { Confirmation } from '../../store/window/overlay.ts'
import { FormDialog } from './form-dialog.tsx'

/** Enough to recognize a selection by; the list behind the dialog has all of them. */
const listedMax = 6

/** Asks before something that can't be undone. Cancel has the focus, so that a repeated Enter does no harm. */
export function ConfirmDialog({ confirmation }: { confirmation: Confirmation }) {
  const { title, action, doing, danger, items = [], text, kept, run } = confirmation
  return (
    <FormDialog {...{ title, action, doing, danger }} canSubmit submit={run}>
      {items.length > 0 ? (
        <ul className="rounded-md border px-3 py-1">
          {items.slice(0, listedMax).map((item) => (
            <li key={item}>
              <TitleText title={item} />
            </li>
          ))}
          {items.length > listedMax ? (
            <li className="text-muted">and {items.length - listedMax} more</li>
          ) : null}
        </ul>
      ) : null}
      <DialogDescription className="text-read">{text}</DialogDescription>
      {kept ? <p className="text-muted">{kept}</p> : null}
    </FormDialog>
  )
}
