import { type FormEvent, useId, useRef, useState } from 'react'
import { externalLink } from '../../../shared/external-link.ts'
import type { TaskId } from '../../../shared/ids.ts'
import { Button, DialogShell, Field, TextInput, toast } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'

/** Adds a pull request to a task's transcript. */
export function LinkPullRequestDialog({ taskId }: { taskId: TaskId }) {
  const { client, overlay } = useStores()
  const unreachable = useUnreachable()
  const formId = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isWrong, setIsWrong] = useState(false)
  const canSave = text.trim() !== '' && unreachable === undefined && !busy

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!canSave) return
    const url = externalLink(text.trim())
    // Not while it is typed: half an address is no mistake.
    setIsWrong(url === null)
    if (url === null) return
    setBusy(true)
    setProblem(null)
    try {
      const { linked } = await client.tasks.linkPullRequest({ taskId, url })
      toast(linked ? 'Linked the pull request.' : 'This pull request was linked already.')
      overlay.hide()
    } catch (failure) {
      setProblem(problemOf(failure, 'link the pull request'))
      setBusy(false)
    }
  }

  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title="Link a pull request"
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
            Link
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-4 p-4"
      >
        <Field
          label="Address"
          hint="It is added to the transcript."
          error={isWrong ? 'Enter an http or https address.' : null}
        >
          <TextInput
            ref={field}
            value={text}
            inputMode="url"
            placeholder="https://github.com/…/pull/…"
            onChange={(event) => {
              setText(event.target.value)
              setIsWrong(false)
            }}
          />
        </Field>
        {problem ? <ProblemNotice problem={problem} /> : null}
      </form>
    </DialogShell>
  )
}
