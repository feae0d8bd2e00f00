/**
 * The part of a transcript that is in memory: a window of entries from pages and from the feed, and the message and
 * the calls in progress. It sends no requests.
 */
import { type CallProgress, joinProgress } from '../../../shared/agents/agent-records.ts'
import { assertNever } from '../../../shared/assert-never.ts'
import type { SessionFeedEvent } from '../../../shared/contract/feed.ts'
import type { Damage, TranscriptPage } from '../../../shared/contract/workspace.ts'
import { withPartial, withProgress } from '../../../shared/projections/transcript/live-items.ts'
import type { TranscriptItem } from '../../../shared/projections/transcript/transcript-items.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { PartialMessage } from '../../../shared/records/entry-types/messages.ts'
import type { ToolCallId } from '../../../shared/records/ids.ts'
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

export interface LoadedState {
  /** The number of entries of the whole transcript, as far as known. */
  totalEntries: number
  /** The seq of the first loaded entry; 0 if there are none. */
  firstSeq: number
  lastSeq: number
  hasOlder: boolean
  hasNewer: boolean
  damage: Damage[]
  /** `live`: the session directory exists and more entries may follow. */
  source: 'live' | 'archived' | null
  status: TranscriptPage['status'] | null
}

interface LoadedTranscript {
  state(): LoadedState
  /** `isRunning`: a run is in progress. Otherwise an unfinished message of a live session was cut short. */
  items(isRunning: boolean): TranscriptItem[]
  /** True also if the entry does not exist and the nearest one is loaded. */
  hasSeq(seq: number): boolean
  /** Replaces the window by a page. `atTail`: the reader is at the newest entries and follows them. */
  replace(page: TranscriptPage, options: { atTail: boolean }): void
  prepend(page: TranscriptPage): void
  append(page: TranscriptPage): void
  applyEvent(event: SessionFeedEvent): void
}

export function createLoadedTranscript(): LoadedTranscript {
  let window: EntryWindow = emptyWindow()
  /** Whether the reader has left the newest entries for older ones. */
  let readsOlder = false
  let partial: PartialMessage | null = null
  let running = new Map<ToolCallId, CallProgress>()
  let damage: Damage[] = []
  let source: LoadedState['source'] = null
  let status: LoadedState['status'] = null
  /** The newest entry known to exist; the window may end before it. */
  let knownLastSeq = 0

  const isAtEnd = (): boolean => lastSeqOf(window) >= knownLastSeq

  function takePageState(page: TranscriptPage): void {
    // The feed of a live session is ahead of its pages.
    knownLastSeq = Math.max(knownLastSeq, page.total, page.entries.at(-1)?.seq ?? 0)
    if (source !== 'live') {
      partial = page.partial ?? partial
      source = page.source
    }
    damage = page.damage
    status = page.status
  }

  function applySnapshot(snapshot: Extract<SessionFeedEvent, { type: 'snapshot' }>): void {
    // After a lost connection the entries may continue the loaded ones.
    const joined = window.entries.length > 0 ? appendEntries(window, snapshot.entries) : null
    if (joined) window = joined
    // Readers of older entries stay at them.
    else if (!readsOlder || window.entries.length === 0) window = windowOf(snapshot.entries)
    knownLastSeq = Math.max(snapshot.seq, lastSeqOf(window))
    partial = snapshot.partial
    damage = snapshot.damage
    source = 'live'
    status = 'complete'
  }

  function applyEntries(entries: Entry[]): void {
    knownLastSeq = Math.max(knownLastSeq, entries.at(-1)?.seq ?? 0)
    // A full window drops its oldest entries for new ones: not while they are read. Entries that are not appended
    // are loaded as pages later.
    if (!readsOlder || window.entries.length + entries.length <= windowEntriesMax)
      window = appendEntries(window, entries) ?? window
    for (const entry of entries) {
      if (entry.type === 'tool-result') running.delete(entry.callId)
      if (entry.type === 'message' && entry.uuid === partial?.uuid) partial = null
    }
  }

  return {
    state: () => ({
      totalEntries: knownLastSeq,
      firstSeq: firstSeqOf(window),
      lastSeq: lastSeqOf(window),
      hasOlder: firstSeqOf(window) > 1,
      hasNewer: !isAtEnd(),
      damage,
      source,
      status,
    }),
    items(isRunning) {
      const shownPartial = isAtEnd() ? partial : null
      const isLive = source === 'live' && isRunning
      return withProgress(withPartial(window.fold, shownPartial, isLive), running)
    },
    hasSeq(seq) {
      const first = firstSeqOf(window)
      return (seq >= first || first <= 1) && (seq <= lastSeqOf(window) || isAtEnd())
    },
    replace(page, { atTail }) {
      takePageState(page)
      readsOlder = !atTail
      window = windowOf(page.entries)
    },
    prepend(page) {
      takePageState(page)
      readsOlder = true
      window = prependEntries(window, page.entries)
    },
    append(page) {
      takePageState(page)
      readsOlder = false
      window = appendEntries(window, page.entries) ?? windowOf(page.entries)
    },
    applyEvent(event) {
      switch (event.type) {
        case 'snapshot':
          return applySnapshot(event)
        case 'entries':
          return applyEntries(event.entries)
        case 'partial':
          partial = event.partial
          return
        case 'delta':
          if (partial) partial = addDelta(partial, event)
          return
        case 'running':
          running = new Map(event.calls.map((call) => [call.callId, call]))
          return
        case 'call-progress': {
          const { progress } = event
          const before = running.get(progress.callId)
          running.set(progress.callId, before ? joinProgress(before, progress) : progress)
          return
        }
        case 'ended':
          running.clear()
          source = 'archived'
          return
        default:
          return assertNever(event)
      }
    },
  }
}
