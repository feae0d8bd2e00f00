/** Where each tool keeps its logs. Apart from the adapters, which only the thread of imports loads. */
import { join } from 'node:path'
import type { ImportTool } from '../../../shared/records/exported-tasks.ts'

/** The place on this machine, by the environment; null: the tool has none. */
type Home = (env: NodeJS.ProcessEnv, homeDir: string) => string | null

export const homes: Readonly<Record<ImportTool, Home>> = {
  'claude-code': (env, homeDir) => env.CLAUDE_CONFIG_DIR || join(homeDir, '.claude'),
  codex: (env, homeDir) => env.CODEX_HOME || join(homeDir, '.codex'),
  atif: () => null,
  shiplog: () => null,
}
export const sessionTools = Object.keys(homes) as ImportTool[]
