/**
 * `installed-agents.json` in the data directory: the person's own agents, the packages that `npx` may fetch, and what
 * the newest check of each agent showed.
 */
import { basename } from 'node:path'
import { z } from 'zod'
import {
  type AgentCheck,
  agentCheckSchema,
  ownAgentSchema,
} from '../../../../shared/agents/agent-checks.ts'
import { type AgentPreset, agentPresets } from '../../../../shared/agents/installed-agents.ts'
import { readJsonFile, setAside, writeFileDurable } from '../../../journal/index.ts'
import type { AgentSettings } from '../driver.ts'

const fileVersion = 1

const contentSchema = z.object({
  own: z.array(ownAgentSchema),
  /** The allowed version of each preset. */
  fetched: z.record(z.string(), z.string()),
})
type Content = z.infer<typeof contentSchema>

const fileSchema = contentSchema.extend({
  version: z.literal(fileVersion),
  // A check of another version of Shiplog is not worth the rest.
  checks: z.record(z.string(), agentCheckSchema).catch({}),
})

export interface AgentStore {
  content(): Content
  check(id: string): AgentCheck | null
  /** What is absent stays. Durable when it resolves. `check` null: it is forgotten. */
  save(
    change: Partial<Content> & { check?: { id: string; found: AgentCheck | null } },
  ): Promise<void>
  /** Why what the person had set is not known, one sentence; null: it is. */
  readonly lost: string | null
}

/** A damaged file is kept aside as `installed-agents.json.damaged-<n>`. `path`: absolute. */
export async function openAgentStore(path: string): Promise<AgentStore> {
  const file = await readJsonFile(path, fileSchema)
  const aside = file.kind === 'damaged' ? await setAside(path, 'damaged') : null
  let whole: z.infer<typeof fileSchema> =
    file.kind === 'ok' ? file.value : { version: fileVersion, own: [], fetched: {}, checks: {} }
  return {
    lost:
      aside === null
        ? null
        : `The settings of installed agents could not be read: set up your own commands again in Settings. The file is kept as ${basename(aside)} in the data directory.`,
    content: () => whole,
    check: (id) => whole.checks[id] ?? null,
    async save({ check, ...change }) {
      const { [check?.id ?? '']: _, ...others } = whole.checks
      const checks = check?.found ? { ...others, [check.id]: check.found } : others
      const next = { ...whole, ...change, checks: check ? checks : whole.checks }
      await writeFileDurable(path, `${JSON.stringify(next, null, 2)}\n`)
      whole = next
    },
  }
}

/** Whether `npx` may fetch the package of a preset: the person allowed exactly the pinned version. */
export const isFetchAllowed = (store: Pick<AgentStore, 'content'>, id: AgentPreset): boolean =>
  store.content().fetched[id] === agentPresets[id].package.version

/** What a driver needs to know of them. */
export const agentSettingsOf = (store: Pick<AgentStore, 'content'>): AgentSettings => ({
  own: (name) => store.content().own.find((one) => one.name === name) ?? null,
  isFetchAllowed: (id) => isFetchAllowed(store, id),
})
