import type { ImportTool } from '../../../shared/records/exported-tasks.ts'
import type { ImportAdapter } from './adapter.ts'
import { atifAdapter } from './atif/index.ts'
import { claudeCodeAdapter } from './claude-code/index.ts'
import { codexAdapter } from './codex/index.ts'
import { shiplogAdapter } from './shiplog/index.ts'

export const adapters: Readonly<Record<ImportTool, ImportAdapter>> = {
  'claude-code': claudeCodeAdapter,
  codex: codexAdapter,
  atif: atifAdapter,
  shiplog: shiplogAdapter,
}
