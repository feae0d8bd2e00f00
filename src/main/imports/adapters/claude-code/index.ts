import type { ImportAdapter } from '../adapter.ts'
import { discoverClaudeCode } from './discover.ts'
import { readClaudeCode } from './read.ts'

export const claudeCodeAdapter: ImportAdapter = {
  tool: 'claude-code',
  discover: discoverClaudeCode,
  read: readClaudeCode,
}
