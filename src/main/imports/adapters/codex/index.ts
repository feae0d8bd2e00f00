import type { ImportAdapter } from '../adapter.ts'
import { discoverCodex } from './discover.ts'
import { firstCodexPrompt } from './first-prompt.ts'

export const codexAdapter: ImportAdapter = {
  tool: 'codex',
  discover: discoverCodex,
  firstPrompt: firstCodexPrompt,
  async *read(session, context) {
    yield* (await import('./read.ts')).readCodex(session, context)
  },
}
