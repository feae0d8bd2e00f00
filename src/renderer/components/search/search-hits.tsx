import { type ToolIcon, traitsOf } from '../../../shared/agents/tool-traits.ts'
import type { SearchHit, SearchKind } from '../../../shared/contract/search.ts'
import type { TaskStatus } from '../../../shared/records/tasks/task-status.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { RelativeTime, StatusIcon, TitleText } from '../primitives/index.ts'
import { snippetStart } from './snippet-start.ts'

export interface ShownHit extends SearchHit {
  status: TaskStatus
  project: string | null
  /** The title of the root of its tree; null for a root. */
  rootTitle: string | null
}

/** The hits of one task, one below the other. */
interface HitGroup {
  key: string
  /** The title of the root, shown above the first of several tasks of a tree, or above a task below the root. */
  tree: string | null
  /** `times`: how many hits have this very text, which is shown once. */
  hits: { hit: ShownHit; index: number; times: number }[]
}

/** Groups the hits by task, equal ones as one, with tasks of one tree together; trees and tasks are in the order of their best hit. */
export function groupsOf(hits: readonly ShownHit[]): HitGroup[] {
  const groups = Map.groupBy(
    hits.map((hit, index) => ({ hit, index })),
    ({ hit }) => hit.taskId,
  )
  const trees = Map.groupBy([...groups], ([, group]) => group[0]?.hit.rootId)
  return [...trees.values()].flatMap((tasks) => {
    const rootTitle = tasks.flatMap(([, [first]]) => first?.hit.rootTitle ?? [])[0] ?? null
    return tasks.map(([key, group], at) => ({
      key,
      tree: at === 0 ? rootTitle : null,
      hits: withoutEqual(group),
    }))
  })
}

/** Events and outputs that repeat, such as "Run started", say nothing new. */
function withoutEqual(group: { hit: ShownHit; index: number }[]): HitGroup['hits'] {
  const texts = Map.groupBy(group, ({ hit: { kind, tool, snippet } }) =>
    JSON.stringify([kind, tool, snippet]),
  )
  return [...texts.values()].flatMap((equal) =>
    equal.slice(0, 1).map((first) => ({ ...first, times: equal.length })),
  )
}

export const hitId = (index: number): string => `search-hit-${index}`

/** The hits, grouped by task. The search field keeps the focus and handles the keys. */
export function SearchHits(props: {
  hits: readonly ShownHit[]
  chosen: number
  onOpen(hit: ShownHit, index: number): void
}) {
  const { hits, chosen, onOpen } = props
  return (
    <div className="flex flex-col gap-3">
      {groupsOf(hits).map(({ key, tree, hits: group }) => {
        const named = group.find(({ hit }) => hit.kind === 'title')
        const first = group[0]?.hit
        return first ? (
          <section key={key} aria-label={plainText(first.title)}>
            {tree === null ? null : (
              <p className="untrusted truncate px-2 pb-0.5 text-small text-muted">
                In the tree of {plainText(tree)}
              </p>
            )}
            <Heading
              hit={named?.hit ?? first}
              found={
                named && {
                  index: named.index,
                  isChosen: named.index === chosen,
                  onOpen: () => onOpen(named.hit, named.index),
                }
              }
            />
            <ul>
              {group.map(({ hit, index, times }) =>
                index === named?.index ? null : (
                  <Hit
                    key={index}
                    hit={hit}
                    index={index}
                    times={times}
                    isChosen={index === chosen}
                    onOpen={() => onOpen(hit, index)}
                  />
                ),
              )}
            </ul>
          </section>
        ) : null
      })}
    </div>
  )
}

interface Chosen {
  index: number
  isChosen: boolean
  onOpen(): void
}

/** The task and its place; a button if its title is a hit itself. */
function Heading({ hit, found }: { hit: ShownHit; found: Chosen | undefined }) {
  const { title, status, project, agent, archived } = hit
  const facts = [project, agent, ...(archived ? ['archived'] : [])].flatMap((one) => one ?? [])
  return (
    <h2 className="flex min-w-0 items-center gap-2 px-2 pb-0.5">
      <StatusIcon status={status} />
      {found ? (
        <button
          type="button"
          id={hitId(found.index)}
          tabIndex={-1}
          onClick={found.onOpen}
          aria-current={found.isChosen ? 'true' : undefined}
          className={`min-w-0 rounded-sm text-left ${found.isChosen ? 'bg-accent-tint' : 'hover:bg-hover'}`}
        >
          <Snippet hit={hit} className="line-clamp-1 font-semibold" />
        </button>
      ) : (
        <TitleText title={title} className="min-w-0 font-semibold" />
      )}
      <span className="untrusted line-clamp-1 shrink-[9999] text-small text-muted">
        {plainText(facts.join(' · '))}
      </span>
    </h2>
  )
}

