import { useState } from 'react'
import type { ModelTest } from '../../../shared/agents/provider-settings.ts'
import { modelTestHint } from '../../../shared/text/model-test-text.ts'
import { Button, StatusIcon, Took } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'

type Shown = { model: string; test: ModelTest }

/** A button that tests the model once, and the result. */
export function ModelTestLine({ model }: { model: string }) {
  const { client } = useStores()
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState(false)
  const [shown, setShown] = useState<Shown | null>(null)
  const run = async () => {
    setBusy(true)
    setShown(null)
    const test = await client.models.test({ model }).catch((error: unknown) => ({
      outcome: 'failed' as const,
      why: problemOf(error, 'test the model').message,
    }))
    setShown({ model, test })
    setBusy(false)
  }
  return (
    <>
      <Button
        busy={busy}
        disabled={(model === '' || unreachable !== undefined) && !busy}
        title={unreachable}
        onClick={() => void run()}
      >
        {busy ? 'Testing…' : 'Test'}
      </Button>
      <p role="status" className="untrusted flex min-w-0 flex-1 items-center gap-2 text-small">
        {shown?.model === model ? <Outcome test={shown.test} /> : null}
      </p>
    </>
  )
}

function Outcome({ test }: { test: ModelTest }) {
  if (test.outcome === 'failed')
    return (
      <>
        <StatusIcon decorative status="failed" />
        <span className="min-w-0">{test.why}</span>
      </>
    )
  const hint = modelTestHint(test)
  return (
    <>
      <StatusIcon decorative status={hint === null ? 'completed' : 'blocked'} />
      <span className="min-w-0">
        Answered in <Took ms={test.ms} />
        {hint === null ? ' and calls tools.' : `. ${hint}`}
      </span>
    </>
  )
}
