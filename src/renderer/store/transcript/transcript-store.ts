/**
 * The transcript of one session for a view: a contiguous window of entries that grows by pages at
 * both ends and, while the session is live, follows its feed. Archived and live ones have the same
 * shape; if a session is archived while it is shown, the store switches without a visible change.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TranscriptItem } from '../../../shared/projections/transcript/transcript-items.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { type Schedule, withFrames } from '../schedule.ts'
import { createLoadedTranscript, type LoadedState } from './loaded-transcript.ts'
import { createPageReader } from './page-reader.ts'

/** Where a transcript is opened: at one of its ends, or at the entry with this seq. */
export type OpenAt = 'start' | 'end' | number

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

export interface TranscriptView extends LoadedState {
  phase: 'loading' | 'ready' | 'failed'
  problem: Problem | null
  items: TranscriptItem[]
  /** The number of the last turn of the whole transcript; null while it is unknown. */
  turns: number | null
  /** The entry to show, which is loaded, or the nearest one is; null once it is shown. */
  target: Target | null
  paging: 'older' | 'newer' | 'jump' | null
  /** The error of a page that could not be read; the loaded entries stay. */
  pageProblem: Problem | null
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
  turns: null,
  target: null,
  paging: null,
  pageProblem: null,
  ...createLoadedTranscript().state(),
}

export function createTranscriptStore({
  client,
  taskId,
  isArchived,
  isRunning,
  schedule = withFrames,
}: TranscriptStoreDeps): TranscriptStore {
  const store = createStore<TranscriptView>(() => closedView)
  const publishing = schedule(publish)
  const pages = createPageReader(client, taskId)
  let loaded = createLoadedTranscript()
  let turns: number | null = null
  let turnsRequested = false
  let opening = new AbortController()
  /** Aborts the page that is being read, which a jump makes unnecessary. */
  let turning = new AbortController()
  /** The latest request that is not loaded yet. */
  let wanted: Target | null = null
  let jumping: Promise<void> | null = null
  let target: Target | null = null

  function publish(): void {
    const state = loaded.state()
    const items = loaded.items(isRunning())
    if (!state.hasNewer) turns = lastTurnOf(items) ?? turns ?? 0
    else if (turns === null && !turnsRequested) void countTurns(opening.signal)
    store.setState({ ...state, phase: 'ready', problem: null, items: [...items], turns, target })
    if (wanted) void startJump()
  }

  function open(from: OpenAt): void {
    opening.abort()
    opening = new AbortController()
    const { signal } = opening
    loaded = createLoadedTranscript()
    wanted = null
    jumping = null
    target = null
    turns = null
    turnsRequested = false
    store.setState(closedView, true)
    if (isArchived()) void openPages(from, signal)
    else if (typeof from === 'number') void openLiveAt(from, signal)
    else void followFeed(signal)
  }

  async function openLiveAt(seq: number, signal: AbortSignal): Promise<void> {
    await openPages(seq, signal)
    if (!signal.aborted && store.getState().phase === 'ready') await followFeed(signal)
  }

  async function openPages(from: OpenAt, signal: AbortSignal): Promise<void> {
    try {
      const page = await (typeof from === 'number'
        ? pages.readAround(from, signal)
        : pages.read(from, signal))
      if (signal.aborted) return
      loaded.replace(page, { atTail: from === 'end' })
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
        loaded.applyEvent(event)
        publishing.request()
      }
    } catch (error) {
      if (signal.aborted) return
      // It may have been archived between the click and the call.
      if (isArchived()) await openPages('end', signal)
      else fail(error)
    }
  }

  /** Reads the number of turns, which a window without the last one does not show. */
  async function countTurns(signal: AbortSignal): Promise<void> {
    turnsRequested = true
    const seq = loaded.state().totalEntries
    try {
      const state = await client.transcripts.stateAt({ taskId, seq }, { signal })
      if (signal.aborted) return
      turns = Math.max(turns ?? 0, state.turns)
      publishing.request()
    } catch {
      // The position is then shown by entries.
    }
  }

  const startJump = (): Promise<void> => {
    jumping ??= jump(opening.signal)
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
    if (!loaded.hasSeq(next.seq)) {
      turning.abort()
      store.setState({ paging: 'jump', pageProblem: null })
      try {
        const page = await pages.readAround(next.seq, signal)
        if (signal.aborted) return
        loaded.replace(page, { atTail: false })
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

  /** One page at a time; a request during another one does nothing. */
  async function turnPage(
    direction: 'older' | 'newer',
    readPage: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { phase, paging } = store.getState()
    if (phase !== 'ready' || paging) return
    turning = new AbortController()
    const signal = AbortSignal.any([opening.signal, turning.signal])
    store.setState({ paging: direction, pageProblem: null })
    try {
      await readPage(signal)
      if (!signal.aborted) publish()
    } catch (error) {
      if (!signal.aborted)
        store.setState({ pageProblem: problemOf(error, `read ${direction} entries`) })
    } finally {
      if (!signal.aborted) store.setState({ paging: null })
    }
  }

  async function readOlder(signal: AbortSignal): Promise<void> {
    const { firstSeq, hasOlder } = loaded.state()
    if (!hasOlder) return
    const page = await pages.read({ before: firstSeq }, signal)
    if (!signal.aborted) loaded.prepend(page)
  }

  async function readNewer(signal: AbortSignal): Promise<void> {
    const { lastSeq, hasNewer } = loaded.state()
    if (!hasNewer) return
    const page = await pages.read({ seq: lastSeq + 1 }, signal)
    if (!signal.aborted) loaded.append(page)
  }

  async function readEnd(signal: AbortSignal): Promise<void> {
    if (!loaded.state().hasNewer) return
    const page = await pages.read('end', signal)
    if (!signal.aborted) loaded.replace(page, { atTail: true })
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
      opening.abort()
      publishing.cancel()
    },
  }
}

function lastTurnOf(items: TranscriptItem[]): number | null {
  const last = items.findLast((item) => item.kind === 'turn')
  return last?.kind === 'turn' ? last.turn : null
}
