/** Agents that people have installed, which Shiplog drives over the Agent Client Protocol. */
import { z } from 'zod'
import type { PermissionMode } from './permission-modes.ts'

/** `acp`: a command of the user's own. */
export const installedAgentSchema = z.enum([
  'codex',
  'claude-code',
  'opencode',
  'gemini',
  'qwen',
  'acp',
])
export type InstalledAgent = z.infer<typeof installedAgentSchema>
export const agentPresetSchema = installedAgentSchema.exclude(['acp'])
export type AgentPreset = z.infer<typeof agentPresetSchema>

export interface PresetFacts {
  /** The name shown to people. */
  name: string
  /** The command that speaks the protocol. */
  command: string
  args: readonly string[]
  /** The package that brings it, at the version that was tested. */
  package: { name: string; version: string; megabytes: number }
  /**
   * The adapter's variable for the path of the installed agent's own program, and that program's command. Without it
   * the adapter uses the program that it contains.
   */
  uses?: { variable: string; command: string }
  /** Variables that it documents, which it gets although they are secret (K2). */
  variables: readonly string[]
  /** Those of a cloud, which it gets only where the variable that chooses that cloud is set. */
  cloudVariables?: Readonly<Record<string, readonly string[]>>
  /** Variables that Shiplog sets for it. */
  set?: Readonly<Record<string, string>>
  /**
   * For each of Shiplog's modes, the mode of its sessions in which the agent asks about everything that Shiplog's mode
   * does not allow. Null if the agent has no modes and asks by its configuration.
   */
  modes: Readonly<Record<PermissionMode, string>> | null
  /** `_meta` of its sessions. */
  sessionMeta?: Readonly<Record<string, unknown>>
  /** What the user can do to sign in. */
  signIn: string
  /** The command that signs in, in a terminal. */
  signInCommand: readonly string[]
  /**
   * When it reports that nobody is signed in: at a new session, at the first prompt, or never, because it has models that
   * need no account.
   */
  refusesSignedOut: 'session' | 'prompt' | 'never'
  /** Variables that mark its folder as trusted, set once the repository's configuration for it is allowed (K8). */
  trust?: Readonly<Record<string, string>>
  /** False: its loading of sessions is known not to work. */
  canLoad: boolean
  /** The usage of its answers covers the whole prompt. */
  sumsUsage: boolean
  /**
   * Its usage by model covers the sub-agents that it starts itself as well, but not in the first prompt after a resume,
   * nor those that work beyond the end of a prompt.
   */
  countsSubAgents?: true
  /** It saves a session's cost when its process exits cleanly: after a kill the sum restarts at the saved value. */
  savesCostAtEnd?: true
  /** Whether it reports the sub-agents that it starts itself. Absent: its check determines that. */
  reportsSubAgents?: boolean
}

const askAlways = { ask: 'default', 'allow-edits': 'default', 'allow-all': 'default' } as const

