import { type FormEvent, type ReactNode, type RefObject, useId, useRef, useState } from 'react'
import { useOwnPress } from '../../components/approval/answer-guard.ts'
import { Button, DialogShell } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { showProblem } from '../app/toasts.ts'

/**
 * A small dialog around one form. `submit` is called once at a time and only while the host can be reached. When it
 * resolves the dialog closes, but not another one that was opened meanwhile. When it rejects the dialog shows the error,
 * or a toast does if the dialog was closed.
 */
export function FormDialog(props: {
  title: string
  /** The label of the button that submits. */
  action: string
  /** For the error: "Could not …". */
  doing: string
  canSubmit: boolean
  /** Called before `submit`. False cancels it: the fields show the reason. */
  validate?(): boolean
  /** False keeps the dialog open, with its error in the form. */
  submit(): Promise<unknown>
  /** The element focused at first; Cancel if there is nothing to fill in. */
  focus?: RefObject<HTMLElement | null>
  /** The action removes something. */
  danger?: boolean
  /** For fields in which Enter begins a new line. */
  submitsByModEnter?: boolean
  /** Other buttons, before the one that submits. */
  more?: ReactNode
  children: ReactNode
}) {
  const { title, action, doing, canSubmit, validate, submit, focus, children } = props
  const { submitsByModEnter = false, danger = false } = props
  const { overlay } = useStores()
  const unreachable = useUnreachable()
  const formId = useId()
  const cancel = useRef<HTMLButtonElement>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const disabled = !canSubmit || unreachable !== undefined
  const isOwnPress = useOwnPress(!disabled)
  const send = async () => {
    if (disabled || busy || validate?.() === false) return
    setBusy(true)
    setProblem(null)
    const own = overlay.store.getState()
    try {
      if ((await submit()) === false) setBusy(false)
      else overlay.hideOnly(own)
    } catch (error) {
      const failed = problemOf(error, doing)
      if (overlay.store.getState() !== own) return showProblem(failed)
      setProblem(failed)
      setBusy(false)
    }
  }
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title={title}
      size="small"
      focus={focus ?? cancel}
      onModEnter={submitsByModEnter ? send : undefined}
      footer={
        <>
          <Button ref={cancel} onClick={overlay.hide}>
            Cancel
          </Button>
          {props.more}
          <Button
            type="submit"
            form={formId}
            variant={danger ? 'danger' : 'primary'}
            shortcut={submitsByModEnter ? 'Mod+Enter' : undefined}
            busy={busy}
            disabled={disabled && !busy}
            title={unreachable}
            onClick={(click) => {
              if (!isOwnPress(click)) click.preventDefault()
            }}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void send()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // A key that is held since before the form could be sent; a new line repeats in a field that has lines.
          if (event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
        }}
        className="flex flex-col gap-4 p-4"
      >
        {children}
        {problem ? <ProblemNotice problem={problem} /> : null}
      </form>
    </DialogShell>
  )
}
