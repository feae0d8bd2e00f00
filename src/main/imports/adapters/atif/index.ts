import type { ImportAdapter } from '../adapter.ts'
import { discoverAtif } from './discover.ts'
import { readAtifSession } from './read.ts'

export const atifAdapter: ImportAdapter = {
  tool: 'atif',
  discover: discoverAtif,
  read: readAtifSession,
}
