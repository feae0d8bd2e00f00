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

/** The setting that says for how many days a tool keeps its sessions. */
const retentionSettings: Partial<Record<ImportTool, string>> = {
  'claude-code': 'cleanupPeriodDays',
}

/** Returns a sentence without a full stop about the sessions that the tool will delete soon; there must be at least one. */
export function expiringText({
  tool,
  sessions,
  expiringSoon,
  keptDays,
}: Pick<ImportSourceFound, 'tool' | 'sessions' | 'expiringSoon' | 'keptDays'>): string {
  const all = sessions === 1 ? 'it' : 'all of them'
  const which = expiringSoon === sessions ? all : `${expiringSoon} of them`
  const setting = retentionSettings[tool]
  const why = setting && keptDays !== null ? ` (${setting} is ${keptDays})` : ''
  return `${toolName(tool)} will delete ${which} within ${expiringDays} days${why}`
}
