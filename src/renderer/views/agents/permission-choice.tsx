import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { modeOptions } from '../../components/permissions/mode-options.ts'
import { Field, Select } from '../../components/primitives/index.ts'
import { useProjectMode } from '../permissions/use-project-mode.ts'

/** The permission mode of the new agent. `value` null: as configured for its project. */
export function PermissionChoice(props: {
  projectId: ProjectId
  value: PermissionMode | null
  onChange(value: PermissionMode): void
}) {
  const { projectId, value, onChange } = props
  const ofProject = useProjectMode(projectId)
  const shown = value ?? ofProject ?? 'ask'
  const hint = modeOptions.find((one) => one.value === shown)?.hint
  return (
    <Field label="Permissions" hint={hint && `${hint}.`}>
      <Select value={shown} onChange={onChange} options={modeOptions} />
    </Field>
  )
}
