/** The state of the retention settings: the settings, the preview of a sweep, and the receipts of earlier ones. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type {
  ReceiptItem,
  ReceiptSummary,
  RetentionSettings,
  SweepPreview,
} from '../../../shared/contract/retention.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'

/** Groups the requests while a number is typed or events arrive in a burst. */
const settleMs = 250

export interface RetentionView {
  /** Null until they are loaded. */
  settings: RetentionSettings | null
  receipts: ReceiptSummary[] | null
  unreadable: string[]
  problem: Problem | null
  /** The items of each receipt that was opened. */
  items: ReadonlyMap<string, ReceiptItem[]>
  reload(): void
  loadItems(receiptId: string): void
}

/** Read when the screen is shown, and again after each change of the ledger. */
export function useRetention(): RetentionView {
  const { client } = useStores()
  const seq = useLedger(({ ledger }) => ledger.seq)
  const [settings, setSettings] = useState<RetentionSettings | null>(null)
  const [receipts, setReceipts] = useState<ReceiptSummary[] | null>(null)
  const [unreadable, setUnreadable] = useState<string[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  const [items, setItems] = useState<ReadonlyMap<string, ReceiptItem[]>>(new Map())
  const reload = useCallback(() => {
    Promise.all([client.retention.settings(), client.retention.receipts()]).then(
      ([set, list]) => {
        setSettings(set)
        setReceipts(list.receipts)
        setUnreadable(list.unreadable)
        setProblem(null)
      },
      (error: unknown) => setProblem(problemOf(error, 'read the retention settings')),
    )
  }, [client])
  useSettled(seq, reload)
  const loadItems = useCallback(
    (receiptId: string) => {
      client.retention.receipt({ receiptId }).then(
        (receipt) => setItems((before) => new Map(before).set(receiptId, receipt.items)),
        (error: unknown) => setProblem(problemOf(error, 'read the receipt')),
      )
    },
    [client],
  )
  return { settings, receipts, unreadable, problem, items, reload, loadItems }
}

/** What a sweep would remove with these settings; null until the host has answered. */
export function usePreview(settings: RetentionSettings | null): {
  preview: SweepPreview | null
  problem: Problem | null
} {
  const { client } = useStores()
  const seq = useLedger(({ ledger }) => ledger.seq)
  const [preview, setPreview] = useState<SweepPreview | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const requests = useRef(0)
  const key = `${seq} ${JSON.stringify(settings)}`
  const ask = useCallback(() => {
    if (!settings) return
    requests.current += 1
    const request = requests.current
    client.retention.preview({ settings }).then(
      (answer) => {
        // The answer to a superseded request is ignored.
        if (request !== requests.current) return
        setPreview(answer)
        setProblem(null)
      },
      (error: unknown) => {
        if (request === requests.current) setProblem(problemOf(error, 'see what would be removed'))
      },
    )
  }, [client, settings])
  useSettled(key, ask)
  return { preview, problem }
}

/** Runs `work` at once the first time, then whenever `key` has stayed the same for `settleMs`. */
function useSettled(key: string | number, work: () => void): void {
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new `key` runs `work` again
  useEffect(() => {
    const timer = setTimeout(work, first.current ? 0 : settleMs)
    first.current = false
    return () => clearTimeout(timer)
  }, [key, work])
}
