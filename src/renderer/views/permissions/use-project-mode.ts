import { useEffect, useState } from 'react'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { useStores } from '../../store/hooks.ts'

/** The mode of agents of a project that have none of their own; null while it is read, and when it can't be. */
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
