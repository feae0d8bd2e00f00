import {
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import type { TranscriptFilter } from '../../../shared/projections/transcript/filter-units.ts'
import { FilterBar } from '../../components/conversation/find/filter-bar.tsx'
import { TranscriptList } from '../../components/conversation/list/transcript-list.tsx'
import { TaskActionsContext } from '../../components/conversation/task-lookup.ts'
import { EmptyState } from '../../components/primitives/index.ts'
import { useRoute, useStores } from '../../store/hooks.ts'
import { createFilterStore, type FilterView, isSet } from '../../store/transcript/filter-store.ts'
import type { TranscriptStore } from '../../store/transcript/transcript-store.ts'
import type { Route } from '../../store/window/route.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { type ReadingPosition, seqOf } from './reading.ts'

/** A transcript, or only the rows that match a filter in the address. */
export function TranscriptFilterPane(props: {
  transcript: TranscriptStore
  label: string
  /** Where the reader is in the transcript without a filter. */
  position: StoreApi<ReadingPosition>
  scope: 'window' | 'dialog'
  /** The transcript without a filter. */
  children: ReactNode
}) {
  const { transcript, label, position, scope, children } = props
  const { navigation } = useStores()
  const route = useTranscriptRoute(scope)
  const filter = route?.filter ?? null
  const pane = useRef<HTMLDivElement>(null)
  const change = (next: TranscriptFilter | undefined, seq?: number) => {
    if (!route) return
    // The focus must leave the bar before it is removed, or a dialog would take it a frame later.
    if (!next && pane.current?.contains(document.activeElement)) pane.current.focus()
    // The entry stays in the address, or the transcript would scroll to its start.
    const { filter: _, find: __, ...place } = route
    navigation.go({ ...place, ...(next && { filter: next }), ...(seq && { seq }) })
  }
  const toggle = () => change(filter ? undefined : { kind: null, tool: null, file: null })
  useKeys([
    {
      keys: 'f',
      group: 'Transcript',
      scope,
      label: filter ? 'Clear the filter' : 'Filter the transcript',
      run: toggle,
    },
    // Listed here; the list of matches handles it.
    ...(filter && isSet(filter)
      ? [
          {
            keys: 's',
            label: 'Show the row in the transcript',
            group: 'Transcript',
            scope,
          } as const,
        ]
      : []),
  ])
  const isHidden = filter !== null && isSet(filter)
  useReturnToPlace(isHidden, transcript, position)
  const isFiltered = filter !== null
  useEffect(() => {
    if (!isFiltered && pane.current === document.activeElement)
      pane.current?.querySelector<HTMLElement>('section[tabindex="0"]')?.focus()
  }, [isFiltered])
  const onKeyDown = (event: KeyboardEvent) => {
    if (!filter || event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    event.stopPropagation()
    change(undefined)
  }
  // The transcript stays mounted, with its place and its focus, when the bar appears or disappears.
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys that its rows do not handle
    <div
      ref={pane}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex min-h-0 min-w-0 flex-1 flex-col outline-none"
    >
      {filter ? (
        <Filtered
          key={transcript.taskId}
          transcript={transcript}
          filter={filter}
          label={label}
          onChange={change}
        />
      ) : null}
      {isHidden ? null : children}
    </div>
  )
}

/** Returns to the place that was read before a filter hid the transcript. */
function useReturnToPlace(
  isHidden: boolean,
  transcript: TranscriptStore,
  position: StoreApi<ReadingPosition>,
) {
  const wasHidden = useRef(false)
  useLayoutEffect(() => {
    const returns = wasHidden.current && !isHidden
    wasHidden.current = isHidden
    const seq = seqOf(position)
    if (returns && seq !== undefined) void transcript.goTo(seq, { pointOut: false })
  }, [isHidden, transcript, position])
}

/** The route, if it refers to the transcript in this scope: one with a dialog does not refer to the conversation below. */
export function useTranscriptRoute(
  scope: 'window' | 'dialog',
): Extract<Route, { screen: 'task' | 'archive' | 'transcript' }> | null {
  const route = useRoute()
  if (route.screen === 'archive' || route.screen === 'transcript')
    return scope === 'window' ? route : null
  if (route.screen !== 'task') return null
  return (route.transcriptOf !== null) === (scope === 'dialog') ? route : null
}

function Filtered(props: {
  transcript: TranscriptStore
  filter: TranscriptFilter
  label: string
  onChange(filter: TranscriptFilter | undefined, seq?: number): void
}) {
  const { transcript, filter, label, onChange } = props
  const { client } = useStores()
  const [filtered] = useState(() => createFilterStore({ client, taskId: transcript.taskId }))
  const view = useStore(filtered.store)
  const { kind, tool, file } = filter
  useEffect(() => filtered.set({ kind, tool, file }), [filtered, kind, tool, file])
  useEffect(() => {
    const stop = transcript.store.subscribe(({ totalEntries }) => filtered.grew(totalEntries))
    return () => {
      stop()
      filtered.close()
    }
  }, [filtered, transcript])
  return (
    <>
      <FilterBar
        filter={filter}
        answer={view.answer}
        busy={view.phase === 'reading'}
        onChange={onChange}
        onClose={() => onChange(undefined)}
      />
      {isSet(filter) ? (
        <FilteredRows
          view={view}
          label={label}
          onRetry={() => filtered.set(filter)}
          onMore={() => void filtered.loadMore()}
          onShow={(seq) => onChange(undefined, seq)}
        />
      ) : null}
    </>
  )
}

function FilteredRows(props: {
  view: FilterView
  label: string
  onRetry(): void
  onMore(): void
  onShow(seq: number): void
}) {
  const { view, label, onRetry, onMore, onShow } = props
  const actions = useContext(TaskActionsContext)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onShow` depends only on the address
  const shown = useMemo(() => ({ ...actions, onShowEntry: onShow, onGoToEntry: onShow }), [actions])
  if (view.phase === 'failed' && view.problem)
    return (
      <ProblemNotice
        problem={view.problem}
        action={{ label: 'Try again', onClick: onRetry }}
        className="m-4"
      />
    )
  if (view.phase === 'reading' && view.items.length === 0)
    return <div className="flex-1" aria-busy />
  return (
    <TaskActionsContext value={shown}>
      <TranscriptList
        items={view.items}
        label={`Filtered ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
        hasNewer={view.hasMore}
        paging={view.paging ? 'newer' : null}
        startAt="start"
        onReachEnd={onMore}
        empty={<EmptyState sentence="Nothing in this transcript matches the filter." />}
        className="flex-1"
      />
    </TaskActionsContext>
  )
}
