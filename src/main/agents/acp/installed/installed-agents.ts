/** Lists, checks and configures the installed agents of this machine. */

import {
  type AgentCheck,
  type InstalledAgentState,
  type OwnAgent,
  type OwnAgentInput,
  ownAgentSchema,
  ownAgentsMax,
} from '../../../../shared/agents/agent-checks.ts'
import { type AgentSpec, agentKindSchema } from '../../../../shared/agents/agent-specs.ts'
import {
  type AgentPreset,
  agentPresetNames,
  agentPresets,
  documentedVariables,
  type InstalledAgent,
  installedAgentName,
  isAgentPreset,
} from '../../../../shared/agents/installed-agents.ts'
import { createKeyedMutex } from '../../../../shared/async/keyed-mutex.ts'
import { messageOf } from '../../../../shared/error-message.ts'
import { FailureError, invalid } from '../../../../shared/failure.ts'
import type { Custody } from '../../../processes/custody.ts'
import { refuseSettings } from '../../refuse-settings.ts'
import type { FindProgram } from '../process/find-program.ts'
import { launchOf, notInstalled } from '../process/launch.ts'
import { commandArguments, specOfOwn } from '../process/own-command.ts'
import { type AgentStore, isFetchAllowed } from './agent-store.ts'
import { programVersion } from './program-version.ts'

type AcpSpec = Extract<AgentSpec, { kind: 'acp' }>

interface InstalledAgents {
  /** Presets first, then the user's own by name. */
  list(): Promise<InstalledAgentState[]>
  /** Throws FailureError: not-found. */
  check(id: string, options: { prompts: boolean }): Promise<AgentCheck>
  /** Throws FailureError for another version than the pinned one. */
  allowFetch(id: string, version: string): Promise<AgentCheck>
  /** Throws FailureError: not-found. */
  agentOf(id: string): { name: string; program: InstalledAgent }
  /** Has the agent sign in by one of its methods, and checks it. Throws FailureError: not-found. */
  authenticate(id: string, method: string): Promise<AgentCheck>
  signIn(id: string): Promise<{ opened: boolean; command: string[] | null }>
  /** Throws FailureError with the field that is wrong. Durable when it resolves. */
  saveOwn(agent: OwnAgentInput): Promise<void>
  removeOwn(name: string): Promise<void>
}

interface CheckOptions {
  prompts?: boolean
  fetches?: boolean
  signInMethod?: string
}

const fieldNames: Record<string, string> = {
  name: 'The name',
  command: 'The command',
  mode: 'The mode',
  passes: 'The list of variables',
  sets: 'The list of variables',
}

