/** Answers queries over the whole log from an index that is updated as entries are recorded. */
import { traitsOf } from '../../shared/agents/tool-traits.ts'
import type {
  SearchAnswer,
  SearchHit,
  SearchIndexState,
  SearchKind,
  SearchSort,
  UnmatchedFilter,
} from '../../shared/contract/search.ts'
import { invalid } from '../../shared/failure.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { wholeOutputOf } from '../../shared/records/whole-output.ts'
import { plainMarkdown } from '../../shared/text/plain-markdown.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { documentsOf } from './documents.ts'
import type { Found } from './index/find.ts'
import { startIndexThread } from './index/index-thread.ts'
import { type IndexUpdates, startIndexUpdates } from './index/index-updates.ts'
import { countAll, countHits, facetsOf } from './query/facets.ts'
import { parseQuery, type Query } from './query/query.ts'
import type { Ranked } from './query/ranking.ts'
import { snippetOf } from './query/snippet.ts'
import { searchedBy, tasksOf } from './query/task-filter.ts'
import { unmatchedFilters } from './query/unmatched-filters.ts'
import { isSearched, newestFirst, placeOf } from './searched-tasks.ts'

const limitDefault = 50
/** Delays the first index update, so that it does not slow down the start. */
const startDelayMs = 3_000
/** Time limit for a search that reads all transcripts. */
const scanMsMax = 60_000

export interface SearchService {
  /** Starts updating the index after a delay. The first query starts it immediately. */
  start(): void
  /**
   * Returns the best hits first, or with `sort` the newest. `wait`: waits until the index contains every entry recorded before the call.
   * `requestingWorkspaceId`: searches only descendants of that task. Throws FailureError for an invalid query.
   */
  find(
    asked: {
      query: string
      limit?: number
      sort?: SearchSort
      wait?: boolean
      isPattern?: boolean
      requestingWorkspaceId?: TaskId
    },
    signal?: AbortSignal,
  ): Promise<SearchAnswer>
  state(): SearchIndexState
  /** Names of tools that were called, in order. */
  tools(): Promise<string[]>
  tasksUsing(tool: string): Promise<TaskId[]>
  close(): Promise<void>
}

interface Dependencies {
  ledger: Ledger
  sessions: Pick<Sessions, 'subscribeAll'>
  archive: Pick<ArchiveReader, 'transcriptFile' | 'transcriptPage' | 'findReport' | 'blob'>
  file: string
  clock: () => number
  onIgnored: (what: string, error: unknown) => void
}

/** Kinds of text that are written in Markdown. */
const markdownKinds: ReadonlySet<SearchKind> = new Set([
  'report',
  'prompt',
  'message',
  'reasoning',
  'summary',
])

function excerptOf({ kind, tool }: Pick<Ranked, 'kind' | 'tool'>, text: string, query: Query) {
  const isReport = kind === 'output' && tool !== null && traitsOf(tool)?.returnsReports === true
  if (!markdownKinds.has(kind) && !isReport) return snippetOf(text, query)
  const plain = snippetOf(plainMarkdown(text), query)
  // The query may be about the syntax itself.
  return plain.marks.length > 0 ? plain : snippetOf(text, query)
}

