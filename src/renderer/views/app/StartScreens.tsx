import { useEffect, useState } from 'react'
import { EmptyState } from '../../components/primitives/index.ts'
import type { Problem } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { ProblemNotice } from './ProblemNotice.tsx'

/** A host that is there answers sooner: no word flashes by. */
const patienceMs = 400

export function Starting({ trying }: { trying: boolean }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <main className="flex h-full items-center justify-center text-muted" aria-busy>
      {late ? (trying ? 'Shiplog is not responding. Reconnecting…' : 'Opening the log…') : null}
    </main>
  )
}

/** Without the right token the host shows nothing to anybody. */
export function StartRefused({ why }: { why: 'refused' | 'no-token' }) {
  return (
    <main className="flex h-full flex-col">
      <EmptyState
        sentence={
          why === 'refused'
            ? 'This link has expired because Shiplog restarted. Open the new link shown in the terminal.'
            : 'This link is incomplete: it has no token. Open the whole link shown in the terminal, with everything after the #.'
        }
      />
    </main>
  )
}

export function StartFailed({ problem }: { problem: Problem }) {
  const { ledger, appInfo } = useStores()
  const retry = () => {
    ledger.open()
    void appInfo.load()
  }
  return (
    <main className="flex h-full items-center justify-center p-8">
      <div className="w-full max-w-[520px]">
        <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: retry }} />
      </div>
    </main>
  )
}