/** In the order in which they are offered. */
export const agentPresets: Readonly<Record<AgentPreset, PresetFacts>> = {
  codex: {
    name: 'Codex',
    command: 'codex-acp',
    args: [],
    package: { name: '@agentclientprotocol/codex-acp', version: '2.6.0', megabytes: 457 },
    uses: { variable: 'CODEX_PATH', command: 'codex' },
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME'],
    // Its default lets another model decide about permissions.
    modes: { ask: 'read-only', 'allow-edits': 'workspace-write', 'allow-all': 'workspace-write' },
    signIn: 'Sign in with: codex login',
    signInCommand: ['codex', 'login'],
    refusesSignedOut: 'session',
    canLoad: true,
    sumsUsage: true,
  },
  'claude-code': {
    name: 'Claude Code',
    command: 'claude-agent-acp',
    args: [],
    package: { name: '@agentclientprotocol/claude-agent-acp', version: '0.100.0', megabytes: 391 },
    uses: { variable: 'CLAUDE_CODE_EXECUTABLE', command: 'claude' },
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'ANTHROPIC_CUSTOM_HEADERS',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
    cloudVariables: {
      CLAUDE_CODE_USE_BEDROCK: [
        'AWS_ACCESS_KEY_ID',
        'AWS_SECRET_ACCESS_KEY',
        'AWS_SESSION_TOKEN',
        'AWS_BEARER_TOKEN_BEDROCK',
        'AWS_PROFILE',
        'AWS_REGION',
        'ANTHROPIC_BEDROCK_BASE_URL',
        'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
      ],
      CLAUDE_CODE_USE_VERTEX: [
        'GOOGLE_APPLICATION_CREDENTIALS',
        'ANTHROPIC_VERTEX_PROJECT_ID',
        'ANTHROPIC_VERTEX_BASE_URL',
        'CLOUD_ML_REGION',
        'CLAUDE_CODE_SKIP_VERTEX_AUTH',
      ],
      CLAUDE_CODE_USE_FOUNDRY: [
        'ANTHROPIC_FOUNDRY_API_KEY',
        'ANTHROPIC_FOUNDRY_BASE_URL',
        'ANTHROPIC_FOUNDRY_RESOURCE',
      ],
    },
    set: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' },
    // Its mode that never asks can't be chosen, not even by the agent itself.
    sessionMeta: { claudeCode: { options: { allowDangerouslySkipPermissions: false } } },
    modes: askAlways,
    signIn: 'Sign in with: claude auth login',
    signInCommand: ['claude', 'auth', 'login'],
    refusesSignedOut: 'prompt',
    canLoad: true,
    sumsUsage: true,
    countsSubAgents: true,
    savesCostAtEnd: true,
    reportsSubAgents: true,
  },
  opencode: {
    name: 'OpenCode',
    command: 'opencode',
    args: ['acp'],
    package: { name: 'opencode-ai', version: '1.18.33', megabytes: 354 },
    // It takes each provider's key from the provider's own variable. Those of rarer providers are let through by --env.
    variables: [
      'OPENCODE_CONFIG',
      'OPENCODE_CONFIG_DIR',
      'OPENCODE_API_KEY',
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
    ],
    // Without this variable, it changes files and runs commands without asking. It never sends questions of its own
    // sub-agents and waits forever, so these are disabled and Shiplog's take their place.
    set: { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask","webfetch":"ask","task":"deny"}' },
    modes: null,
    signIn: 'Sign in with: opencode auth login',
    signInCommand: ['opencode', 'auth', 'login'],
    refusesSignedOut: 'never',
    canLoad: true,
    sumsUsage: false,
    reportsSubAgents: false,
  },
  gemini: {
    name: 'Gemini CLI',
    command: 'gemini',
    args: ['--acp'],
    package: { name: '@google/gemini-cli', version: '0.61.0', megabytes: 98 },
    variables: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_APPLICATION_CREDENTIALS',
    ],
    modes: askAlways,
    // Without this variable, it silently starts no MCP server, not even Shiplog's.
    trust: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    signIn: 'Sign in by starting gemini once in a terminal, or set GEMINI_API_KEY',
    signInCommand: ['gemini'],
    refusesSignedOut: 'session',
    canLoad: false,
    sumsUsage: false,
    reportsSubAgents: false,
  },
  qwen: {
    name: 'Qwen Code',
    command: 'qwen',
    args: ['--acp'],
    package: { name: '@qwen-code/qwen-code', version: '0.24.4', megabytes: 152 },
    variables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
    set: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' },
    modes: askAlways,
    signIn: 'Sign in by starting qwen once in a terminal, or set OPENAI_API_KEY',
    signInCommand: ['qwen'],
    refusesSignedOut: 'session',
    canLoad: true,
    sumsUsage: false,
    reportsSubAgents: false,
  },
}

/** Returns the names of the variables that an installed agent gets although they are secret, in this environment. */
export function documentedVariables(
  { variables, cloudVariables = {} }: PresetFacts,
  host: Readonly<Record<string, string | undefined>>,
): string[] {
  const ofClouds = Object.entries(cloudVariables).flatMap(([chosenBy, names]) =>
    host[chosenBy] ? names : [],
  )
  return [...variables, ...ofClouds]
}

export const agentPresetNames = Object.keys(agentPresets) as AgentPreset[]
export const isAgentPreset = (name: string): name is AgentPreset =>
  Object.hasOwn(agentPresets, name)

/** Returns the name shown to people: `Codex`, the name of the user's own agent, or the command's first word. */
export function installedAgentName(spec: {
  program: InstalledAgent
  command?: string[] | undefined
  own?: { name: string } | undefined
}): string {
  return spec.program === 'acp'
    ? (spec.own?.name ?? spec.command?.[0] ?? 'The agent')
    : agentPresets[spec.program].name
}
