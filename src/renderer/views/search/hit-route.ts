import type { SearchHit } from '../../../shared/contract/search.ts'
import { type Route, taskRoute } from '../../store/window/route.ts'

/** The route to the entry of a hit with the match marked, or to the report or task if the hit has no entry. */
export function routeOfHit({ taskId, seq, archived, kind, snippet, marks }: SearchHit): Route {
  const matched = matchedText(snippet, marks)
  const find = matched !== '' && seq !== null ? { find: matched } : {}
  if (archived)
    return {
      screen: 'archive' as const,
      taskId,
      ...(seq === null
        ? { tab: kind === 'report' ? ('report' as const) : ('transcript' as const) }
        : { tab: 'transcript' as const, seq, ...find }),
    }
  return seq === null ? taskRoute(taskId) : { ...taskRoute(taskId), seq, ...find }
}

/** Whether that route shows the transcript, at its entry or as a whole. */
export const showsTranscript = ({ seq, kind }: SearchHit): boolean =>
  seq !== null || kind !== 'report'

/** The longest marked text of the snippet; marks with only spaces between them count as one. */
function matchedText(snippet: string, marks: SearchHit['marks']): string {
  let longest = ''
  let from = 0
  for (const [index, [start, end]] of marks.entries()) {
    const before = marks[index - 1]
    if (!before || snippet.slice(before[1], start).trim() !== '') from = start
    if (end - from > longest.length) longest = snippet.slice(from, end)
  }
  return longest
}
