/** Finds the program of an installed agent and builds its environment. */
import { homedir } from 'node:os'
import { delimiter } from 'node:path'
import type { AgentSpec } from '../../../../shared/agents/agent-specs.ts'
import {
  type AgentPreset,
  agentPresets,
  installedAgentName,
} from '../../../../shared/agents/installed-agents.ts'
import type { Launch } from './connection.ts'
import type { FindProgram } from './find-program.ts'

type AcpSpec = Extract<AgentSpec, { kind: 'acp' }>

/** Variables of the agent that started Shiplog: they would make another agent a part of that one. */
const outerAgentVariable =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?!OAUTH_TOKEN|USE_|SKIP_).*|CLAUDE_AGENT_SDK_.*|CODEX_SANDBOX.*|GEMINI_CLI|QWEN_CODE)$/

/** Resolves with null if the agent is not installed and may not be fetched. */
export async function launchOf(
  spec: AcpSpec,
  {
    find,
    env: hostEnv,
    cwd,
    isFetchAllowed,
  }: {
    find: FindProgram
    env: NodeJS.ProcessEnv
    cwd: string
    /** Whether `npx` may fetch the agent's package. Absent if it never may. */
    isFetchAllowed?: (program: AgentPreset) => boolean
  },
): Promise<Launch | null> {
  const preset = spec.program === 'acp' ? null : agentPresets[spec.program]
  let [command = '', ...args] = preset ? [preset.command, ...preset.args] : (spec.command ?? [])
  const path = hostEnv.PATH ?? ''
  let found = await find(command, path)
  let isFetched = false
  if (!found && preset && spec.program !== 'acp' && isFetchAllowed?.(spec.program)) {
    const { name, version } = preset.package
    args = ['--yes', `--package=${name}@${version}`, '--', command, ...args]
    found = await find('npx', path)
    isFetched = true
  }
  if (!found) return null
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(hostEnv))
    if (value !== undefined && !outerAgentVariable.test(name)) env[name] = value
  env.PATH = [found.path, ...(found.path === path ? [] : [path])].filter(Boolean).join(delimiter)
  Object.assign(env, preset?.set, preset?.trust, spec.own?.sets)
  if (preset?.uses && env[preset.uses.variable] === undefined) {
    const installed = await find(preset.uses.command, env.PATH)
    if (installed) env[preset.uses.variable] = installed.file
  }
  // What npx runs must not depend on a repository's `.npmrc` and `node_modules`; sessions name their folder themselves.
  return { program: found.file, args, env, cwd: isFetched ? homedir() : cwd }
}

/** The sentence that says that an agent is missing and how to install it. */
export function notInstalled(spec: AcpSpec): string {
  const name = installedAgentName(spec)
  if (spec.program === 'acp') return `${name} was not found on your PATH`
  const { command, package: from } = agentPresets[spec.program]
  return `${name} is not installed: ${command} was not found on your PATH. Install it with: npm install -g ${from.name}, or let npx fetch it by: shiplog agent setup ${spec.program}`
}
