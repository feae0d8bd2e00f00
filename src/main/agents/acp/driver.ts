/** The driver of installed agents, over the Agent Client Protocol. Its session code is loaded with the first run. */

import { basename } from 'node:path'
import type { OwnAgent } from '../../../shared/agents/agent-checks.ts'
import { type AgentSpec, definitionFile } from '../../../shared/agents/agent-specs.ts'
import type {
  AgentDrivers,
  Availability,
  KeptFiles,
  PreparedAgent,
} from '../../../shared/agents/driver/agent-driver.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import {
  type AgentPreset,
  agentPresets,
  installedAgentName,
  type PresetFacts,
} from '../../../shared/agents/installed-agents.ts'
import type { CommandShell } from '../../../shared/agents/permissions.ts'
import type { Custody } from '../../processes/custody.ts'
import type { AgentDefinition } from '../definitions/definition.ts'
import { type Definitions, definitionFrom } from '../definitions/index.ts'
import { onInstalledAgent } from '../definitions/narrow.ts'
import { bashAt } from '../permissions/shell/bash-version.ts'
import type { AllowConfiguration } from './configuration/allow-configuration.ts'
import type { FindProgram } from './process/find-program.ts'
import { launchOf, notInstalled } from './process/launch.ts'
import { commandArguments, specOfOwn } from './process/own-command.ts'
import type { OpenTaskTools } from './task-tools.ts'

type AcpSpec = Extract<AgentSpec, { kind: 'acp' }>

/** The user's settings for installed agents. */
export interface AgentSettings {
  /** Returns the user's own agent of that name; null if there is none. */
  own(name: string): OwnAgent | null
  /** Whether `npx` may fetch the package of a preset at its pinned version. */
  isFetchAllowed(program: AgentPreset): boolean
}

const noSettings: AgentSettings = { own: () => null, isFetchAllowed: () => false }

const failUnknownAgent = (name: string): never => {
  throw new Error(`There is no agent "${name}". shiplog agent list lists those that there are.`)
}

export function createAcpDriver(deps: {
  custody: Custody
  version: string
  find: FindProgram
  /** Shiplog's own environment, in which programs are looked for. */
  hostEnv: NodeJS.ProcessEnv
  /** Absent if the user has set nothing. */
  settings?: AgentSettings
  allowConfiguration: AllowConfiguration
  /** Absent if agents are not offered Shiplog's tools. */
  openTools?: OpenTaskTools
  /** The roles of sub-agents. */
  definitions: Definitions
  /**
   * Resolves with the model agent of a definition that names a model, or for which the user set one. Null if the
   * definition runs on the installed agent of its parent.
   */
  onModel: (
    definition: AgentDefinition,
    dir: string,
  ) => Promise<Omit<PreparedAgent, 'title'> | null>
  /** Masks what an agent replays before it is compared with the record, which has no secrets. */
  mask: Masker
  /** Reports one sentence to the user. */
  onNotice: (text: string) => void
}): AgentDrivers['acp'] {
  const { find, hostEnv, settings = noSettings } = deps
  const { isFetchAllowed } = settings

  return {
    async prepare({ kind, program, command, own, mode, options }) {
      const spec: AcpSpec =
        own === undefined
          ? {
              kind,
              program,
              agent: program,
              ...(program === 'acp' && { command: commandArguments(command ?? '') }),
            }
          : specOfOwn(settings.own(own) ?? failUnknownAgent(own))
      if (mode !== undefined) spec.mode = mode
      if (options && Object.keys(options).length > 0) spec.options = options
      return { spec, files: [], title: installedAgentName(spec) }
    },
    withModel(spec) {
      throw new Error(
        `The model of ${installedAgentName(spec)} is set in ${installedAgentName(spec)} itself.`,
      )
    },
    filesOf: ({ definition }) => (definition ? [definitionFile(definition)] : []),
    async check(spec): Promise<Availability> {
      const found = await launchOf(spec, { find, env: hostEnv, cwd: '/', isFetchAllowed })
      if (found) return { state: 'ready' }
      const detail = notInstalled(spec)
      return { state: 'unavailable', cause: { kind: 'not-started', step: 'run', detail } }
    },
    defines: (_, name, { dir }) => deps.definitions.has(name, dir),
    async subAgent({ definition: limits = null, ...parent }, name, { dir }) {
      const { definition, defined } = await deps.definitions.resolve(name, {
        dir,
        parent: limits,
        isRoot: true,
        model: noModel,
      })
      const file = { name: definitionFile(defined), text: definition.text }
      const installed = onInstalledAgent(name, { definition, defined }, limits)
      if (installed) return { spec: installed, files: [file] }
      const onModel = limits?.tools === undefined ? await deps.onModel(definition, dir) : null
      if (onModel !== null) return onModel
      return {
        spec: { ...parent, agent: name, definition: defined },
        files: [file],
      }
    },
    async open(spec, place, files) {
      const { openAcpSession } = await import('./session.ts')
      const preset = presetOf(spec)
      return openAcpSession(
        {
          name: installedAgentName(spec),
          source: sourceOf(spec),
          shell: shellOf(spec, place.env),
          signIn: preset?.signIn ?? 'Sign in to it in a terminal',
          mode: spec.mode ?? preset?.modes?.[place.permissions ?? 'allow-all'] ?? null,
          options: spec.options ?? {},
          sessionMeta: preset?.sessionMeta ?? null,
          canLoad: preset?.canLoad ?? true,
          sumsUsage: preset?.sumsUsage ?? false,
          countsSubAgents: preset?.countsSubAgents ?? false,
          savesCostAtEnd: preset?.savesCostAtEnd ?? false,
          instructions: await instructionsOf(spec, files),
          definition: spec.definition ?? null,
        },
        place,
        {
          custody: deps.custody,
          version: deps.version,
          onNotice: deps.onNotice,
          mask: deps.mask,
          openTools: deps.openTools ?? null,
          allow: (host) =>
            deps.allowConfiguration(
              { name: installedAgentName(spec), program: spec.program },
              place,
              host,
            ),
          async launch() {
            const { env, cwd } = place
            const found = await launchOf(spec, { find, env, cwd, isFetchAllowed })
            if (!found) throw new Error(notInstalled(spec))
            return found
          },
        },
      )
    },
  }
}

/** The known agents take the user's shell if it is bash, else perhaps another one. */
const shellOf = ({ program }: AcpSpec, { SHELL = '' }: Record<string, string>): CommandShell =>
  program !== 'acp' && basename(SHELL) === 'bash' ? bashAt(SHELL) : 'unknown'

/** A placeholder: `resolve` requires a model, but an installed agent uses its own. */
const noModel = { provider: 'openai-compatible', model: 'none' } as const

/** Reads the definition that the agent was started with, even if the project changed it since. */
async function instructionsOf({ definition }: AcpSpec, files: KeptFiles): Promise<string> {
  if (!definition) return ''
  const text = await files.read(definitionFile(definition))
  return definitionFrom(definition.source, text).prompt
}

const presetOf = ({ program }: AcpSpec): PresetFacts | null =>
  program === 'acp' ? null : agentPresets[program]

/** Returns the agent's name in the record. It includes an own command, so that no other command resumes its sessions. */
const sourceOf = ({ program, command }: AcpSpec): string =>
  program === 'acp' ? `acp:${(command ?? []).join(' ')}` : `acp:${program}`
