import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useStore } from 'zustand'
import { firstIndexOf } from '../../../shared/collections/first-index.ts'
import type { FindPlace } from '../../../shared/contract/transcripts/find.ts'
import { findPatternOf, patternOfTexts } from '../../../shared/text/find-pattern.ts'
import type { DiffMatch } from '../../components/conversation/find/diff-match.ts'
import { FindBar } from '../../components/conversation/find/find-bar.tsx'
import { createFindMarks, type FindMarks } from '../../components/conversation/find/find-marks.ts'
import {
  FoundMatchContext,
  FoundPlacesContext,
} from '../../components/conversation/find/find-places.ts'
import { placeOfMatch } from '../../components/conversation/find/find-row.ts'
import type { TranscriptListHandle } from '../../components/conversation/list/transcript-list.tsx'
import { transcriptRows } from '../../components/conversation/rows/transcript-rows.ts'
import { useStores } from '../../store/hooks.ts'
import {
  type CurrentMatch,
  createFindStore,
  type FindView,
} from '../../store/transcript/find-store.ts'
import type { TranscriptStore } from '../../store/transcript/transcript-store.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useTranscriptRoute } from './transcript-filter.tsx'

/** A longer selection is not used as the text to find. */
const selectedCharsMax = 200

/** A transcript's list with the bar that finds text in it. */
export function TranscriptFind(props: {
  transcript: TranscriptStore
  list: RefObject<TranscriptListHandle | null>
  /** Where its keys are registered. */
  scope: 'window' | 'dialog'
  children: ReactNode
}) {
  const { transcript, list, scope, children } = props
  /** A hit of the log's search has the text in its address; it is found at once. */
  const { find: text, seq } = useTranscriptRoute(scope) ?? {}
  const { client } = useStores()
  const [find] = useState(() => createFindStore({ client, taskId: transcript.taskId }))
  const view = useStore(find.store)
  const root = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const row = useShownMatch({ transcript, list, root, view })
  const { isOpen, query, current, places } = view

  useEffect(() => () => find.close(), [find])
  useEffect(() => {
    find.grew(transcript.store.getState().totalEntries)
    return transcript.store.subscribe(({ totalEntries }) => find.grew(totalEntries))
  }, [find, transcript])
  useEffect(() => {
    if (text) find.open(seq ?? seqInView(root.current), text)
  }, [find, text, seq])

  const found = useMemo(
    () =>
      isOpen ? { seqs: places.map(({ seq }) => seq), current: current?.place.seq ?? null } : null,
    [isOpen, places, current],
  )
  const match = useMemo(() => {
    if (!isOpen || current?.place.kind !== 'output') return null
    return { seq: current.place.seq, nth: current.nth, pattern: patternOf(current.place, query) }
  }, [isOpen, current, query])
  const open = () => {
    const selected = selectionIn(root.current)
    if (!isOpen || selected !== undefined) find.open(seqInView(root.current), selected)
    requestAnimationFrame(() => input.current?.select())
  }
  const close = () => {
    const shown = current && row.current
    // The focus moves before the bar is removed, or the dialog would take it.
    const article = shown
      ? root.current?.querySelector<HTMLElement>(`article[data-row="${CSS.escape(shown)}"]`)
      : null
    if (article) article.focus({ preventScroll: true })
    else list.current?.focus()
    find.close()
  }
  const step = (by: 1 | -1) => (isOpen ? find.step(by) : open())
  useKeys([
    { keys: 'Mod+f', label: 'Find in the transcript', group: 'Transcript', scope, run: open },
    { keys: 'F3', label: 'Next match', group: 'Transcript', scope, run: () => step(1) },
    { keys: 'Shift+F3', label: 'Previous match', group: 'Transcript', scope, run: () => step(-1) },
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen || event.defaultPrevented) return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys that its rows do not handle
    <div onKeyDown={onKeyDown} className="flex min-h-0 flex-1 flex-col">
      {isOpen ? (
        <FindBar
          ref={input}
          find={{ ...view, error: view.problem?.message ?? null }}
          onChange={(change) => find.setQuery(change, { immediate: change.text === undefined })}
          onStep={find.step}
          onClose={close}
        />
      ) : null}
      <FoundPlacesContext value={found}>
        <FoundMatchContext value={match}>
          <div ref={root} className="flex min-h-0 flex-1 flex-col">
            {children}
          </div>
        </FoundMatchContext>
      </FoundPlacesContext>
    </div>
  )
}

