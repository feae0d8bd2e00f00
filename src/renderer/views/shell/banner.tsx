import { NoticeLine } from '../../components/primitives/index.ts'
import { useConnection, useLedger, useStores } from '../../store/hooks.ts'

/** Reports a lost connection without moving the content, which stays readable. */
export function ConnectionBanner() {
  const connection = useConnection()
  const problem = useLedger((view) => view.problem)
  const { ledger } = useStores()
  if (connection.kind === 'lost') {
    const { tryNow } = connection
    return (
      <Floating
        tone="warning"
        text="Connection lost. Reconnecting…"
        action={tryNow && { label: 'Try now', onClick: tryNow }}
      />
    )
  }
  if (connection.kind === 'refused')
    return (
      <Floating
        tone="error"
        text="This page’s link has expired. What is shown may be out of date."
        action={{ label: 'Enter the link', onClick: () => window.location.reload() }}
      />
    )
  if (problem)
    return (
      <Banner
        tone="error"
        text={`${problem.message} This view may be out of date.`}
        action={{ label: 'Try again', onClick: ledger.open }}
      />
    )
  return null
}

/** A line over the whole width. */
function Banner(props: Parameters<typeof NoticeLine>[0]) {
  return (
    <div className="shrink-0 border-b bg-panel px-4">
      <NoticeLine {...props} />
    </div>
  )
}

/** Overlaps the content below the header, so that the title stays visible and nothing moves. */
function Floating(props: Parameters<typeof NoticeLine>[0]) {
  return (
    <div className="pointer-events-none absolute inset-x-0 top-14 z-20 flex justify-center px-4">
      <div className="pointer-events-auto rounded-md bg-raised px-3 shadow-popup">
        <NoticeLine {...props} />
      </div>
    </div>
  )
}
