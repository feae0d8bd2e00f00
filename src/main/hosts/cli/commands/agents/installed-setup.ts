/** `shiplog agent setup` of an installed agent or the user's own command: fetches it, signs in and checks it. */
import type { AgentCheck, InstalledAgentState } from '../../../../../shared/agents/agent-checks.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import {
  commandText,
  packageText,
  signInMethodText,
} from '../../../../../shared/text/agent-check-text.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes, usageError } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal/line-prompt.ts'
import { safeLine } from '../../terminal/safe-text.ts'

interface AgentSetupOptions {
  command?: string
  agentMode?: string
  env?: string[]
  set?: string[]
  yes?: boolean
}

interface SetupContext {
  client: ShiplogClient
  context: CliContext
  /** Null if the user can't be asked. */
  terminal: Terminal | null
}

export async function setUpAgent(
  at: SetupContext,
  id: string,
  options: AgentSetupOptions,
): Promise<number> {
  const { client, context } = at
  if (options.command !== undefined)
    await save(client, id, { ...options, command: options.command })
  else if (options.agentMode !== undefined || options.env || options.set)
    await change(at, id, options)
  const agent = await stateOf(client, id)
  let check = await checkOrFetch(at, agent, options.yes ?? false)
  if (check === null) return exitCodes.refused
  if (check.outcome === 'signed-out') check = (await signIn(at, id)) ?? check
  if (context.json) await context.printJson({ agent: await stateOf(client, id) })
  if (check.outcome !== 'ready') {
    await context.warn(check.why ?? 'It did not start.')
    return exitCodes.failed
  }
  const flag = `--agent ${id}`
  await context.say(safeLine(`${agent.name} can be started: shiplog agent run "PROMPT" ${flag}`))
  return exitCodes.done
}

async function stateOf(client: ShiplogClient, id: string): Promise<InstalledAgentState> {
  const { agents } = await client.agents.list()
  const found = agents.find((one) => one.id === id)
  if (!found) throw usageError(`There is no agent "${id}".`)
  return found
}

const save = (
  client: ShiplogClient,
  name: string,
  { command, agentMode, env, set }: AgentSetupOptions & { command: string },
) =>
  client.agents.saveOwn({
    name,
    command,
    mode: agentMode,
    passes: env,
    sets: set && Object.fromEntries(set.map(variableOf)),
  })

/** Changes the given fields only. */
async function change(
  { client }: SetupContext,
  id: string,
  { agentMode, env, set }: AgentSetupOptions,
): Promise<void> {
  const { own } = await stateOf(client, id)
  if (!own)
    throw usageError(
      '--agent-mode, --env and --set belong to a command of your own: name it with --command.',
    )
  await client.agents.saveOwn({
    ...own,
    ...(agentMode !== undefined && { mode: agentMode }),
    ...(env && { passes: env }),
    ...(set && { sets: Object.fromEntries(set.map(variableOf)) }),
  })
}

function variableOf(text: string): [string, string] {
  const [name = '', ...value] = text.split('=')
  if (value.length === 0) throw usageError(`--set takes NAME=VALUE, not "${text}".`)
  return [name, value.join('=')]
}

/** Resolves with null if the agent is not installed and the user did not allow fetching it. */
async function checkOrFetch(
  { client, context, terminal }: SetupContext,
  agent: InstalledAgentState,
  yes: boolean,
): Promise<AgentCheck | null> {
  const { id, name, package: from } = agent
  if (agent.available || !from?.fetchable) {
    await context.say(safeLine(`Starting ${name} …`))
    return client.agents.check({ id })
  }
  const what = `npx fetches ${packageText(agent)} from the npm registry, keeps it in its cache, and starts it.`
  await context.say(`${name} is not installed. ${what}`)
  if (agent.uses) await context.say(safeLine(`It then uses your ${agent.uses.file}.`))
  const answer = yes || !terminal ? '' : await terminal.ask('Fetch it? [y]es or [n]o: ')
  if (!yes && !/^y(es)?$/i.test(answer)) {
    await context.warn(
      terminal
        ? `Nothing was fetched. To install it yourself: npm install -g ${from.name}`
        : `Nothing was fetched: allow it with --yes, or install it yourself: npm install -g ${from.name}`,
    )
    return null
  }
  await context.say('Fetching it. That can take minutes …')
  return client.agents.allowFetch({ id, version: from.version })
}

/** Resolves with null if the user did not sign in. */
async function signIn(at: SetupContext, id: string): Promise<AgentCheck | null> {
  const { client, context, terminal } = at
  const { name, signIn: how, check } = await stateOf(client, id)
  const methods = check?.signInMethods ?? []
  if (!terminal || (how.command === null && methods.length === 0)) {
    await context.say(safeLine(`${name} is not signed in. ${how.text}.`))
    return null
  }
  if (how.command === null) return signInByMethod({ ...at, terminal }, { id, name, methods })
  const line = safeLine(commandText(how.command))
  const answer = await terminal.ask(`${name} is not signed in. Run ${line} here? [y]es or [n]o: `)
  if (!/^y(es)?$/i.test(answer)) return null
  const code = await context.host.runAttached(how.command)
  if (code !== 0) await context.warn(`${line} ended with exit code ${code ?? 'unknown'}.`)
  return client.agents.check({ id })
}

/** For an agent whose own command is not installed, such as one that was fetched. */
async function signInByMethod(
  { client, context, terminal }: SetupContext & { terminal: Terminal },
  agent: { id: string; name: string; methods: AgentCheck['signInMethods'] },
): Promise<AgentCheck | null> {
  const { id, name, methods } = agent
  await context.say(safeLine(`${name} is not signed in. It can sign in by:`))
  for (const [index, method] of methods.entries())
    await context.say(safeLine(`  ${index + 1}. ${signInMethodText(method)}`))
  await context.say('It keeps the sign-in in its own folder, a key that it finds included.')
  const answer = await terminal.ask('A number (empty: none): ')
  const method = /^\d+$/.test(answer) ? methods[Number(answer) - 1] : undefined
  if (!method) return null
  await context.say(safeLine(`${name} signs in. A page may open in your browser …`))
  return client.agents.authenticate({ id, method: method.id })
}
