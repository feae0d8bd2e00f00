/** The default log folder of each tool. Separate from the adapters, which only the import thread loads. */
import { join } from 'node:path'
import type { ImportTool } from '../../../shared/records/exported-tasks.ts'

/** The log folder for an environment; null: the tool has no default folder. */
type Home = (env: NodeJS.ProcessEnv, homeDir: string) => string | null

export const homes: Readonly<Record<ImportTool, Home>> = {
  'claude-code': (env, homeDir) => env.CLAUDE_CONFIG_DIR || join(homeDir, '.claude'),
  codex: (env, homeDir) => env.CODEX_HOME || join(homeDir, '.codex'),
  atif: () => null,
  shiplog: () => null,
}
export const sessionTools = Object.keys(homes) as ImportTool[]
