import { NoticeLine } from '../../components/primitives/index.ts'
import { useConnection, useLedger, useStores } from '../../store/hooks.ts'

/** Reports a lost connection without moving the content, which stays readable. */
export function ConnectionBanner({ place = 'top' }: { place?: 'top' | 'bottom' }) {
  const connection = useConnection()
  const problem = useLedger((view) => view.problem)
  const { ledger } = useStores()
  if (connection.kind === 'lost') {
    const { tryNow } = connection
    return (
      <Floating
        place={place}
        tone="warning"
        text="Connection lost. Reconnecting…"
        action={tryNow && { label: 'Try now', onClick: tryNow }}
      />
    )
  }
  if (connection.kind === 'refused')
    return (
      <Floating
        place={place}
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

/**
 * Overlaps the content below the header, or above the end of a transcript, which begins below its header: the title
 * stays visible, and nothing moves.
 */
function Floating({
  place,
  ...props
}: Parameters<typeof NoticeLine>[0] & { place: 'top' | 'bottom' }) {
  return (
    <div
      className={`pointer-events-none absolute inset-x-0 z-20 flex justify-center px-4 ${place === 'top' ? 'top-14' : 'bottom-24'}`}
    >
      <div className="pointer-events-auto rounded-md bg-raised px-3 shadow-popup">
        <NoticeLine {...props} />
      </div>
    </div>
  )
}
