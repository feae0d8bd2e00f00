/** Names of tools whose logs are imported, as people call them. */
import type { ImportTool } from '../records/exported-tasks.ts'

const toolNames: Readonly<Record<ImportTool, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  atif: 'ATIF',
  shiplog: 'Shiplog',
}

export const toolName = (tool: ImportTool): string => toolNames[tool]
