/**
 * Where installed agents look for configuration in a repository, and which files can run code or let them act without
 * a question (K8). docs/AGENTS.md has the same table for people. Files that are not known to be harmless count as code.
 */
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'

interface Locations {
  /** Paths relative to each folder that the agent searches; a `/` at the end stands for all files below that folder. */
  paths: readonly string[]
  /** Also files below the working directory whose paths match this. */
  nested?: RegExp
}

/** Sets variables of the agent itself and of all programs that it starts. */
const envFile = '.env'
/**
 * Claude Code and OpenCode are built with Bun, whose programs load these from their working directory; which ones depends
 * on NODE_ENV.
 */
const bunPaths = [
  'bunfig.toml',
  envFile,
  `${envFile}.local`,
  ...['development', 'production', 'test'].flatMap((mode) => [
    `${envFile}.${mode}`,
    `${envFile}.${mode}.local`,
  ]),
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
  '.github/copilot/',
  '.github/hooks/',
  '.github/mcp.json',
  '.vscode/mcp.json',
  '.copilot/',
  '.augment/',
  '.clinerules/',
  '.cline/',
  '.cursor/',
  '.kiro/',
  '.factory/',
  '.goosehints',
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

/** All but the variables, which agents load only when they start. */
const readAgain = new RegExp(
  `(?:^|/)(?:${locationsOf('acp')
    .paths.filter((path) => !bunPaths.includes(path))
    .map((path) => RegExp.escape(path) + (path.endsWith('/') ? '' : '$'))
    .join('|')})`,
)

/**
 * Reports whether the file configures agents and one of them may read it again while it runs: Claude Code takes hooks,
 * permissions and skills that changed. `path` in the form of `comparable`.
 */
export const configuresAgents = (path: string): boolean => readAgain.test(path)

export const isEnvFile = (path: string): boolean => /(?:^|\/)\.env(?:\.\w+){0,2}$/.test(path)

/** Folders that are not searched: installed packages, Git's own, and worktrees that Claude Code creates. */
export const isSkippedFolder = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|\.git)$/.test(path) || /(?:^|\/)\.claude\/worktrees$/.test(path)

const mediaFile = /\.(?:png|jpe?g|gif|webp|avif|ico|pdf|mp4|woff2?|ttf|otf)$/i
const folderMetadata =
  /(?:^|\/)(?:\.gitignore|\.gitattributes|\.gitkeep|\.DS_Store|LICENSE(?:\.txt)?)$/i
/** Colours of OpenCode and Gemini. */
const theme = /(?:^|\/)\.(?:opencode|gemini|qwen)\/themes\/[^/]+\.json$/i
/**
 * Files beside a skill are read by the agent, or run when its permissions allow that. Not those of a folder such as
 * `.claude` in it, where an agent may be started as well.
 */
const besideSkill =
  /^\.[\w-]+\/skills?\/[^/]+\/(?!(?:SKILL\.md|agents\/openai\.ya?ml)$)(?!\.)(?:(?!\/\.).)+$/i

/** Reports whether a file is known not to be run when an agent starts or works; `path` is as the agent looks for it. */
export const isKnownData = (path: string): boolean =>
  mediaFile.test(path) || folderMetadata.test(path) || theme.test(path) || besideSkill.test(path)
