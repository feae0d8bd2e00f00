import type { ReactNode } from 'react'
import { EmptyState } from '../../components/primitives/index.ts'
import { useAppInfo, useLedger, useProjects, useStores } from '../../store/hooks.ts'
import { FirstSteps } from './first-steps.tsx'
import { Overview } from './overview.tsx'

/** The window while no agent is selected; on the first start, how to begin. */
export function HomeScreen() {
  const projects = useProjects()
  const anyAgent = useLedger(({ children }) => (children.get(null)?.length ?? 0) > 0)
  const { overlay } = useStores()
  const { info } = useAppInfo()
  const hasModel = info?.agents.some(({ kind, available }) => kind === 'model' && available)
  // A user who began with an import still has everything to set up, and may try the demo.
  const onlyImported = useLedger(({ children }) =>
    (children.get(null) ?? []).every(({ imported }) => imported),
  )
  if (anyAgent)
    return (
      <Home>
        {onlyImported && projects.length === 0 ? (
          <>
            <div className="flex shrink-0 flex-col">
              <FirstSteps />
            </div>
            <Overview withField={false} />
          </>
        ) : (
          <Overview />
        )}
      </Home>
    )
  if (projects.length === 0 || hasModel === false)
    return (
      <Home>
        <FirstSteps />
      </Home>
    )
  return (
    <Home>
      <EmptyState
        sentence="Start an agent. It works in its own Git worktree and everything it does is recorded."
        action={{
          label: 'New agent…',
          onClick: () => overlay.show({ kind: 'new-agent', projectId: null }),
        }}
      />
    </Home>
  )
}

/** Every screen begins with a heading, here for screen readers only. */
function Home({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      <h1 className="sr-only">Shiplog</h1>
      {children}
    </div>
  )
}
