/**
 * A driver of a kind of agent: it prepares and checks specs, and opens sessions. The drivers are in `src/main/agents`;
 * `src/main/runs` runs their sessions.
 */

import type { Cause } from '../../records/causes.ts'
import type { AgentChoice, AgentKind, AgentSpec } from '../agent-specs.ts'
import type { AgentPlace } from './agent-place.ts'
import type { AgentSession } from './agent-session.ts'

/**
 * A kind of agent. Long parts of a spec, such as the text of a scenario, are stored as files in the
 * session directory of the tree's root, and the spec refers to them.
 */
export interface AgentDriver<Choice = AgentChoice, Spec = AgentSpec, SubAgentSpec = Spec> {
  /**
   * Makes a spec from a user's choice. `dir` is the project's. Stores nothing. Rejects with an
   * Error that describes what is wrong, and where.
   */
  prepare(choice: Choice, dir: string): Promise<PreparedAgent<Spec>>
  /**
   * Returns the same agent on another model, given as `PROVIDER/MODEL`. Throws an Error that
   * describes what is wrong.
   */
  withModel(spec: Spec, model: string): Spec
  /** The names of the files that a spec refers to. */
  filesOf(spec: Spec): string[]
  /** Reports whether an agent of this spec could begin now (G7). Starts nothing. */
  check(spec: Spec, files: KeptFiles): Promise<Availability>
  /**
   * Reports whether the scenario or the folder of the agent has a definition of this name, usable or not: a definition
   * takes precedence over an installed agent of the same name.
   */
  defines(spec: Spec, name: string, place: { dir: string; files: KeptFiles }): Promise<boolean>
  /**
   * Makes the spec of a sub-agent that an agent of `spec` requests. `dir` is that agent's working
   * directory. Rejects with an Error for the agent to read.
   */
  subAgent(
    spec: Spec,
    name: string,
    place: { dir: string; files: KeptFiles },
  ): Promise<Omit<PreparedAgent<SubAgentSpec>, 'title'>>
  /** Opens a session of an agent. Rejects with an Error whose message contains the remedy. */
  open(spec: Spec, place: AgentPlace, files: KeptFiles): Promise<AgentSession>
}

/** A kind without a driver does not compile. */
export type AgentDrivers = {
  [Kind in AgentKind]: AgentDriver<
    Extract<AgentChoice, { kind: Kind }>,
    Extract<AgentSpec, { kind: Kind }>,
    Kind extends 'scripted' ? Extract<AgentSpec, { kind: Kind }> : AgentSpec
  >
}

export interface PreparedAgent<Spec = AgentSpec> {
  spec: Spec
  /** Without known secrets (K3). */
  files: KeptFile[]
  /** The title of a task without a prompt. */
  title: string
}

/**
 * `name` is relative to the session directory, with `/` as separator. Its last part is the SHA-256
 * of the text in hex, with an extension, so that a changed file is detected.
 */
interface KeptFile {
  name: string
  text: string
}

export interface KeptFiles {
  /** Rejects with the system's error, or if the file was changed. */
  read(name: string): Promise<string>
}

export type Availability = { state: 'ready' } | { state: 'unavailable'; cause: Cause }
