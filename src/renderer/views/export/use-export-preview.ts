import { useEffect, useState } from 'react'
import type { ExportPreview } from '../../../shared/contract/exports.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

export type ExportChoice = Parameters<ShiplogClient['exports']['preview']>[0]

/** `preview` stays while the next one is made; `isCurrent` is false until it belongs to the present choice. */
interface PreviewView {
  preview: ExportPreview | null
  isCurrent: boolean
  problem: Problem | null
}

/** Reads again whenever the choice changes; what was asked before is given up. */
export function useExportPreview(choice: ExportChoice, attempt: number): PreviewView {
  const { client } = useStores()
  const [made, setMade] = useState<{ of: string; preview: ExportPreview } | null>(null)
  const [failed, setFailed] = useState<{ of: string; problem: Problem } | null>(null)
  const asked = JSON.stringify([choice, attempt])
  useEffect(() => {
    const abort = new AbortController()
    const [input] = JSON.parse(asked) as [ExportChoice]
    client.exports.preview(input, { signal: abort.signal }).then(
      (preview) => {
        if (!abort.signal.aborted) setMade({ of: asked, preview })
      },
      (error) => {
        if (!abort.signal.aborted)
          setFailed({ of: asked, problem: problemOf(error, 'read the transcript') })
      },
    )
    return () => abort.abort()
  }, [client, asked])
  return {
    preview: made?.preview ?? null,
    isCurrent: made?.of === asked,
    problem: failed?.of === asked ? failed.problem : null,
  }
}
