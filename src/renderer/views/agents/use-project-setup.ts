import { useEffect, useState } from 'react'
import type { ProjectSetup } from '../../../shared/contract/projects.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

/**
 * What the project's own configuration needs the user to allow; read when the dialog opens, because it may change.
 * `projectId` null: there is no project yet.
 */
export function useProjectSetup(projectId: ProjectId | null): {
  setup: ProjectSetup | null
  setupProblem: Problem | null
} {
  const { client } = useStores()
  const [read, setRead] = useState<{
    of: ProjectId
    setup: ProjectSetup | null
    setupProblem: Problem | null
  } | null>(null)
  useEffect(() => {
    if (projectId === null) return
    let wanted = true
    client.projects.setup({ projectId }).then(
      (setup) => wanted && setRead({ of: projectId, setup, setupProblem: null }),
      (error: unknown) =>
        wanted &&
        setRead({
          of: projectId,
          setup: null,
          setupProblem: problemOf(error, 'read the project’s set-up'),
        }),
    )
    return () => {
      wanted = false
    }
  }, [client, projectId])
  return read && read.of === projectId ? read : { setup: null, setupProblem: null }
}
