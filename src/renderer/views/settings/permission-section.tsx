import { PermissionFields } from '../../components/permissions/permission-fields.tsx'
import { Skeleton } from '../../components/primitives/index.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { usePermissionSettings } from '../permissions/use-permission-settings.ts'
import { SettingsForm } from './settings-form.tsx'

/** What agents of all projects may do without asking. */
export function PermissionSection() {
  const { settings, isChanged, problem, reload, change, save, discard } = usePermissionSettings({
    kind: 'everywhere',
  })
  if (problem && !settings)
    return <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
  if (!settings) return <Skeleton lines={3} />
  return (
    <SettingsForm
      what="permissions"
      description="For all projects; each can have a mode and rules of its own. A scripted agent follows your own script and does not ask."
      isChanged={isChanged}
      save={save}
      discard={discard}
    >
      <PermissionFields settings={settings} onChange={change} />
    </SettingsForm>
  )
}
