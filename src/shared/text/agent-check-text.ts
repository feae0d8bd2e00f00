/** Texts about installed agents for people. */
import type { AgentCheck, InstalledAgentState } from '../agents/agent-checks.ts'

const abilityNames: Record<keyof NonNullable<AgentCheck['can']>, string> = {
  resume: 'resume',
  fork: 'fork',
  mcp: 'MCP',
  images: 'images',
  subAgents: 'sub-agents',
}

/** Returns the names of the agent's supported, unsupported and unknown abilities; null if it was not checked. */
export function abilityText({ check }: Pick<InstalledAgentState, 'check'>): {
  can: string[]
  cannot: string[]
  unknown: string[]
} | null {
  if (!check?.can) return null
  const { can } = check
  const names = Object.entries(abilityNames) as [keyof typeof can, string][]
  const those = (value: boolean | null) =>
    names.filter(([key]) => can[key] === value).map(([, name]) => name)
  return { can: those(true), cannot: those(false), unknown: those(null) }
}

export const signedInText = ({ signedIn }: Pick<InstalledAgentState, 'signedIn'>): string =>
  signedIn === null ? 'unknown' : signedIn ? 'yes' : 'no'

/** `API Key (Use an API key to authenticate)` */
export const signInMethodText = ({
  name,
  description,
}: AgentCheck['signInMethods'][number]): string => (description ? `${name} (${description})` : name)

/** `@agentclientprotocol/codex-acp 2.6.0 (457 MB)`; null if it is not a package. */
export const packageText = ({ package: from }: Pick<InstalledAgentState, 'package'>) =>
  from && `${from.name} ${from.version} (${from.megabytes} MB)`

/** The command as a user types it. */
export const commandText = (command: readonly string[]): string =>
  command
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ')
