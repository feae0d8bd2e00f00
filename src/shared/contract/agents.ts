/** Lists, checks and configures installed agents, and the user's own agent commands. */
import { z } from 'zod'
import {
  agentCheckSchema,
  installedAgentStateSchema,
  ownAgentInputSchema,
} from '../agents/agent-checks.ts'
import { projectIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

const named = z.object({ id: z.string() })

/** Configuration for an agent in a project's folder that was not allowed yet (K8). */
const configurationToAllowSchema = z.object({
  /** All files in full, as in the question at a start; '': there is nothing to allow. */
  text: z.string(),
  /** Hashes of the files in it: exactly these are allowed. */
  sha256s: z.array(z.string()),
  /** Files for which the agent would not start. `why`: a sentence without its subject. */
  unshowable: z.array(z.object({ path: z.string(), why: z.string() })),
})
export type ConfigurationToAllow = z.infer<typeof configurationToAllowSchema>

export const agents = {
  /** Lists the presets in the order in which they are offered, then the user's own by name. Starts none of them. */
  list: base.output(z.object({ agents: z.array(installedAgentStateSchema) })),
  /**
   * Starts it in an empty folder, and reads its capabilities. `prompts`: also sends one short prompt, which may cost
   * money. NOT_FOUND: no agent has that id.
   */
  check: base.input(named.extend({ prompts: z.boolean().default(false) })).output(agentCheckSchema),
  /**
   * Fetches the package of a preset at its pinned version with `npx`, and checks the agent, which can take minutes. The
   * package counts as allowed once the agent has started. INVALID `version`: not the version that was shown.
   */
  allowFetch: base.input(named.extend({ version: z.string() })).output(agentCheckSchema),
  /** Opens a terminal with the command that signs in. `opened` false: no terminal could be opened. */
  signIn: base
    .input(named)
    .output(z.object({ opened: z.boolean(), command: z.array(z.string()).nullable() })),
  /**
   * Has the agent sign in by one of the methods of its last check, and checks it. It stores the sign-in in its own folder,
   * and may open a page in the browser; it waits for that for minutes.
   */
  authenticate: base.input(named.extend({ method: z.string() })).output(agentCheckSchema),
  /** NOT_FOUND: no agent or no project has that id. */
  configuration: base
    .input(named.extend({ projectId: projectIdSchema }))
    .output(configurationToAllowSchema),
  /** Allows the files that have not changed since they were shown; the others need permission at the start. */
  allowConfiguration: base
    .input(named.extend({ projectId: projectIdSchema, sha256s: z.array(z.string()) }))
    .output(z.object({})),
  /** Adds an agent, or replaces the one of the same name. INVALID with the field that is wrong. */
  saveOwn: base.input(ownAgentInputSchema).output(z.object({})),
  /** Tasks that were started with it keep it. NOT_FOUND: no agent has that name. */
  removeOwn: base.input(z.object({ name: z.string() })).output(z.object({})),
}
