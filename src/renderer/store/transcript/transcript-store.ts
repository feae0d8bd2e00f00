/**
 * The transcript of one session for a view: a contiguous window of entries that grows by pages at
 * both ends and, while the session is live, follows its feed. Archived and live ones have the same
 * shape; if a session is archived while it is shown, the store switches without a visible change.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type CallProgress, joinProgress } from '../../../shared/agents/agent-records.ts'
import type { SessionFeedEvent } from '../../../shared/contract/feed.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { Damage, TranscriptPage } from '../../../shared/contract/workspace.ts'
import { withPartial, withProgress } from '../../../shared/projections/transcript/live-items.ts'
import type { TranscriptItem } from '../../../shared/projections/transcript/transcript-items.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { PartialMessage } from '../../../shared/records/entry-types/messages.ts'
import type { TaskId, ToolCallId } from '../../../shared/records/ids.ts'
import { withWholeValues } from '../../../shared/whole-values.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { perFrame, type Schedule } from '../schedule.ts'
import {
  appendEntries,
  type EntryWindow,
  emptyWindow,
  firstSeqOf,
  lastSeqOf,
  prependEntries,
  windowEntriesMax,
  windowOf,
} from './entry-window.ts'
import { addDelta } from './partial-message.ts'

/** A few screens, fetched before the reader reaches the end of the loaded entries. */
export const pageEntries = 200
/** Read before and after an entry that is jumped to: about a screen below it, and quickly there. */
const entriesBefore = 20
const entriesAfter = 60
/**
 * The limit for one text shown in full, because pages of it can't be read. A longer text ends with
 * a line about the cut.
 */
const valueBytesMax = 4 << 20

/** Where a transcript is opened: at one of its ends, or at the entry with this seq. */
export type OpenAt = 'start' | 'end' | number

type PagePlace = 'start' | 'end' | { seq: number } | { before: number }

/** A request to show an entry. Each call of `goTo` creates another one, also for the same entry. */
export interface Target {
  seq: number
  /** The row to show, where the entry has several; absent: its first. */
  rowKey?: string
  /** Whether its row gets the focus. */
  focus: boolean
  /** Whether its row is highlighted for a moment. */
  pointOut: boolean
}

export interface TranscriptView {
  phase: 'loading' | 'ready' | 'failed'
  problem: Problem | null
  items: TranscriptItem[]
  /** The count of the whole transcript, as far as known. */
  totalEntries: number
  /** The loaded entries; 0 if there are none. */
  firstSeq: number
  lastSeq: number
  /** The number of the last turn of the whole transcript; null while it is unknown. */
  turns: number | null
  /** The entry to show, which is loaded, or the nearest one is; null once it is shown. */
  target: Target | null
  hasOlder: boolean
  hasNewer: boolean
  paging: 'older' | 'newer' | 'jump' | null
  /** The error of a page that could not be read; the loaded entries stay. */
  pageProblem: Problem | null
  damage: Damage[]
  /** `live`: the session directory exists and more entries may follow. */
  source: 'live' | 'archived' | null
  status: TranscriptPage['status'] | null
}

export interface TranscriptStore {
  taskId: TaskId
  store: StoreApi<TranscriptView>
  /** A live one follows its end, unless it is opened at an entry. Called again, it starts over. */
  open(from: OpenAt): void
  loadOlder(): Promise<void>
  loadNewer(): Promise<void>
  /** Shows the newest entries, wherever the window is. */
  jumpToEnd(): Promise<void>
  /**
   * Moves the view to the entry `seq`, or to the nearest one, wherever the window is: find, replay, the outline, the
   * scroll bar and the address (`?seq=`) all call this. It loads the entries around it if they are not loaded, then
   * sets `target`, which the list shows. Of calls during a load only the last one counts; the promise resolves when
   * that one is loaded or failed (`pageProblem`).
   */
  goTo(seq: number, options?: Partial<Omit<Target, 'seq'>>): Promise<void>
  /** The list calls it when it has shown `target`. */
  arrived(target: Target): void
  /** Call it when the result of `isRunning` may have changed. */
  refresh(): void
  close(): void
}

interface TranscriptStoreDeps {
  client: Pick<ShiplogClient, 'feed' | 'transcripts'>
  taskId: TaskId
  /** Reports whether the session is known to be archived, so that it has no feed. */
  isArchived(): boolean
  /** Reports whether a run is in progress: otherwise an unfinished message was cut short. */
  isRunning(): boolean
  schedule?: Schedule
}

const closedView: TranscriptView = {
  phase: 'loading',
  problem: null,
  items: [],
  totalEntries: 0,
  firstSeq: 0,
  lastSeq: 0,
  turns: null,
  target: null,
  hasOlder: false,
  hasNewer: false,
  paging: null,
  pageProblem: null,
  damage: [],
  source: null,
  status: null,
}

