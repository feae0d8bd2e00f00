import type { SearchService } from '../search/search-service.ts'
import type { Implementer } from './implementer.ts'

export const searchAnswers = (
  os: Implementer,
  search: Pick<SearchService, 'find' | 'state' | 'tools' | 'tasksUsing'>,
) => ({
  find: os.search.find.handler(({ input, signal }) => search.find(input, signal)),
  state: os.search.state.handler(() => search.state()),
  tools: os.search.tools.handler(async () => ({ tools: await search.tools() })),
  tasksUsing: os.search.tasksUsing.handler(async ({ input }) => ({
    taskIds: await search.tasksUsing(input.tool),
  })),
})
