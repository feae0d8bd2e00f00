/** Texts about the tools whose logs are imported. */
import { expiringDays, type ImportSourceFound } from '../contract/imports.ts'
import type { ImportTool } from '../records/exported-tasks.ts'

const toolNames: Readonly<Record<ImportTool, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  atif: 'ATIF',
  shiplog: 'Shiplog',
}

export const toolName = (tool: ImportTool): string => toolNames[tool]

/** Returns a sentence without a full stop about the sessions that the tool will delete soon; there must be at least one. */
export function expiringText({
  tool,
  sessions,
  expiringSoon,
}: Pick<ImportSourceFound, 'tool' | 'sessions' | 'expiringSoon'>): string {
  const all = sessions === 1 ? 'it' : 'all of them'
  const which = expiringSoon === sessions ? all : `${expiringSoon} of them`
  return `${toolName(tool)} will delete ${which} within ${expiringDays} days`
}