export function createInstalledAgents(deps: {
  store: AgentStore
  find: FindProgram
  custody: Custody
  scratchParent: string
  version: string
  now: () => number
  hostEnv: NodeJS.ProcessEnv
  /** The environment of an agent, with the secret variables that are named for the environment of Shiplog itself. */
  environment: (passes: (host: NodeJS.ProcessEnv) => readonly string[]) => Record<string, string>
  isSecret: (name: string, value: string) => boolean
  /** Resolves with false if no terminal can be opened. */
  openTerminal: (command: readonly string[]) => Promise<boolean>
  onWarning: (text: string) => void
}): InstalledAgents {
  const { store, find, hostEnv } = deps
  const path = hostEnv.PATH ?? ''
  const mutex = createKeyedMutex()
  if (store.lost !== null) deps.onWarning(store.lost)

  const ownOf = (id: string): OwnAgent | null =>
    store.content().own.find(({ name }) => name === id) ?? null

  function specOf(id: string): AcpSpec {
    if (isAgentPreset(id)) return { kind: 'acp', program: id, agent: id }
    const own = ownOf(id)
    if (!own) throw new FailureError({ kind: 'not-found', what: 'agent', id })
    return specOfOwn(own)
  }

  async function list(): Promise<InstalledAgentState[]> {
    const npx = await find('npx', path)
    const own = [...store.content().own].sort((a, b) => a.name.localeCompare(b.name))
    return Promise.all([
      ...agentPresetNames.map((id) => presetState(id, npx !== null)),
      ...own.map(ownState),
    ])
  }

  async function presetState(id: AgentPreset, hasNpx: boolean): Promise<InstalledAgentState> {
    const { name, command, args, uses, package: from, ...preset } = agentPresets[id]
    const [program, used] = await Promise.all([
      find(command, path),
      uses ? find(uses.command, path) : null,
    ])
    const [version, usedVersion] = await Promise.all([
      program ? programVersion(program.file, { packageName: from.name, asks: !uses }) : null,
      used ? programVersion(used.file, { packageName: null, asks: true }) : null,
    ])
    const isAllowed = isFetchAllowed(store, id) && hasNpx
    const check = store.check(id)
    const signInProgram = await find(preset.signInCommand[0] ?? '', path)
    return {
      id,
      name,
      program: id,
      available: program !== null || isAllowed,
      why: program || isAllowed ? null : `${command} was not found on your PATH`,
      file: program?.file ?? null,
      version: program ? version : isAllowed ? from.version : null,
      uses: uses && used ? { command: uses.command, file: used.file, version: usedVersion } : null,
      package: { ...from, allowed: isAllowed, fetchable: hasNpx },
      signedIn: check?.signedIn ?? null,
      signIn: {
        text: preset.signIn,
        command: signInProgram
          ? [signInProgram.file, ...preset.signInCommand.slice(1)]
          : program && check?.signInArgs
            ? [program.file, ...args, ...check.signInArgs]
            : null,
      },
      check,
      own: null,
    }
  }

  async function ownState(own: OwnAgent): Promise<InstalledAgentState> {
    const { name } = own
    const [command = '', ...args] = commandArguments(own.command)
    const program = await find(command, path)
    const check = store.check(name)
    return {
      id: name,
      name,
      program: 'acp',
      available: program !== null,
      why: program ? null : `${command} was not found on your PATH`,
      file: program?.file ?? null,
      version: check?.version ?? null,
      uses: null,
      package: null,
      signedIn: check?.signedIn ?? null,
      signIn: {
        text: 'Sign in to it in a terminal',
        command: program && check?.signInArgs ? [program.file, ...args, ...check.signInArgs] : null,
      },
      check,
      own,
    }
  }

  /** Checks one agent at a time, because each takes hundreds of megabytes of memory. */
  function check(
    spec: AcpSpec,
    { prompts = false, fetches = false, signInMethod }: CheckOptions,
  ): Promise<AgentCheck> {
    const preset = spec.program === 'acp' ? null : agentPresets[spec.program]
    // A user who signs in on a page takes minutes, and checks of others don't wait for that.
    return mutex(signInMethod === undefined ? 'check' : 'sign-in', async () => {
      const { checkAgent } = await import('./check-agent.ts')
      return checkAgent(spec, {
        custody: deps.custody,
        scratchParent: deps.scratchParent,
        version: deps.version,
        now: deps.now,
        prompts,
        fetches,
        signInMethod,
        async launch(cwd) {
          const found = await launchOf(spec, {
            find,
            cwd,
            env: deps.environment((host) =>
              preset ? documentedVariables(preset, host) : (spec.own?.passes ?? []),
            ),
            isFetchAllowed: (id) => fetches || isFetchAllowed(store, id),
          })
          if (!found) throw new Error(notInstalled(spec))
          return found
        },
      })
    })
  }

  async function checkAndSave(id: string, options: CheckOptions): Promise<AgentCheck> {
    const found = await check(specOf(id), options)
    await mutex('save', async () => {
      // Not saved if the agent was removed during the check.
      if (isAgentPreset(id) || ownOf(id)) await store.save({ check: { id, found } })
    })
    return found
  }

  async function allowFetch(id: string, version: string): Promise<AgentCheck> {
    if (!isAgentPreset(id)) throw new FailureError({ kind: 'not-found', what: 'agent', id })
    const { package: from, name } = agentPresets[id]
    if (version !== from.version)
      invalid(
        'version',
        `${name} is fetched at version ${from.version}: reload its state and try again.`,
      )
    const found = await check(specOf(id), { fetches: true })
    // An agent that reports its capabilities has started, signed in or not.
    const hasStarted = found.can !== null
    await mutex('save', () =>
      store.save({
        check: { id, found },
        ...(hasStarted && { fetched: { ...store.content().fetched, [id]: version } }),
      }),
    )
    return found
  }

  async function saveOwn(given: OwnAgentInput): Promise<void> {
    const parsed = ownAgentSchema.safeParse(given)
    if (!parsed.success) return refuseSettings(parsed.error, fieldNames)
    const agent = parsed.data
    const { name, command, sets } = agent
    if (isAgentPreset(name) || agentKindSchema.safeParse(name).success)
      invalid(
        'name',
        `“${name}” is the name of an agent that Shiplog supports. Choose another one.`,
      )
    try {
      commandArguments(command)
    } catch (error) {
      invalid('command', messageOf(error))
    }
    for (const [variable, value] of Object.entries(sets))
      if (deps.isSecret(variable, value))
        invalid(
          'sets',
          `${variable} looks like a secret, which the settings do not keep. Set it in the environment that Shiplog starts in, and let it through by its name.`,
        )
    const others = store.content().own.filter((one) => one.name !== name)
    if (others.length >= ownAgentsMax)
      invalid('name', `There are ${ownAgentsMax} agents of your own already. Remove one first.`)
    await store.save({ own: [...others, agent], check: { id: name, found: null } })
  }

  async function removeOwn(name: string): Promise<void> {
    if (!ownOf(name)) throw new FailureError({ kind: 'not-found', what: 'agent', id: name })
    const own = store.content().own.filter((one) => one.name !== name)
    await store.save({ own, check: { id: name, found: null } })
  }

  return {
    list,
    check: checkAndSave,
    agentOf(id) {
      const spec = specOf(id)
      return { name: installedAgentName(spec), program: spec.program }
    },
    allowFetch,
    authenticate: (id, method) => checkAndSave(id, { signInMethod: method }),
    async signIn(id) {
      specOf(id)
      const command = (await list()).find((one) => one.id === id)?.signIn.command ?? null
      return { opened: command !== null && (await deps.openTerminal(command)), command }
    },
    saveOwn: (agent) => mutex('save', () => saveOwn(agent)),
    removeOwn: (name) => mutex('save', () => removeOwn(name)),
  }
}
