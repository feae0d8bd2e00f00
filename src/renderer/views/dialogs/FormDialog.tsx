import { type FormEvent, type ReactNode, type RefObject, useId, useState } from 'react'
import { Button, DialogShell } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'

/**
 * A small dialog around one form. `submit` is called once at a time and only while the host can be reached; the
 * dialog closes when it resolves, and says what went wrong when it rejects.
 */
export function FormDialog(props: {
  title: string
  /** The label of the button that submits. */
  action: string
  /** For what it says when it fails: "Could not …". */
  doing: string
  canSubmit: boolean
  submit(): Promise<void>
  focus: RefObject<HTMLElement | null>
  /** For fields in which Enter begins a new line. */
  submitsByModEnter?: boolean
  children: ReactNode
}) {
  const { title, action, doing, canSubmit, submit, focus, submitsByModEnter, children } = props
  const { overlay } = useStores()
  const unreachable = useUnreachable()
  const formId = useId()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const disabled = !canSubmit || unreachable !== undefined
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    if (disabled || busy) return
    setBusy(true)
    setProblem(null)
    try {
      await submit()
      overlay.hide()
    } catch (error) {
      setProblem(problemOf(error, doing))
      setBusy(false)
    }
  }
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title={title}
      size="small"
      focus={focus}
      footer={
        <>
          <Button onClick={overlay.hide}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            shortcut={submitsByModEnter ? 'Mod+Enter' : undefined}
            busy={busy}
            disabled={disabled && !busy}
            title={unreachable}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => void onSubmit(event)}
        onKeyDown={(event) => {
          if (submitsByModEnter && event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            void onSubmit(event)
        }}
        className="flex flex-col gap-4 p-4"
      >
        {children}
        {problem ? <ProblemNotice problem={problem} /> : null}
      </form>
    </DialogShell>
  )
}
