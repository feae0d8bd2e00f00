import { useEffect, useState } from 'react'
import type { ExportPreview } from '../../../shared/contract/exports.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

export type ExportChoice = Parameters<ShiplogClient['exports']['preview']>[0]

/** `preview` stays while the next one is loaded; `isCurrent` is false until it belongs to the present choice. */
interface PreviewView {
  preview: ExportPreview | null
  isCurrent: boolean
  problem: Problem | null
}

/** Requests a preview whenever the choice changes, and aborts the previous request. */
export function useExportPreview(choice: ExportChoice, attempt: number): PreviewView {
  const { client } = useStores()
  const [loaded, setLoaded] = useState<{ key: string; preview: ExportPreview } | null>(null)
  const [failed, setFailed] = useState<{ key: string; problem: Problem } | null>(null)
  const requestKey = JSON.stringify([choice, attempt])
  useEffect(() => {
    const abort = new AbortController()
    const [input] = JSON.parse(requestKey) as [ExportChoice]
    client.exports.preview(input, { signal: abort.signal }).then(
      (preview) => {
        if (!abort.signal.aborted) setLoaded({ key: requestKey, preview })
      },
      (error) => {
        if (!abort.signal.aborted)
          setFailed({ key: requestKey, problem: problemOf(error, 'read the transcript') })
      },
    )
    return () => abort.abort()
  }, [client, requestKey])
  return {
    preview: loaded?.preview ?? null,
    isCurrent: loaded?.key === requestKey,
    problem: failed?.key === requestKey ? failed.problem : null,
  }
}
