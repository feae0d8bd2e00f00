import { useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { externalLink } from '../../../shared/text/external-link.ts'
import { Field, TextInput, toast } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'

/** Adds a pull request to a task's transcript. */
export function LinkPullRequestDialog({ taskId }: { taskId: TaskId }) {
  const { client } = useStores()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const url = externalLink(text.trim())
  return (
    <FormDialog
      title="Link a pull request"
      action="Link"
      doing="link the pull request"
      canSubmit={text.trim() !== ''}
      // Only on submit, because a half-typed address is not an error.
      validate={() => {
        setIsWrong(url === null)
        return url !== null
      }}
      submit={async () => {
        if (url === null) return
        const { linked } = await client.tasks.linkPullRequest({ taskId, url })
        toast(linked ? 'Linked the pull request.' : 'This pull request was already linked.')
      }}
      focus={field}
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
    </FormDialog>
  )
}
