import { useEffect, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { Field, TextArea, TextInput, toast } from '../../components/primitives/index.ts'
import { commitCommands } from '../../components/review/commit-commands.ts'
import { useStores, useTask } from '../../store/hooks.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'

/**
 * A message for the changes of a root, and the commands that commit them and open a pull request. The user runs them:
 * so their own Git signs, the hooks are those that they know, and `gh` has their account.
 */
export function CommitDialog({ taskId, base }: { taskId: TaskId; base: string | null }) {
  const task = useTask(taskId)
  return task ? <Form task={task} base={base} /> : null
}

function Form({ task, base }: { task: Task; base: string | null }) {
  const { client } = useStores()
  const { id, workspace, reportTitle } = task
  const field = useRef<HTMLInputElement>(null)
  const [subject, setSubject] = useState(visibleText(reportTitle ?? task.title))
  const [body, setBody] = useState('')
  const [pullRequest, setPullRequest] = useState(false)
  const isTyped = useRef(false)
  useEffect(() => {
    if (reportTitle === null) return
    const abort = new AbortController()
    client.tasks.report({ taskId: id }, { signal: abort.signal }).then(
      ({ reportMarkdown }) => !isTyped.current && setBody(visibleText(reportMarkdown)),
      // The message can be typed.
      () => {},
    )
    return () => abort.abort()
  }, [client, id, reportTitle])
  if (!workspace?.branch) return null
  const { path: worktree, branch } = workspace
  const commands = commitCommands({ worktree, branch, base, subject, body, pullRequest })
  return (
    <FormDialog
      title="Commit the changes"
      action="Copy commands"
      doing="copy the commands"
      canSubmit={subject.trim() !== ''}
      submit={async () => {
        await navigator.clipboard.writeText(commands)
        toast('Copied. Run the commands in a terminal.')
      }}
      submitsByModEnter
      focus={field}
    >
      <Field label="Subject">
        <TextInput
          ref={field}
          value={subject}
          onChange={(event) => setSubject(event.target.value)}
        />
      </Field>
      <Field label="Description">
        <TextArea
          rows={4}
          value={body}
          onChange={(event) => {
            isTyped.current = true
            setBody(event.target.value)
          }}
        />
      </Field>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={pullRequest}
          onChange={(event) => setPullRequest(event.target.checked)}
          className="size-4 accent-(--accent-fill)"
        />
        Push the branch and open a pull request with gh
      </label>
      <figure aria-label="Commands" className="flex min-w-0 flex-col gap-1">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          dir="ltr"
          className="untrusted focus-inset max-h-[140px] overflow-auto rounded-md border bg-sunken px-2 py-1 font-mono text-code whitespace-pre-wrap break-words"
        >
          {commands}
        </pre>
        <figcaption className="text-small text-muted">
          Shiplog doesn’t run them. In your terminal they use your own Git, with your signature and
          hooks
          {pullRequest ? ', and your account in gh' : ''}. For a POSIX shell, such as bash or zsh.
        </figcaption>
      </figure>
    </FormDialog>
  )
}
