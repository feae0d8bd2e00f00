/** The answers of search: the entries in memory, read one by one. */

import { documentsOf } from '../../src/main/search/documents.ts'
import { createDocumentTest } from '../../src/main/search/query/document-test.ts'
import { countHits, facetsOf } from '../../src/main/search/query/facets.ts'
import { parseQuery } from '../../src/main/search/query/query.ts'
import { snippetOf } from '../../src/main/search/query/snippet.ts'
import { tasksOf } from '../../src/main/search/query/task-filter.ts'
import { unmatchedFilters } from '../../src/main/search/query/unmatched-filters.ts'
import type { SearchHit, SearchIndexState } from '../../src/shared/contract/search.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export function searchAnswers(os: Implementer, memory: Memory) {
  const { state, sessionOf, given } = memory
  const searched = () => [...state.tasks.values()].filter((task) => !task.trashed)

  const index = (): SearchIndexState => {
    const total = searched().length
    return given.searchIndex ?? { state: 'ready', indexed: total, total, reason: null }
  }

  const toolsOf = (task: Task) =>
    new Set(
      sessionOf(task.id).entries.flatMap((entry) =>
        documentsOf(entry).flatMap(({ tool }) => tool ?? []),
      ),
    )

  const calledTools = () => [...new Set(searched().flatMap((task) => [...toolsOf(task)]))].sort()

  return {
    find: os.search.find.handler(async ({ input }) => {
      const { query: text, limit = 50, sort, isPattern } = input
      const query = parseQuery(text, Date.now(), { isPattern })
      const isAsked = query.terms.length > 0 || query.pattern !== null
      const test = createDocumentTest(query)
      const chosen = tasksOf(query, state, input.requestingWorkspaceId)
      const hits = searched()
        .filter(({ id }) => isAsked && (chosen === null || chosen.includes(id)))
        .flatMap((task) => hitsIn(task))
      if (sort === 'newest') hits.sort((a, b) => b.at - a.at)
      return {
        query: text,
        hits: hits.slice(0, limit),
        more: hits.length > limit,
        count: hits.length,
        countIsMinimum: false,
        facets: facetsOf(countHits(hits), state),
        unmatched:
          hits.length > 0
            ? []
            : unmatchedFilters(query, { state, tasks: searched(), tools: calledTools() }),
        tookMs: 1,
        index: index(),
        expired: searched().filter((task) => task.transcriptExpired).length,
      }

      function hitsIn(task: Task): SearchHit[] {
        const { id: taskId, rootId, projectId, title, agent, archived } = task
        const documents = sessionOf(taskId).entries.flatMap((entry) =>
          documentsOf(entry).map((document) => ({ ...document, seq: entry.seq, at: entry.at })),
        )
        return documents
          .filter((document) => test(document, document.at))
          .map(({ kind, seq, at, tool, text, paths }) => {
            const { text: snippet, marks } = snippetOf(`${text}\n${paths}`, query)
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
              snippet,
              marks,
            }
          })
      }
    }),
    state: os.search.state.handler(index),
    tools: os.search.tools.handler(() => ({ tools: calledTools() })),
    tasksUsing: os.search.tasksUsing.handler(({ input }) => ({
      taskIds: searched().flatMap((task) => (toolsOf(task).has(input.tool) ? [task.id] : [])),
    })),
  }
}
