import { type FormEvent, useId, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import { titleCharsMax } from '../../../shared/tasks.ts'
import { Button, DialogShell, Field, TextInput } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores, useTask, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'

/** Another title for a root. */
export function RenameDialog({ taskId }: { taskId: TaskId }) {
  const { client, overlay } = useStores()
  const task = useTask(taskId)
  const unreachable = useUnreachable()
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  const [title, setTitle] = useState(task?.title ?? '')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  if (!task) return null
  const wanted = title.trim()
  const canSave = wanted !== '' && unreachable === undefined && !busy

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!canSave) return
    setBusy(true)
    setProblem(null)
    try {
      if (wanted !== task.title) await client.tasks.rename({ taskId, title: wanted })
      overlay.hide()
    } catch (error) {
      setProblem(problemOf(error, 'rename the agent'))
      setBusy(false)
    }
  }

  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title="Rename"
      size="small"
      focus={field}
      footer={
        <>
          <Button onClick={overlay.hide}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={busy}
            disabled={!canSave && !busy}
            title={unreachable}
          >
            Rename
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-4 p-4"
      >
        <Field label="Title">
          <TextInput
            ref={field}
            value={title}
            maxLength={titleCharsMax}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setTitle(event.target.value)}
          />
        </Field>
        {problem ? <ProblemNotice problem={problem} /> : null}
      </form>
    </DialogShell>
  )
}
