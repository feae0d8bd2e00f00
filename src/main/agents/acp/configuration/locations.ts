/**
 * Where installed agents look for configuration in a repository, and what of it can run code or lets them act without
 * a question (K8). docs/AGENTS.md has the same table for people. What is not known to be text alone counts as code.
 */
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'

interface Locations {
  /** Paths from a folder that it looks in; with `/` at the end: all files below that folder. */
  paths: readonly string[]
  /** In folders below its working directory as well: what their paths match. */
  nested?: RegExp
}

/** Variables for the agent itself and all that it starts. */
const envFile = '.env'
/** Claude Code and OpenCode are built with Bun, whose programs load these from their working directory. */
const bunPaths = [
  'bunfig.toml',
  envFile,
  ...['local', 'development', 'production'].map((of) => `${envFile}.${of}`),
]

const byProgram: Record<Exclude<InstalledAgent, 'acp'>, Locations> = {
  codex: { paths: ['.codex/', '.mcp.json', '.agents/'] },
  'claude-code': {
    paths: ['.claude/', '.claude-plugin/', '.mcp.json', '.lsp.json', ...bunPaths],
    nested: /(?:^|\/)\.claude\/(?:agents|commands|skills|workflows)\//i,
  },
  opencode: {
    paths: ['.opencode/', 'opencode.json', 'opencode.jsonc', 'tui.json', 'tui.jsonc', ...bunPaths],
  },
  gemini: { paths: ['.gemini/', '.agents/', envFile] },
  qwen: { paths: ['.qwen/', '.agents/', '.mcp.json', '.lsp.json', envFile] },
}

/** Folders of agents that people name by a command: Copilot, Auggie, Cline, Cursor, Kiro, Droid, Goose. */
const otherPaths = [
  ...['.github/copilot/', '.github/hooks/', '.github/mcp.json', '.vscode/mcp.json', '.copilot/'],
  ...['.augment/', '.clinerules/', '.cline/', '.cursor/', '.kiro/', '.factory/', '.goosehints'],
]

/** An unknown agent may read what any other does. */
export function locationsOf(program: InstalledAgent): Locations {
  if (program !== 'acp') return byProgram[program]
  const known = Object.values(byProgram)
  return {
    paths: [...new Set([...known.flatMap(({ paths }) => paths), ...otherPaths])],
    nested: byProgram['claude-code'].nested as RegExp,
  }
}

export const isEnvFile = (path: string): boolean => /(?:^|\/)\.env(?:\.\w+)?$/.test(path)

/** Folders that are not looked through: installed packages, Git's own, and worktrees that Claude Code makes. */
export const isSkippedFolder = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|\.git)$/.test(path) || /(?:^|\/)\.claude\/worktrees$/.test(path)

const picture = /\.(?:png|jpe?g|gif|webp|avif|ico|pdf|mp4|woff2?|ttf|otf)$/i
const aboutTheFolder =
  /(?:^|\/)(?:\.gitignore|\.gitattributes|\.gitkeep|\.DS_Store|LICENSE(?:\.txt)?)$/i
/** Colours of OpenCode and Gemini. */
const theme = /(?:^|\/)\.(?:opencode|gemini|qwen)\/themes\/[^/]+\.json$/i
/** Files beside a skill are for the agent to read, or to run when it may. */
const besideSkill = /(?:^|\/)skills?\/[^/]+\/(?!(?:SKILL\.md|agents\/openai\.ya?ml)$).+/i

/** Nothing runs it when an agent starts or works. */
export const isKnownData = (path: string): boolean =>
  picture.test(path) || aboutTheFolder.test(path) || theme.test(path) || besideSkill.test(path)
