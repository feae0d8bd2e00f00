import type { ImportAdapter } from '../adapter.ts'
import { discoverCodex } from './discover.ts'
import { readCodex } from './read.ts'

export const codexAdapter: ImportAdapter = {
  tool: 'codex',
  discover: discoverCodex,
  read: readCodex,
}