function Hit(props: Chosen & { hit: ShownHit; times: number }) {
  const { hit, index, times, isChosen, onOpen } = props
  return (
    <li>
      <button
        type="button"
        id={hitId(index)}
        tabIndex={-1}
        onClick={onOpen}
        aria-current={isChosen ? 'true' : undefined}
        className={`flex w-full items-baseline gap-3 rounded-md px-2 py-1 text-left ${isChosen ? 'bg-accent-tint' : 'hover:bg-hover'}`}
      >
        <span
          title={hit.tool ?? kindText(hit)}
          className="line-clamp-2 w-32 shrink-0 text-small wrap-anywhere text-muted"
        >
          {kindText(hit)}
        </span>
        <Snippet hit={hit} className="line-clamp-2 flex-1" />
        {times > 1 ? (
          <span className="tabular shrink-0 text-small text-muted">{times} times</span>
        ) : null}
        <RelativeTime
          at={new Date(hit.at).toISOString()}
          className="shrink-0 text-small text-muted"
        />
      </button>
    </li>
  )
}

/** The line around a match, with all matches in it marked. `lead`: characters kept before the first one. */
export function Snippet(props: { hit: SearchHit; className: string; lead?: number }) {
  const { hit, className, lead } = props
  const { snippet, marks } = hit
  const pieces: { text: string; isMatch: boolean; at: number }[] = []
  let from = lead === undefined ? 0 : snippetStart(snippet, marks[0]?.[0] ?? 0, lead)
  const isCut = from > 0
  for (const [start, end] of marks) {
    pieces.push({ text: snippet.slice(from, start), isMatch: false, at: from })
    pieces.push({ text: snippet.slice(start, end), isMatch: true, at: start })
    from = end
  }
  pieces.push({ text: snippet.slice(from), isMatch: false, at: from })
  return (
    <span dir="auto" className={`untrusted min-w-0 ${className}`}>
      {isCut ? '…' : null}
      {pieces.map(({ text, isMatch, at }) =>
        text === '' ? null : isMatch ? (
          <mark key={at} className="rounded-sm bg-amber-tint font-semibold text-ink">
            {plainText(text)}
          </mark>
        ) : (
          <span key={at}>{plainText(text)}</span>
        ),
      )}
    </span>
  )
}

export const kindTexts: Record<SearchKind, string> = {
  title: 'Title',
  report: 'Report',
  prompt: 'Prompt',
  message: 'Message',
  reasoning: 'Reasoning',
  call: 'Call',
  output: 'Output',
  files: 'Files',
  summary: 'Summary',
  plan: 'Plan',
  event: 'Event',
  foreign: 'Other',
}

const callTexts: Record<ToolIcon, string> = {
  command: 'Command',
  read: 'File read',
  write: 'File written',
  edit: 'Edit',
  list: 'List of files',
  search: 'Search',
  web: 'Web page',
  agents: 'Sub-agent',
  'agent-list': 'List of sub-agents',
  stop: 'Stop',
  apply: 'Applied changes',
  plan: 'Plan',
  report: 'Report',
  question: 'Question',
}

/** Tools of other programs have the names that these gave them. */
export function kindText({ kind, tool }: SearchHit): string {
  if (tool === null || (kind !== 'call' && kind !== 'output')) return kindTexts[kind]
  const traits = traitsOf(tool)
  if (!traits) return `${plainText(tool)} ${kind}`
  return kind === 'call' ? callTexts[traits.icon] : `${callTexts[traits.icon]}: output`
}

/** Leaves out the summary of a run that is the beginning of a report in the list. */
export function withoutRepeated<Hit extends SearchHit>(hits: readonly Hit[]): Hit[] {
  const shown = (hit: Hit) => hit.snippet.replaceAll('…', '').trim()
  const isRepeated = (summary: Hit) =>
    hits.some(
      (hit) =>
        hit.kind === 'report' &&
        hit.taskId === summary.taskId &&
        (shown(hit).startsWith(shown(summary)) || shown(summary).startsWith(shown(hit))),
    )
  return hits.filter((hit) => hit.kind !== 'summary' || !isRepeated(hit))
}
