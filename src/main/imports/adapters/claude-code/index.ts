import type { ImportAdapter } from '../adapter.ts'
import { discoverClaudeCode } from './discover.ts'
import { firstClaudePrompt } from './first-prompt.ts'

export const claudeCodeAdapter: ImportAdapter = {
  tool: 'claude-code',
  discover: discoverClaudeCode,
  firstPrompt: firstClaudePrompt,
  async *read(session, context) {
    yield* (await import('./read.ts')).readClaudeCode(session, context)
  },
}
