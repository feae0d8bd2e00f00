import { type Ref, useEffect, useMemo, useRef, useState } from 'react'
import type {
  PublishRequest,
  PublishResult,
  PublishState,
} from '../../../shared/contract/changes/publish.ts'
import { planPublish } from '../../../shared/git/plan-publish.ts'
import { publishCommands } from '../../../shared/git/publish-commands.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { CommandToAllow } from '../../components/approval/command-to-allow.tsx'
import {
  Button,
  Field,
  NoticeLine,
  Skeleton,
  TextArea,
  TextInput,
  toast,
} from '../../components/primitives/index.ts'
import { useStores, useTask } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { usePublishState } from './use-publish-state.ts'

/**
 * Commits the changes of a root, pushes the branch and opens a pull request with the user's own `gh`, by commands that
 * are shown first. Where Shiplog can't run them, the user copies them.
 */
export function CommitDialog({ taskId, base }: { taskId: TaskId; base: string | null }) {
  const task = useTask(taskId)
  return task ? <Form task={task} base={base} /> : null
}

function Form({ task, base }: { task: Task; base: string | null }) {
  const { client } = useStores()
  const { id } = task
  const { state, problem, refresh } = usePublishState(id)
  const { subject, body, setSubject, setBody } = useMessage(task)
  const [pushes, setPushes] = useState(false)
  const [opens, setOpens] = useState(false)
  const [pushTo, setPushTo] = useState<string | null>(null)
  const [seen, setSeen] = useState(false)
  const [failed, setFailed] = useState<PublishResult['failed']>(null)
  const field = useRef<HTMLInputElement>(null)
  const request = useMemo((): PublishRequest => {
    const branch = pushes && state ? (pushTo ?? state.branch) : null
    return { subject, body, pushTo: branch, pullRequest: pushes && opens ? { base } : null }
  }, [subject, body, pushes, opens, pushTo, state, base])
  const steps = state ? planPublish(state, request) : []
  const commands = publishCommands(steps)
  const notNow = state ? obstacleTo(request, state) : null
  const needsMessage = steps.some(({ does }) => does === 'commit' || does === 'pull-request')
  const isComplete =
    steps.length > 0 &&
    !(needsMessage && subject.trim() === '') &&
    (request.pushTo === null || request.pushTo.trim() !== '')
  const first = useRef<HTMLInputElement>(null)
  const isCommitted = state !== null && !state.uncommitted
  useEffect(() => {
    // The fields that had the focus are gone.
    if (isCommitted) first.current?.focus()
  }, [isCommitted])
  const copy = async () => {
    await navigator.clipboard.writeText(commands)
    toast('Copied. Run the commands in a terminal.')
  }
  return (
    <FormDialog
      title="Commit the changes"
      action={opens && pushes ? 'Run and open pull request' : 'Run commands'}
      doing="run the commands"
      canSubmit={isComplete && seen && notNow === null}
      more={
        <Button disabled={!isComplete} onClick={() => void copy()}>
          Copy commands
        </Button>
      }
      submit={async () => {
        setFailed(null)
        const result = await client.publish.run({ taskId: id, request, commands })
        if (result.failed) {
          setFailed(result.failed)
          refresh()
          return false
        }
        announce(result)
        return true
      }}
      submitsByModEnter
      focus={field}
    >
      {state && steps.length === 0 ? (
        <p>Everything is committed. Push the branch to share it.</p>
      ) : null}
      {needsMessage || !state ? (
        <>
          <Field label="Subject">
            <TextInput
              ref={field}
              value={subject}
              onChange={(event) => setSubject(event.target.value)}
            />
          </Field>
          <Field label="Description">
            <TextArea rows={3} value={body} onChange={(event) => setBody(event.target.value)} />
          </Field>
        </>
      ) : null}
      <div className="flex flex-col gap-2">
        <Choice ref={first} label="Push the branch to origin" on={pushes} onChange={setPushes} />
        {pushes ? (
          <>
            <Field label="Branch on origin">
              <TextInput
                dir="ltr"
                value={pushTo ?? state?.branch ?? ''}
                onChange={(event) => setPushTo(event.target.value)}
              />
            </Field>
            <Choice label="Open a pull request with gh" on={opens} onChange={setOpens} />
            {notNow ? <NoticeLine tone="warning" text={notNow} /> : null}
          </>
        ) : null}
      </div>
      {problem ? <ProblemNotice problem={problem} /> : null}
      {!state && !problem ? <Skeleton lines={3} /> : null}
      {commands === '' ? null : (
        <div className="flex flex-col gap-1 rounded-md border bg-panel p-2">
          <CommandToAllow command={commands} label="Commands" onSeen={setSeen} />
          {notNow ? null : (
            <p className="text-small text-muted">
              Runs as you, without Git hooks and signatures. For those, copy the commands into a
              POSIX shell.
            </p>
          )}
        </div>
      )}
      {failed ? (
        <NoticeLine tone="error" text={`${stepNames[failed.does]}: ${failed.message}`} />
      ) : null}
    </FormDialog>
  )
}

/** The commit message: the agent's report, until the user types something else. */
function useMessage({ id, title, reportTitle }: Task) {
  const { client } = useStores()
  const [subject, setSubject] = useState(visibleText(reportTitle ?? title))
  const [body, setBody] = useState('')
  const isTyped = useRef(false)
  useEffect(() => {
    if (reportTitle === null) return
    const abort = new AbortController()
    client.tasks.report({ taskId: id }, { signal: abort.signal }).then(
      ({ reportMarkdown }) => !isTyped.current && setBody(visibleText(reportMarkdown)),
      // The report is only a suggestion.
      () => {},
    )
    return () => abort.abort()
  }, [client, id, reportTitle])
  return {
    subject,
    body,
    setSubject,
    setBody(text: string) {
      isTyped.current = true
      setBody(text)
    },
  }
}

/** Why Shiplog can't run the commands; null if it can. */
function obstacleTo(
  request: PublishRequest,
  { cannotPush, gh, remote }: PublishState,
): string | null {
  if (request.pushTo === null) return null
  if (cannotPush !== null) return cannotPush
  if (request.pullRequest === null) return null
  if (remote?.repository == null) return 'The remote is not a GitHub repository.'
  return gh.state === 'ready' ? null : gh.reason
}

function announce({ url, done }: PublishResult): void {
  if (url !== null) toast('Opened the pull request.', { description: url })
  else toast(done.includes('push') ? 'Pushed the branch.' : 'Committed the changes.')
}

const stepNames = {
  stage: 'Not committed',
  commit: 'Not committed',
  push: 'Not pushed',
  'pull-request': 'No pull request',
}

function Choice(props: {
  ref?: Ref<HTMLInputElement>
  label: string
  on: boolean
  onChange(on: boolean): void
}) {
  return (
    <label className="flex items-center gap-2">
      <input
        ref={props.ref}
        type="checkbox"
        checked={props.on}
        onChange={(event) => props.onChange(event.target.checked)}
        className="size-4 accent-(--accent-fill)"
      />
      {props.label}
    </label>
  )
}
