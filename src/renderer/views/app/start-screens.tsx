import { type FormEvent, useEffect, useState } from 'react'
import { Button, EmptyState, Field, TextInput } from '../../components/primitives/index.ts'
import type { Problem } from '../../rpc/problem.ts'
import { openWithToken, tokenIn } from '../../rpc/token.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { ProblemNotice } from './problem-notice.tsx'

/** A running host answers sooner, so that no text appears for a moment. */
const shownAfterMs = 400

export function Starting({ trying }: { trying: boolean }) {
  const [late, setLate] = useState(false)
  const progress = useLedger((view) => view.progress)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), shownAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <main className="tabular flex h-full items-center justify-center text-muted" aria-busy>
      {!late
        ? null
        : trying
          ? 'Shiplog is not responding. Reconnecting…'
          : progress === null
            ? 'Opening the log…'
            : `Opening the log… ${Math.floor(progress * 100)}%`}
    </main>
  )
}

/** Without a valid token the host shows nothing. */
export function StartRefused({ why }: { why: 'refused' | 'no-token' }) {
  return (
    <main className="flex h-full flex-col">
      <h1 className="sr-only">Shiplog</h1>
      <EmptyState
        sentence={
          why === 'refused'
            ? 'This link has expired. Paste the new link shown in the terminal.'
            : 'This link is incomplete: it has no token. Paste the whole link shown in the terminal, with everything after the #.'
        }
      >
        <LinkForm />
      </EmptyState>
    </main>
  )
}

function LinkForm() {
  const [pasted, setPasted] = useState('')
  const [wrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = tokenIn(pasted)
    if (token === null) return setWrong(true)
    openWithToken(token, window.location)
  }
  return (
    <form onSubmit={submit} className="w-full max-w-[420px] text-left">
      <Field
        label="Link or token"
        error={
          wrong
            ? 'There is no token in this. Copy the whole link, with everything after the #.'
            : null
        }
      >
        <div className="flex gap-2">
          <TextInput
            autoFocus
            value={pasted}
            placeholder="http://127.0.0.1:…/#token=…"
            onChange={(event) => {
              setPasted(event.target.value)
              setWrong(false)
            }}
          />
          <Button type="submit" variant="primary">
            Open
          </Button>
        </div>
      </Field>
    </form>
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
