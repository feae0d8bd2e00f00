import type { ImportAdapter } from '../adapter.ts'
import { discoverAtif } from './discover.ts'

export const atifAdapter: ImportAdapter = {
  tool: 'atif',
  discover: discoverAtif,
  async *read(session, context) {
    yield* (await import('./read.ts')).readAtifSession(session, context)
  },
}
