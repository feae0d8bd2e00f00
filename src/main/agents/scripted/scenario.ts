/** A valid scenario (SCENARIOS.md defines the file format). */
import type { ToolName } from '../../../shared/agents/tools.ts'

export interface Scenario {
  name: string
  /** The first one in the file: it receives the user's prompt. */
  rootAgent: string
  agents: ReadonlyMap<string, ScenarioAgent>
}

export interface ScenarioAgent {
  /** A turn is one assistant message with its tool calls. */
  turns: Step[][]
}

export type Step =
  | { kind: 'think'; text: string }
  | { kind: 'say'; text: string }
  /** `report` is a call of `agent_report`. Placeholders in the input are filled in when it is played. */
  | { kind: 'call'; name: ToolName; input: Json }
  | { kind: 'wait'; durationMs: number }
  | { kind: 'fail'; message: string }

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Why a scenario was refused. The message holds file, line and key as well. */
export class ScenarioError extends Error {
  readonly kind = 'scenario'
  readonly file: string
  /** From 1. */
  readonly line: number
  /** The invalid key, as it is in the file or should be. */
  readonly key: string

  constructor(at: Place, key: string, problem: string) {
    super(`${at.file}:${at.line}: ${key}: ${problem}`)
    this.name = 'ScenarioError'
    this.file = at.file
    this.line = at.line
    this.key = key
  }
}

export interface Place {
  file: string
  /** From 1. */
  line: number
}
