/** Lists, checks and configures installed agents, and the person's own agent commands. */
import { z } from 'zod'
import {
  agentCheckSchema,
  installedAgentStateSchema,
  ownAgentSchema,
} from '../agents/agent-checks.ts'
import { projectIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

const named = z.object({ id: z.string() })

/** Configuration for an agent in a project's folder that was not allowed yet (K8). */
const askedConfigurationSchema = z.object({
  /** All files whole, as the person is asked at a start; '': there is nothing to allow. */
  text: z.string(),
  /** Hashes of the files in it: exactly these are allowed. */
  sha256s: z.array(z.string()),
  /** Files for which the agent would not start. `why`: a sentence without its subject. */
  unshowable: z.array(z.object({ path: z.string(), why: z.string() })),
})
export type ConfigurationToAllow = z.infer<typeof askedConfigurationSchema>

export const agents = {
  /** Presets in the order in which they are offered, then the person's own by name. Starts none of them. */
  list: base.output(z.object({ agents: z.array(installedAgentStateSchema) })),
  /**
   * Starts it in an empty folder, and asks what it can. `prompts`: also makes one short exchange, which may be paid
   * for. NOT_FOUND: there is none of that id.
   */
  check: base.input(named.extend({ prompts: z.boolean().default(false) })).output(agentCheckSchema),
  /**
   * Lets `npx` fetch the package of a preset at its pinned version, and checks it, which can take minutes. It counts
   * as allowed once the agent has started. INVALID `version`: not the version that was shown.
   */
  allowFetch: base.input(named.extend({ version: z.string() })).output(agentCheckSchema),
  /** Opens a terminal that signs in. `opened` false: this machine has none that could be opened. */
  signIn: base
    .input(named)
    .output(z.object({ opened: z.boolean(), command: z.array(z.string()).nullable() })),
  /** NOT_FOUND: there is no agent of that id, or no such project. */
  configuration: base
    .input(named.extend({ projectId: projectIdSchema }))
    .output(askedConfigurationSchema),
  /** Allows files that are still as they were shown; about those that have changed since, the person is asked at the start. */
  allowConfiguration: base
    .input(named.extend({ projectId: projectIdSchema, sha256s: z.array(z.string()) }))
    .output(z.object({})),
  /** Adds one, or changes that of the same name. INVALID with the field that is wrong. */
  saveOwn: base
    .input(
      z.object({
        // Checked by the service, which says which field is wrong.
        name: z.string(),
        command: z.string(),
        mode: ownAgentSchema.shape.mode,
        passes: z.array(z.string()).optional(),
        sets: z.record(z.string(), z.string()).optional(),
      }),
    )
    .output(z.object({})),
  /** Tasks that were started with it keep it. NOT_FOUND: there is none of that name. */
  removeOwn: base.input(z.object({ name: z.string() })).output(z.object({})),
}
