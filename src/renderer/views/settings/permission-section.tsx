import { useState } from 'react'
import { PermissionFields } from '../../components/permissions/permission-fields.tsx'
import { Button, Skeleton } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { usePermissionSettings } from '../permissions/use-permission-settings.ts'

/** What agents of all projects may do unasked. */
export function PermissionSection() {
  const { settings, isChanged, problem, change, save, discard } = usePermissionSettings({
    kind: 'everywhere',
  })
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Problem | null>(null)
  if (problem) return <ProblemNotice problem={problem} />
  if (!settings) return <Skeleton lines={3} />
  const submit = async () => {
    setBusy(true)
    setRefused(null)
    await save().catch((error: unknown) => setRefused(problemOf(error, 'save the permissions')))
    setBusy(false)
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) void submit()
      }}
    >
      <p className="text-muted">
        For all projects; each can have a mode and rules of its own. A scripted agent plays your own
        script and asks for nothing.
      </p>
      <PermissionFields settings={settings} onChange={change} />
      {refused ? <ProblemNotice problem={refused} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant={isChanged ? 'primary' : 'quiet'}
          busy={busy}
          disabled={!isChanged || unreachable !== undefined}
          title={unreachable}
        >
          Save permissions
        </Button>
        {isChanged ? <Button onClick={discard}>Discard changes</Button> : null}
      </div>
    </form>
  )
}
