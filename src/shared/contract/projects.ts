import { z } from 'zod'
import { agentPresetSchema } from '../agents/installed-agents.ts'
import { projectIdSchema, taskIdSchema } from '../records/ids.ts'
import { projectEnvironmentSchema, projectSchema } from '../records/projects/projects.ts'
import { sandboxSettingSchema } from '../records/projects/sandbox.ts'
import { base } from './base.ts'

/** The commands and fetches in a repository's own Git configuration (`.git/config`, not the user's). */
const gitRequestSchema = z.object({
  /** Filters and merge drivers, as `key = value`, one a line, with their files; '' for none. */
  commands: z.string(),
  /** The remotes from which a partial clone would fetch missing objects. */
  fetches: z.array(z.object({ remote: z.string(), url: z.string() })),
})

/** What a project requests in `.shiplog/project.yaml` and its Git configuration, and whether it was allowed. */
const projectSetupSchema = z.object({
  /** The set-up command; null: none. */
  setup: z.string().nullable(),
  /** Files and folders copied into each new worktree, relative to the project. */
  copy: z.array(z.string()),
  /** Secret variables of the host that it requests for its agents. */
  env: z.array(z.string()),
  /** Null: its Git configuration requests nothing that was not allowed before. */
  git: gitRequestSchema.nullable(),
  /** Hash of all that is requested; exactly this is trusted. Null if nothing is. */
  configSha256: z.string().nullable(),
  /** Also true if there is nothing to allow: no command, no variable, no address. */
  trusted: z.boolean(),
})
export type ProjectSetup = z.infer<typeof projectSetupSchema>

const planningSchema = z.object({
  /** Absolute, even if it does not exist. */
  dir: z.string(),
  /** `unusable`: not a folder, or a link to another place. */
  state: z.enum(['used', 'missing', 'unusable']),
})
export type ProjectPlanning = z.infer<typeof planningSchema>

export const projects = {
  list: base.output(z.object({ projects: z.array(projectSchema) })),
  /** Adds a folder; returns the existing project if it was added before. */
  add: base.input(z.object({ dir: z.string().min(1) })).output(projectSchema),
  /** Removes a project from the list and keeps its archive. REFUSED while agents work in it. */
  remove: base.input(z.object({ projectId: projectIdSchema })).output(z.object({})),
  setup: base.input(z.object({ projectId: projectIdSchema })).output(projectSetupSchema),
  trustSetup: base
    .input(z.object({ projectId: projectIdSchema, configSha256: z.string() }))
    .output(z.object({})),
  /**
   * Sets which variables of the host its agents get from their next run on (K2). `shown`: the setting that the user
   * edited; REFUSED `settings-changed` if it is different now.
   */
  setEnvironment: base
    .input(
      z.object({
        projectId: projectIdSchema,
        environment: projectEnvironmentSchema,
        shown: projectEnvironmentSchema.optional(),
      }),
    )
    .output(z.object({})),
  /** Sets the sandbox of its agents' commands from their next run on. */
  setSandbox: base
    .input(z.object({ projectId: projectIdSchema, sandbox: sandboxSettingSchema }))
    .output(z.object({})),
  /** Returns the state of `.planning/`, where the project's agent history is kept; otherwise it is in the data directory. */
  planning: base.input(z.object({ projectId: projectIdSchema })).output(planningSchema),
  /** Creates `.planning/` in the project, where its agent history is kept from then on. */
  createPlanning: base.input(z.object({ projectId: projectIdSchema })).output(z.object({})),
  /**
   * Creates a small Git project (in `dir`, else in the data directory) and starts the bundled scenario in it. `agent`: an
   * installed agent that takes part, on the user's account. REFUSED `not-set-up`: it can't be started.
   */
  startDemo: base
    .input(z.object({ dir: z.string().min(1).optional(), agent: agentPresetSchema.optional() }))
    .output(z.object({ project: projectSchema, taskId: taskIdSchema })),
}
