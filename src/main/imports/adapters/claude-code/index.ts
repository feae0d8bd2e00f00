import { join } from 'node:path'
import type { ImportAdapter } from '../adapter.ts'
import { discoverClaudeCode } from './discover.ts'
import { readClaudeCode } from './read.ts'

export const claudeCodeAdapter: ImportAdapter = {
  tool: 'claude-code',
  home: (env, homeDir) => env.CLAUDE_CONFIG_DIR || join(homeDir, '.claude'),
  discover: discoverClaudeCode,
  read: readClaudeCode,
}
