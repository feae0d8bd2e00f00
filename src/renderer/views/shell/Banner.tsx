import { NoticeLine } from '../../components/primitives/index.ts'
import { useConnection, useLedger, useStores } from '../../store/hooks.ts'

/** What was loaded stays readable below it. */
export function ConnectionBanner() {
  const { kind } = useConnection()
  const problem = useLedger((view) => view.problem)
  const { ledger } = useStores()
  if (kind === 'lost') return <Banner tone="warning" text="Connection lost. Reconnecting…" />
  if (kind === 'refused')
    return (
      <Banner
        tone="error"
        text="Shiplog was started again and has a new token. Open the URL that it printed; what is shown here is from before."
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