export function createTranscriptStore({
  client,
  taskId,
  isArchived,
  isRunning,
  schedule = perFrame,
}: TranscriptStoreDeps): TranscriptStore {
  const store = createStore<TranscriptView>(() => closedView)
  const publishing = schedule(publish)
  let window: EntryWindow = emptyWindow()
  let partial: PartialMessage | null = null
  let running = new Map<ToolCallId, CallProgress>()
  let damage: Damage[] = []
  let source: TranscriptView['source'] = null
  let status: TranscriptView['status'] = null
  /** The newest entry known to exist; the window may end before it. */
  let knownLastSeq = 0
  let turns: number | null = null
  let turnsAsked = false
  /** Whether the reader has scrolled up from the newest entries. */
  let readsOlder = false
  let controller = new AbortController()
  /** Aborts the page that is being read, which a jump makes unnecessary. */
  let turning = new AbortController()
  /** The latest request that is not loaded yet. */
  let wanted: Target | null = null
  let jumping: Promise<void> | null = null
  let target: Target | null = null

  const atEnd = (): boolean => lastSeqOf(window) >= knownLastSeq

  function publish(): void {
    const shown = atEnd() ? partial : null
    const isLive = source === 'live' && isRunning()
    const items = withProgress(withPartial(window.fold, shown, isLive), running)
    if (atEnd()) turns = lastTurnOf(items) ?? turns ?? 0
    else if (turns === null && !turnsAsked) void countTurns(controller.signal)
    store.setState({
      phase: 'ready',
      problem: null,
      items: [...items],
      totalEntries: knownLastSeq,
      firstSeq: firstSeqOf(window),
      lastSeq: lastSeqOf(window),
      turns,
      target,
      hasOlder: firstSeqOf(window) > 1,
      hasNewer: !atEnd(),
      damage,
      source,
      status,
    })
    if (wanted) void startJump()
  }

  function open(from: OpenAt): void {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    window = emptyWindow()
    readsOlder = false
    partial = null
    running.clear()
    wanted = null
    jumping = null
    target = null
    turns = null
    turnsAsked = false
    store.setState(closedView, true)
    if (isArchived()) void openPages(from, signal)
    else if (typeof from === 'number') void openLiveAt(from, signal)
    else void followFeed(signal)
  }

  async function openLiveAt(seq: number, signal: AbortSignal): Promise<void> {
    readsOlder = true
    await openPages(seq, signal)
    if (!signal.aborted && store.getState().phase === 'ready') await followFeed(signal)
  }

  async function openPages(from: OpenAt, signal: AbortSignal): Promise<void> {
    try {
      const entries =
        typeof from === 'number' ? await readAround(from) : (await readPage(from)).entries
      if (signal.aborted) return
      window = windowOf(entries)
      publish()
    } catch (error) {
      if (!signal.aborted) fail(error)
    }
  }

  async function followFeed(signal: AbortSignal): Promise<void> {
    try {
      const events = await client.feed.session({ workspaceId: taskId }, { signal })
      for await (const event of events) {
        if (signal.aborted) return
        take(event)
      }
    } catch (error) {
      if (signal.aborted) return
      // It may have been archived between the click and the call.
      if (isArchived()) await openPages('end', signal)
      else fail(error)
    }
  }

  function take(event: SessionFeedEvent): void {
    switch (event.type) {
      case 'snapshot': {
        // After a lost connection the entries may continue the loaded ones; else the window starts
        // over.
        const joined = window.entries.length > 0 ? appendEntries(window, event.entries) : null
        // A reader of older entries stays with them.
        if (joined) window = joined
        else if (!readsOlder || window.entries.length === 0) window = windowOf(event.entries)
        knownLastSeq = Math.max(event.seq, lastSeqOf(window))
        partial = event.partial
        damage = event.damage
        source = 'live'
        status = 'complete'
        break
      }
      case 'entries': {
        const last = event.entries.at(-1)
        if (last) knownLastSeq = Math.max(knownLastSeq, last.seq)
        // They are contiguous unless the window was cut at its end; then a page will load them. A
        // full window accepts no more while older entries are read, because it would drop those
        // being read.
        if (!readsOlder || window.entries.length + event.entries.length <= windowEntriesMax)
          window = appendEntries(window, event.entries) ?? window
        for (const entry of event.entries)
          if (entry.type === 'tool-result') running.delete(entry.callId)
        if (event.entries.some((entry) => entry.uuid === partial?.uuid && entry.type === 'message'))
          partial = null
        break
      }
      case 'partial':
        partial = event.partial
        break
      case 'delta':
        if (partial) partial = addDelta(partial, event)
        break
      case 'running':
        running = new Map(event.calls.map((call) => [call.callId, call]))
        break
      case 'call-progress': {
        const { progress } = event
        const before = running.get(progress.callId)
        running.set(progress.callId, before ? joinProgress(before, progress) : progress)
        break
      }
      case 'ended':
        running.clear()
        source = 'archived'
        break
    }
    publishing.request()
  }

  async function readPage(at: PagePlace, signal = controller.signal, limit = pageEntries) {
    const query = { taskId, at, limit, previews: false }
    const page = await withWholeValues(client, await client.transcripts.page(query, { signal }), {
      bytesMax: valueBytesMax,
      signal,
    })
    // A live session's feed is ahead of its pages.
    knownLastSeq = Math.max(knownLastSeq, page.total, page.entries.at(-1)?.seq ?? 0)
    if (source !== 'live') {
      partial = page.partial ?? partial
      source = page.source
    }
    damage = page.damage
    status = page.status
    return page
  }

  /** Asks for the number of turns, which a window without the last one does not show. */
  async function countTurns(signal: AbortSignal): Promise<void> {
    turnsAsked = true
    try {
      const state = await client.transcripts.stateAt({ taskId, seq: knownLastSeq }, { signal })
      if (signal.aborted) return
      turns = Math.max(turns ?? 0, state.turns)
      publishing.request()
    } catch {
      // The position is then shown by entries.
    }
  }

  /** Entries on both sides of one; the last ones if there is no such entry yet. */
  async function readAround(seq: number, signal = controller.signal): Promise<Entry[]> {
    const [before, after] = await Promise.all([
      seq > 1 ? readPage({ before: seq }, signal, entriesBefore) : null,
      readPage({ seq }, signal, entriesAfter),
    ])
    if (after.entries.length === 0) return (await readPage('end', signal)).entries
    return [...(before?.entries ?? []), ...after.entries]
  }

  const startJump = (): Promise<void> => {
    jumping ??= jump(controller.signal)
    return jumping
  }

  async function jump(signal: AbortSignal): Promise<void> {
    for (let next = wanted; next && !signal.aborted; next = wanted) {
      wanted = null
      await showAt(next, signal)
    }
    if (!signal.aborted) jumping = null
  }

  async function showAt(next: Target, signal: AbortSignal): Promise<void> {
    if (!isLoaded(next.seq)) {
      turning.abort()
      store.setState({ paging: 'jump', pageProblem: null })
      try {
        const entries = await readAround(next.seq, signal)
        if (signal.aborted) return
        readsOlder = true
        window = windowOf(entries)
      } catch (error) {
        if (!signal.aborted)
          store.setState({ paging: null, pageProblem: problemOf(error, 'read these entries') })
        return
      }
      store.setState({ paging: null })
    }
    target = next
    publish()
  }

  /** True also if there is no such entry, and the nearest one is loaded. */
  function isLoaded(seq: number): boolean {
    const first = firstSeqOf(window)
    return (seq >= first || first <= 1) && (seq <= lastSeqOf(window) || atEnd())
  }

  /** One page at a time; a request during another one does nothing. */
  async function turnPage(
    direction: 'older' | 'newer',
    read: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { phase, paging } = store.getState()
    if (phase !== 'ready' || paging) return
    turning = new AbortController()
    const signal = AbortSignal.any([controller.signal, turning.signal])
    store.setState({ paging: direction, pageProblem: null })
    try {
      await read(signal)
      if (!signal.aborted) publish()
    } catch (error) {
      if (!signal.aborted)
        store.setState({ pageProblem: problemOf(error, `read ${direction} entries`) })
    } finally {
      if (!signal.aborted) store.setState({ paging: null })
    }
  }

  async function readOlder(signal: AbortSignal): Promise<void> {
    const first = firstSeqOf(window)
    if (first <= 1) return
    const page = await readPage({ before: first }, signal)
    if (signal.aborted) return
    readsOlder = true
    window = prependEntries(window, page.entries)
  }

  async function readNewer(signal: AbortSignal): Promise<void> {
    if (atEnd()) return
    const page = await readPage({ seq: lastSeqOf(window) + 1 }, signal)
    if (signal.aborted) return
    readsOlder = false
    window = appendEntries(window, page.entries) ?? windowOf(page.entries)
  }

  async function readEnd(signal: AbortSignal): Promise<void> {
    if (atEnd()) return
    const page = await readPage('end', signal)
    if (signal.aborted) return
    readsOlder = false
    window = windowOf(page.entries)
  }

  function fail(error: unknown): void {
    publishing.cancel()
    store.setState({ phase: 'failed', problem: problemOf(error, 'read the transcript') })
  }

  return {
    taskId,
    store,
    open,
    loadOlder: () => turnPage('older', readOlder),
    loadNewer: () => turnPage('newer', readNewer),
    async jumpToEnd() {
      wanted = null
      await jumping
      turning.abort()
      if (store.getState().phase === 'ready') store.setState({ paging: null })
      await turnPage('newer', readEnd)
    },
    async goTo(seq, { focus = false, pointOut = true, rowKey } = {}) {
      wanted = { seq, focus, pointOut, ...(rowKey === undefined ? {} : { rowKey }) }
      const { phase } = store.getState()
      if (phase === 'failed') open(seq)
      // `publish` starts it once the transcript is open.
      else if (phase === 'ready') await startJump()
    },
    arrived(shown) {
      if (target !== shown) return
      target = null
      store.setState({ target })
    },
    refresh() {
      if (store.getState().phase === 'ready') publishing.request()
    },
    close() {
      controller.abort()
      publishing.cancel()
    },
  }
}

function lastTurnOf(items: TranscriptItem[]): number | null {
  const last = items.findLast((item) => item.kind === 'turn')
  return last?.kind === 'turn' ? last.turn : null
}
