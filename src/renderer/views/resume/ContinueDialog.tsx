import { type FormEvent, useId, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import { Button, DialogShell, Field, TextArea } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores, useTask, useUnreachable } from '../../store/hooks.ts'
import { taskRoute } from '../../store/route.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'

/** A new task that goes on from one that is over, with its history and its files (T4). */
export function ContinueDialog({ taskId }: { taskId: TaskId }) {
  const { client, overlay, navigation } = useStores()
  const task = useTask(taskId)
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const formId = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [prompt, setPrompt] = useState(task?.prompt ?? '')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  if (!task) return null
  const canStart = prompt.trim() !== '' && !lost && !busy
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!canStart) return
    setBusy(true)
    setProblem(null)
    try {
      const { taskId: begun } = await client.tasks.continueFrom({ taskId, prompt: prompt.trim() })
      overlay.hide()
      navigation.go(taskRoute(begun))
    } catch (error) {
      setProblem(problemOf(error, 'continue as a new task'))
      setBusy(false)
    }
  }
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title={`Continue “${task.title}” as a new task`}
      size="small"
      focus={field}
      footer={
        <>
          <Button onClick={overlay.hide}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            shortcut="Mod+Enter"
            busy={busy}
            disabled={!canStart && !busy}
            title={unreachable}
          >
            Start
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event)
        }}
        className="flex flex-col gap-4 p-4"
      >
        <Field
          label="Prompt"
          hint="The new task has the full history and starts from the files as they were left."
        >
          <TextArea
            ref={field}
            rows={5}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
        </Field>
        {problem ? <ProblemNotice problem={problem} /> : null}
      </form>
    </DialogShell>
  )
}
