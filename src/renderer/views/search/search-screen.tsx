import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import {
  isFilterWithoutValue,
  type SearchAnswer,
  type SearchHit,
  searchFilters,
  type UnmatchedFilter,
  unmatchedFilterText,
} from '../../../shared/contract/search.ts'
import { nearestText } from '../../../shared/text/nearest-text.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import { Button, EmptyState, NoticeLine, TextInput } from '../../components/primitives/index.ts'
import {
  groupsOf,
  hitId,
  SearchHits,
  type ShownHit,
  withoutRepeated,
} from '../../components/search/search-hits.tsx'
import type { Problem } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { shownHitsMax } from '../../store/search/search-store.ts'
import { withRecentSearch } from '../../store/window/preferences.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { routeOfHit, showsTranscript } from './hit-route.ts'
import { withFilter } from './query-filters.ts'
import { SearchFacetsLine } from './search-facets.tsx'
import { SaveSearch, SearchStart } from './search-start.tsx'

/** One search field for the whole log: prompts, messages, commands, outputs, reports and paths. */
export function SearchScreen({ query }: { query: string }) {
  const { search, navigation, preferences, arrivals } = useStores()
  const view = useStore(search.store)
  const [text, setText] = useState(query)
  const field = useRef<HTMLInputElement>(null)
  const hits = useShownHits(view.answer)
  // The indexes of the hits in the order of the screen, which groups them.
  const order = useMemo(
    () => groupsOf(hits).flatMap((group) => group.hits.map(({ index }) => index)),
    [hits],
  )

  // The address has the query: a link or "back" changes it.
  useEffect(() => {
    setText(query)
    search.setQuery(query, { immediate: true })
  }, [query, search])
  useEffect(() => field.current?.focus(), [])
  const change = (next: string) => {
    setText(next)
    navigation.go({ screen: 'search', query: next }, { replace: true })
    search.setQuery(next)
  }

  const clear = () => {
    // The button that has the focus is about to be removed.
    field.current?.focus()
    change('')
  }

  const { chosen } = view
  useEffect(() => {
    if (chosen >= 0) document.getElementById(hitId(chosen))?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const move = (step: 1 | -1) => {
    const at = order.indexOf(chosen)
    const next = order[at < 0 ? (step > 0 ? 0 : order.length - 1) : at + step]
    if (next !== undefined) search.choose(next)
  }
  const open = (hit: SearchHit, index: number) => {
    search.choose(index)
    preferences.setState(({ recentSearches }) => ({
      recentSearches: withRecentSearch(recentSearches, text.trim()),
    }))
    if (showsTranscript(hit)) arrivals.expect({ taskId: hit.taskId, at: 'entry' })
    navigation.go(routeOfHit(hit))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const hit = hits[chosen < 0 ? (order[0] ?? -1) : chosen]
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Enter' && hit) open(hit, chosen < 0 ? (order[0] ?? 0) : chosen)
    else if (event.key === 'Escape' && text !== '') change('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  useKeys([
    { keys: 'ArrowDown', label: 'Next match', group: 'Lists' },
    { keys: 'ArrowUp', label: 'Previous match', group: 'Lists' },
    { keys: 'Enter', label: 'Open the match', group: 'Lists' },
  ])

  return (
    <section aria-label="Search" className="flex min-h-0 flex-1 flex-col">
      <h1 className="sr-only">Search</h1>
      <div className="mx-auto flex w-full max-w-column shrink-0 flex-col gap-1 px-6 pt-4 pb-2">
        <div className="relative">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted"
          />
          <TextInput
            ref={field}
            type="search"
            aria-label="Search the whole log"
            aria-controls="search-hits"
            aria-activedescendant={chosen >= 0 ? hitId(chosen) : undefined}
            placeholder="Search prompts, messages, commands, outputs, reports and paths"
            value={text}
            onChange={(event) => change(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            className="h-8 pr-8 pl-8"
          />
          {text.trim() === '' ? null : (
            <span className="absolute top-1 right-1">
              <SaveSearch query={text.trim()} />
            </span>
          )}
        </div>
        <Status text={text} view={view} hits={hits.length} />
        {view.answer && text.trim() !== '' && !view.problem ? (
          <SearchFacetsLine
            query={text}
            answer={view.answer}
            sort={view.sort}
            onQuery={change}
            onSort={search.setSort}
          />
        ) : null}
      </div>
      <div id="search-hits" className="min-h-0 flex-1 overflow-y-auto pb-6">
        <div className="mx-auto w-full max-w-column px-4">
          {view.problem ? (
            <ProblemNotice
              problem={view.problem}
              {...(view.problem.field !== 'query' && {
                action: {
                  label: 'Try again',
                  onClick: () => search.setQuery(text, { immediate: true }),
                },
              })}
              className="mx-2"
            />
          ) : text.trim() === '' ? (
            <SearchStart onTry={change} />
          ) : view.answer && hits.length === 0 && !view.busy ? (
            <NoHits
              text={text}
              unmatched={view.answer.unmatched}
              onQuery={change}
              onClear={clear}
            />
          ) : (
            <>
              <SearchHits hits={hits} chosen={chosen} onOpen={open} />
              {view.answer?.more && hits.length > 0 ? (
                <p className="px-2 pt-3 text-muted">
                  {view.limit < shownHitsMax ? (
                    <Button busy={view.busy} onClick={search.showMore}>
                      Show more
                    </Button>
                  ) : (
                    'Add a word or a filter to see the others.'
                  )}
                </p>
              ) : null}
            </>
          )}
        </div>
      </div>
    </section>
  )
}

function NoHits(props: {
  text: string
  unmatched: UnmatchedFilter[]
  onQuery(query: string): void
  onClear(): void
}) {
  const { text, unmatched, onQuery, onClear } = props
  const [first] = unmatched
  const meant = first && unmatched.length === 1 ? first.near : null
  return (
    <EmptyState
      sentence={first ? unmatched.map(unmatchedFilterText).join(' ') : noHitsText(text)}
      action={
        first && meant !== null
          ? {
              label: `Search with ${first.filter}:${meant}`,
              onClick: () => onQuery(withFilter(text, first.filter, meant)),
            }
          : { label: 'Clear the search', onClick: onClear }
      }
    />
  )
}

/** Such as `foo:bar`, but no `https://…`. */
const unknownFilter = new RegExp(`^(?!(?:${searchFilters.join('|')}):)[a-z]+:[^/\\s]`, 'u')

function noHitsText(text: string): string {
  const words = text.trim().split(/\s+/)
  const unfinished = words.find(isFilterWithoutValue)
  if (unfinished) return `Write a value directly after ${unfinished}`
  const unknown = words.find((word) => unknownFilter.test(word))
  if (unknown) {
    const [key = ''] = unknown.split(':')
    const near = nearestText(key, searchFilters)
    const meant = near === null ? '' : ` Did you mean ${near}:?`
    return `${key}: is no filter, so ${unknown} was searched as text.${meant} Filters: ${searchFilters.join(', ')}.`
  }
  const wanted = words.filter((word) => !word.startsWith('-'))
  if (wanted.length === 0)
    return 'A word after - is left out of the matches. Write what to search for as well.'
  if (!wanted.some((word) => /[\p{L}\p{N}]/u.test(word)))
    return 'Signs alone can’t be searched. Write a letter or a digit.'
  if (wanted.every((word) => [...word].length === 1))
    return 'A single letter is only found where it is a whole word. Write two or more.'
  return words.length === 1
    ? 'No prompt, message, command, output, report or path contains it.'
    : 'Every word has to be in the same prompt, message, command, output or report. Use fewer words, or remove a filter.'
}

/** How many hits there are, and which transcripts were not searched. */
function Status(props: {
  text: string
  view: { answer: SearchAnswer | null; busy: boolean; problem: Problem | null }
  hits: number
}) {
  const { text, view, hits } = props
  const { answer, busy } = view
  if (text.trim() === '' || !answer)
    return (
      <p role="status" className="h-5 px-1 text-small text-muted">
        {/* Delayed, because most searches are answered sooner. */}
        {busy ? (
          <span className="transition-opacity delay-300 starting:opacity-0">Searching…</span>
        ) : null}
      </p>
    )
  const { index, expired, more, count, countIsMinimum } = answer
  const all = countIsMinimum
    ? `More than ${exactCount(Math.floor(count / 100) * 100)} matches`
    : counted(count, 'match', 'matches')
  const found =
    // The counts are those of an earlier query.
    view.problem || (hits === 0 && busy)
      ? ''
      : hits === 0
        ? 'No matches.'
        : more
          ? `${all}, ${exactCount(hits)} shown`
          : counted(hits, 'match', 'matches')
  const isBehind = index.state === 'updating' && index.indexed < index.total
  return (
    <>
      <p role="status" className="flex min-h-5 flex-wrap gap-x-3 px-1 text-small text-muted">
        <span>{found}</span>
        {isBehind ? (
          <span className="tabular">
            Indexing: {index.indexed} of {index.total} transcripts
          </span>
        ) : null}
        {expired > 0 ? (
          <span>{counted(expired, 'expired transcript')} can’t be searched</span>
        ) : null}
      </p>
      {index.state === 'unavailable' ? (
        <NoticeLine
          tone="warning"
          text="The search index can’t be used, so transcripts are read one by one. That takes longer."
          details={index.reason === null ? [] : [index.reason]}
        />
      ) : null}
    </>
  )
}

function useShownHits(answer: SearchAnswer | null): ShownHit[] {
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const projects = useLedger(({ ledger }) => ledger.projects)
  return useMemo(() => {
    const labels = projectLabels(projects.values())
    return withoutRepeated(answer?.hits ?? []).map((hit) => ({
      ...hit,
      status: tasks.get(hit.taskId)?.status ?? 'completed',
      project: labels.get(hit.projectId) ?? null,
      rootTitle: hit.rootId === hit.taskId ? null : (tasks.get(hit.rootId)?.title ?? null),
    }))
  }, [answer, tasks, projects])
}
