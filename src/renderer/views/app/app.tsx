import { type ReactNode, useContext, useEffect, useMemo } from 'react'
import {
  ClockContext,
  stoppedClock,
  Toaster,
  TooltipProvider,
} from '../../components/primitives/index.ts'
import {
  StoresContext,
  useConnection,
  useConnectionLost,
  useLedger,
  usePreference,
} from '../../store/hooks.ts'
import type { Stores } from '../../store/stores.ts'
import { Shell } from '../shell/shell.tsx'
import { StartFailed, Starting, StartRefused } from './start-screens.tsx'

/** The whole window, with its stores passed in. */
export function App({ stores }: { stores: Stores }) {
  return (
    <StoresContext value={stores}>
      <TooltipProvider>
        <Theme />
        <Gate>
          <ConnectionClock>
            <Shell />
          </ConnectionClock>
        </Gate>
        <Toaster />
      </TooltipProvider>
    </StoresContext>
  )
}

/** Waits for the first snapshot; afterwards the loaded data stays, whatever happens to the connection. */
function Gate({ children }: { children: ReactNode }) {
  const connection = useConnection()
  const phase = useLedger((view) => view.phase)
  const problem = useLedger((view) => view.problem)
  const everLoaded = useLedger(({ ledger }) => ledger.dataDir !== '')
  if (everLoaded) return children
  if (connection.kind === 'refused' || connection.kind === 'no-token')
    return <StartRefused why={connection.kind} />
  if (phase === 'failed' && problem) return <StartFailed problem={problem} />
  return <Starting trying={connection.kind === 'lost'} />
}

/** Stops clocks and spinning icons while the connection is lost, because what still runs is unknown. */
function ConnectionClock({ children }: { children: ReactNode }) {
  const lost = useConnectionLost()
  const running = useContext(ClockContext)
  const clock = useMemo(() => (lost ? stoppedClock(running.now()) : running), [lost, running])
  useEffect(() => {
    const { dataset } = document.documentElement
    if (lost) dataset.connection = 'lost'
    else delete dataset.connection
  }, [lost])
  return <ClockContext value={clock}>{children}</ClockContext>
}

/** Uses the system's theme unless the user selected one. */
function Theme() {
  const theme = usePreference('theme')
  useEffect(() => {
    const { dataset } = document.documentElement
    if (theme === 'system') delete dataset.theme
    else dataset.theme = theme
  }, [theme])
  return null
}
