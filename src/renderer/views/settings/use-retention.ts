/** Retention as the settings show it: what is set, what a sweep would do, what earlier ones did. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type {
  ReceiptItem,
  ReceiptSummary,
  RetentionSettings,
  SweepPreview,
} from '../../../shared/contract/retention.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'

/** Typing a number is one question, and so is a burst of events. */
const settleMs = 250

export interface RetentionView {
  /** Null until they were read. */
  settings: RetentionSettings | null
  receipts: ReceiptSummary[] | null
  unreadable: string[]
  problem: Problem | null
  /** The items of a receipt, once they were asked for. */
  items: ReadonlyMap<string, ReceiptItem[]>
  reload(): void
  loadItems(receiptId: string): void
}

/** Read when the screen is shown, and again when something was swept, restored or pinned. */
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
      (error: unknown) => setProblem(problemOf(error, 'read the settings of retention')),
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

/** What a sweep would remove with these settings; null while it is being asked. */
export function usePreview(settings: RetentionSettings | null): {
  preview: SweepPreview | null
  problem: Problem | null
} {
  const { client } = useStores()
  const seq = useLedger(({ ledger }) => ledger.seq)
  const [preview, setPreview] = useState<SweepPreview | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const asked = useRef(0)
  const key = `${seq} ${JSON.stringify(settings)}`
  const ask = useCallback(() => {
    if (!settings) return
    asked.current += 1
    const mine = asked.current
    client.retention.preview({ settings }).then(
      (answer) => {
        // The answer to a superseded request is ignored.
        if (mine !== asked.current) return
        setPreview(answer)
        setProblem(null)
      },
      (error: unknown) => {
        if (mine === asked.current) setProblem(problemOf(error, 'see what would be removed'))
      },
    )
  }, [client, settings])
  useSettled(key, ask)
  return { preview, problem }
}

/** At once the first time, then when `key` has stayed the same for a moment. */
function useSettled(key: string | number, work: () => void): void {
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new `key` asks again
  useEffect(() => {
    const timer = setTimeout(work, first.current ? 0 : settleMs)
    first.current = false
    return () => clearTimeout(timer)
  }, [key, work])
}
