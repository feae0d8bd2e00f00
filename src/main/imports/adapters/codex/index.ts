import type { ImportAdapter } from '../adapter.ts'
import { discoverCodex } from './discover.ts'

export const codexAdapter: ImportAdapter = {
  tool: 'codex',
  discover: discoverCodex,
  async *read(session, context) {
    yield* (await import('./read.ts')).readCodex(session, context)
  },
}