export function createSearchService(deps: Dependencies): SearchService {
  const { ledger, archive, clock } = deps
  const { state } = ledger
  let updates: IndexUpdates | null = null
  const started = () => (updates ??= startIndexUpdates(deps))

  async function hitOf(found: Ranked, query: Query): Promise<SearchHit | null> {
    const task = state.tasks.get(found.taskId)
    const text = task && (await textOf(found, task).catch(() => null))
    // Removed since it was indexed.
    if (!task || text == null) return null
    const snippet = excerptOf(found, text, query)
    const { taskId, kind, seq, at, tool } = found
    const { rootId, projectId, title, agent, archived } = task
    return {
      taskId,
      rootId,
      projectId,
      kind,
      title,
      agent,
      seq,
      at,
      archived,
      tool,
      snippet: snippet.text,
      marks: snippet.marks,
    }
  }

  async function textOf({ taskId, kind, seq, part }: Ranked, task: Task): Promise<string | null> {
    if (kind === 'title' && seq === null) return task.title
    if (seq === null) {
      const found = await archive.findReport(taskId)
      return found.kind === 'found' ? `${found.report.title}\n${found.report.reportMarkdown}` : null
    }
    const { entries } = await archive.transcriptPage(taskId, {
      fromSeq: seq,
      limit: 1,
      throughSeq: seq,
    })
    const [entry] = entries
    if (entry?.seq !== seq) return null
    const documents = documentsOf(entry, await wholeOutput(taskId, entry))
    const document = documents.find((one) => one.kind === kind && one.part === part)
    return document ? [document.text, document.paths].filter((one) => one !== '').join('\n') : null
  }

  async function wholeOutput(taskId: TaskId, entry: Entry): Promise<string | null> {
    const whole = wholeOutputOf(entry)
    return whole && ((await archive.blob(taskId, whole.sha256))?.toString() ?? null)
  }

  async function scanned(
    query: Query,
    asked: { taskIds: TaskId[] | null; limit: number; signal: AbortSignal | undefined },
  ): Promise<Found> {
    const { taskIds, limit, signal } = asked
    const chosen = taskIds === null ? null : new Set(taskIds)
    const tasks = newestFirst(state.tasks.values()).filter(
      (task) => isSearched(task) && (chosen === null || chosen.has(task.id)),
    )
    const transcripts = await Promise.all(tasks.map((task) => placeOf(archive, task)))
    // A separate thread: a pattern can take practically forever, and must not block other searches.
    const thread = startIndexThread(deps.file)
    const timeLimit = AbortSignal.timeout(scanMsMax)
    try {
      const hits = await thread.calls.scan(
        { query, transcripts, limit },
        { signal: AbortSignal.any([timeLimit, ...(signal ? [signal] : [])]) },
      )
      return {
        hits: hits.slice(0, limit),
        counts: countHits(hits),
        countIsMinimum: hits.length > limit,
      }
    } catch (error) {
      if (!timeLimit.aborted) throw error
      return invalid(
        'query',
        'This search took longer than a minute. Narrow it, such as with project: or after:.',
      )
    } finally {
      await thread.end()
    }
  }

  async function unmatchedIn(query: Query, caller: TaskId | undefined): Promise<UnmatchedFilter[]> {
    // The index has the tools of all tasks, and an agent may read only those of its sub-agents.
    const isWhole = caller === undefined && started().state().state === 'ready'
    const tools =
      query.tools.length > 0 && isWhole ? await started().ask((calls) => calls.tools()) : null
    return unmatchedFilters(query, { state, tasks: searchedBy(caller, state), tools })
  }

  let starting: NodeJS.Timeout | undefined

  return {
    start() {
      starting ??= setTimeout(started, startDelayMs).unref()
    },
    async find(asked, signal) {
      const {
        query: text,
        limit = limitDefault,
        sort = 'best',
        wait = false,
        isPattern = false,
      } = asked
      const startedAt = performance.now()
      const nowMs = clock()
      const query = parseQuery(text, nowMs, { isPattern })
      const taskIds = tasksOf(query, state, asked.requestingWorkspaceId)
      if (wait && !isPattern) await started().upToDate(signal)
      const found =
        (isPattern
          ? null
          : await started().ask((calls) => calls.find({ query, taskIds, limit, sort, nowMs }))) ??
        (await scanned(query, { taskIds, limit, signal }))
      const count = countAll(found.counts)
      const unmatched = count > 0 ? [] : await unmatchedIn(query, asked.requestingWorkspaceId)
      const hits = await Promise.all(found.hits.map((one) => hitOf(one, query)))
      return {
        query: text,
        hits: hits.filter((hit) => hit !== null),
        more: found.hits.length < count || found.countIsMinimum,
        count,
        countIsMinimum: found.countIsMinimum,
        facets: facetsOf(found.counts, state),
        unmatched,
        tookMs: performance.now() - startedAt,
        index: started().state(),
        expired: searchedBy(asked.requestingWorkspaceId, state).filter(
          (one) => one.transcriptExpired && !one.trashed,
        ).length,
      }
    },
    state: () => started().state(),
    tools: async () => (await started().ask((calls) => calls.tools())) ?? [],
    tasksUsing: async (tool) => (await started().ask((calls) => calls.tasksUsing({ tool }))) ?? [],
    async close() {
      clearTimeout(starting)
      await updates?.close()
    },
  }
}