/** Scrolls to the current match and marks all visible ones. Returns a ref to the key of the current match's row. */
function useShownMatch(props: {
  transcript: TranscriptStore
  list: RefObject<TranscriptListHandle | null>
  root: RefObject<HTMLDivElement | null>
  view: FindView
}): RefObject<string | null> {
  const { transcript, list, root, view } = props
  const { isOpen, query, places, current } = view
  const marks = useRef<FindMarks | null>(null)
  const rowKey = useRef<string | null>(null)
  /** The part and position of the current match. */
  const part = useRef<{ partKey: string; nth: number; inDiff?: DiffMatch | null }>({
    partKey: '',
    nth: 0,
  })

  useEffect(() => {
    if (!isOpen || !root.current) return
    marks.current = createFindMarks(root.current)
    return () => {
      marks.current?.close()
      marks.current = null
    }
  }, [isOpen, root])

  const show = (match: CurrentMatch | null, reveal: boolean) => {
    const key = rowKey.current
    marks.current?.show(
      {
        patternFor: patternsOf(query, places),
        current: match && key !== null ? { ...part.current, seq: match.place.seq } : null,
      },
      { reveal },
    )
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marks depend only on these
  useEffect(() => {
    if (isOpen) show(current, false)
  }, [isOpen, query, places])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each match
  useEffect(() => {
    rowKey.current = null
    if (!isOpen || !current) return
    let isLatest = true
    void (async () => {
      const { place, nth } = current
      const { firstSeq, lastSeq } = transcript.store.getState()
      if (place.seq < firstSeq || place.seq > lastSeq)
        await transcript.goTo(place.seq, { pointOut: false })
      if (!isLatest) return
      const { items, damage, hasOlder } = transcript.store.getState()
      const pattern = patternOf(place, query)
      const found = placeOfMatch(
        transcriptRows(items, { damage, hasOlder }),
        { ...place, nth },
        pattern,
      )
      if (!found) return
      rowKey.current = found.rowKey
      part.current = found
      list.current?.unfold(found.folds)
      const isRendered = root.current?.querySelector(
        `article[data-row="${CSS.escape(found.rowKey)}"]`,
      )
      if (!isRendered || !marksAreShown)
        await transcript.goTo(place.seq, { rowKey: found.rowKey, pointOut: !marksAreShown })
      if (isLatest) show(current, true)
    })()
    return () => {
      isLatest = false
    }
  }, [isOpen, current])
  return rowKey
}

const marksAreShown = typeof Highlight !== 'undefined'

const patternOf = ({ texts }: FindPlace, query: FindView['query']): RegExp =>
  texts ? patternOfTexts(texts) : findPatternOf(query)

/**
 * Returns a function that gives the pattern to mark in a range of entries. For a regular expression it matches the texts
 * that the host found there, because running the expression in the page could block it.
 */
function patternsOf({ isPattern, ...query }: FindView['query'], places: readonly FindPlace[]) {
  if (places.length === 0) return () => null
  if (!isPattern) {
    const pattern = findPatternOf({ ...query, isPattern })
    return () => pattern
  }
  return (seq: number, nextSeq: number) => {
    const texts = new Set<string>()
    for (let index = firstFrom(places, seq); index < places.length; index++) {
      const place = places[index]
      if (!place || place.seq >= nextSeq || texts.size >= textsMax) break
      for (const text of place.texts ?? []) texts.add(text)
    }
    return texts.size === 0 ? null : patternOfTexts([...texts])
  }
}

/** At most this many texts are marked in the rows of one turn. */
const textsMax = 500

const firstFrom = (places: readonly FindPlace[], seq: number): number =>
  firstIndexOf(places, (place) => place.seq >= seq)

/** The first visible entry. */
function seqInView(root: HTMLElement | null): number {
  const top = root?.getBoundingClientRect().top ?? 0
  for (const row of root?.querySelectorAll<HTMLElement>('article[data-seq]') ?? [])
    if (row.getBoundingClientRect().bottom > top) return Number(row.dataset.seq)
  return 1
}

/** The text that the reader has selected, if it is a part of one line. */
function selectionIn(root: HTMLElement | null): string | undefined {
  const selection = getSelection()
  const text = selection?.toString().trim() ?? ''
  const isHere = selection?.anchorNode && root?.contains(selection.anchorNode)
  return isHere && text !== '' && text.length <= selectedCharsMax && !text.includes('\n')
    ? text
    : undefined
}
