import { useEffect, useState } from 'react'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { useStores } from '../../store/hooks.ts'

/** The permission mode that a project's agents have by default; null until it is loaded, or if that failed. */
export function useProjectMode(projectId: ProjectId): PermissionMode | null {
  const { client } = useStores()
  const [read, setRead] = useState<{ of: ProjectId; mode: PermissionMode } | null>(null)
  useEffect(() => {
    let wanted = true
    const modeOf = async (scope: Parameters<typeof client.permissions.settings>[0]['scope']) =>
      (await client.permissions.settings({ scope })).mode
    Promise.all([modeOf({ kind: 'project', projectId }), modeOf({ kind: 'everywhere' })]).then(
      ([own, wider]) => wanted && setRead({ of: projectId, mode: own ?? wider ?? 'ask' }),
      // The picker then shows no mode; the host decides when the agent runs.
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [client, projectId])
  return read?.of === projectId ? read.mode : null
}
