import { useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { titleCharsMax } from '../../../shared/records/tasks/tasks.ts'
import { Field, TextInput } from '../../components/primitives/index.ts'
import { useStores, useTask } from '../../store/hooks.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'

/** Gives a root another title. */
export function RenameDialog({ taskId }: { taskId: TaskId }) {
  const { client } = useStores()
  const task = useTask(taskId)
  const field = useRef<HTMLInputElement>(null)
  const [title, setTitle] = useState(task?.title ?? '')
  if (!task) return null
  const wanted = title.trim()
  return (
    <FormDialog
      title="Rename"
      action="Rename"
      doing="rename the agent"
      canSubmit={wanted !== ''}
      submit={async () => {
        if (wanted !== task.title) await client.tasks.rename({ taskId, title: wanted })
      }}
      focus={field}
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
    </FormDialog>
  )
}
