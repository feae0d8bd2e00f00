import type { ImportAdapter } from '../adapter.ts'
import { discoverClaudeCode } from './discover.ts'

export const claudeCodeAdapter: ImportAdapter = {
  tool: 'claude-code',
  discover: discoverClaudeCode,
  async *read(session, context) {
    yield* (await import('./read.ts')).readClaudeCode(session, context)
  },
}
