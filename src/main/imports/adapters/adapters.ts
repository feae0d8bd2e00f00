import type { SessionTool } from '../../../shared/records/exported-tasks.ts'
import type { ImportAdapter } from './adapter.ts'
import { claudeCodeAdapter } from './claude-code/index.ts'

export const adapters: Readonly<Record<SessionTool, ImportAdapter>> = {
  'claude-code': claudeCodeAdapter,
}
export const sessionTools = Object.keys(adapters) as SessionTool[]
