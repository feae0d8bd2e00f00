/**
 * Stores `installed-agents.json` in the data directory: the user's own agents, the packages that `npx` may fetch, and
 * the newest check of each agent.
 */
import { z } from 'zod'
import {
  type AgentCheck,
  agentCheckSchema,
  ownAgentSchema,
} from '../../../../shared/agents/agent-checks.ts'
import { type AgentPreset, agentPresets } from '../../../../shared/agents/installed-agents.ts'
import { openSettingsFile } from '../../../journal/files/settings-file.ts'
import type { AgentSettings } from '../driver.ts'

const settingsSchema = z.object({
  own: z.array(ownAgentSchema),
  /** The allowed version of each preset. */
  fetched: z.record(z.string(), z.string()),
})
type Settings = z.infer<typeof settingsSchema>

const contentSchema = settingsSchema.extend({
  // A check in the format of another version is dropped, so that the rest can be read.
  checks: z.record(z.string(), agentCheckSchema).catch({}),
})

export interface AgentStore {
  content(): Settings
  check(id: string): AgentCheck | null
  /** Absent fields are unchanged; a check of null is deleted. Durable when it resolves. */
  save(
    change: Partial<Settings> & { check?: { id: string; found: AgentCheck | null } },
  ): Promise<void>
  /** The sentence that says that the settings could not be read, and where they are; null if they were read. */
  readonly lost: string | null
}

/** `path` is absolute. */
export async function openAgentStore(path: string): Promise<AgentStore> {
  const file = await openSettingsFile(path, contentSchema, { own: [], fetched: {}, checks: {} })
  const lost = file.lost()
  return {
    lost:
      lost &&
      `The settings of installed agents could not be read: set up your own commands again in Settings. ${lost}`,
    content: file.current,
    check: (id) => file.current().checks[id] ?? null,
    save: ({ check, ...change }) =>
      file.change((now) => {
        const next = { ...now, ...change }
        if (!check) return next
        const { [check.id]: _, ...others } = now.checks
        return { ...next, checks: check.found ? { ...others, [check.id]: check.found } : others }
      }),
  }
}

/** Reports whether `npx` may fetch the package of a preset, because the user allowed exactly the pinned version. */
export const isFetchAllowed = (store: Pick<AgentStore, 'content'>, id: AgentPreset): boolean =>
  store.content().fetched[id] === agentPresets[id].package.version

/** Returns the part of the store that a driver needs. */
export const agentSettingsOf = (store: Pick<AgentStore, 'content'>): AgentSettings => ({
  own: (name) => store.content().own.find((one) => one.name === name) ?? null,
  isFetchAllowed: (id) => isFetchAllowed(store, id),
})
