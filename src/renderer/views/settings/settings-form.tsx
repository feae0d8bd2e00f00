import { type ReactNode, useRef, useState } from 'react'
import { Button, toast } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useUnsaved } from './unsaved.ts'

/** A form for settings that are saved together, with the reason if the host refused them. */
export function SettingsForm(props: {
  /** Names the settings, such as `limits` for `Save limits`. */
  what: string
  /** The accessible name. */
  label?: string
  /** Shown above the fields. */
  description: ReactNode
  isChanged: boolean
  /** Whether the changes can be saved. */
  isValid?: boolean
  /** Rejects with the host's error. */
  save(): Promise<void>
  discard(): void
  children: ReactNode
}) {
  const { what, label, description, isChanged, isValid = true, save, discard, children } = props
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Problem | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const canSave = isChanged && isValid
  useUnsaved(what, isChanged)
  const submit = async () => {
    setBusy(true)
    setRefused(null)
    await save().then(
      () => {
        toast.success(`Saved the ${what}.`)
        // The button has nothing more to save and can't keep the focus.
        form.current?.focus()
      },
      (error: unknown) => setRefused(problemOf(error, `save the ${what}`)),
    )
    setBusy(false)
  }
  return (
    <form
      ref={form}
      tabIndex={-1}
      aria-label={label}
      className="flex flex-col gap-3 outline-none"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSave) void submit()
      }}
    >
      <p className="text-muted">{description}</p>
      {children}
      {refused ? <ProblemNotice problem={refused} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant={canSave ? 'primary' : 'quiet'}
          busy={busy}
          disabled={!canSave || unreachable !== undefined}
          title={unreachable}
        >
          Save {what}
        </Button>
        {isChanged ? (
          <Button
            onClick={() => {
              setRefused(null)
              discard()
            }}
          >
            Discard changes
          </Button>
        ) : null}
      </div>
    </form>
  )
}
