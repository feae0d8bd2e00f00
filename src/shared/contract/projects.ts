import { z } from 'zod'
import { agentPresetSchema } from '../agents/installed-agents.ts'
import { projectIdSchema, taskIdSchema } from '../records/ids.ts'
import { projectEnvironmentSchema, projectSchema } from '../records/projects/projects.ts'
import { sandboxSettingSchema } from '../records/projects/sandbox.ts'
import { base } from './base.ts'

/** The commands and fetches in a repository's own Git configuration (`.git/config`, not the person's). */
const gitRequestSchema = z.object({
  /** Filters and merge drivers, as `key = value`, one a line, with what they are written in; '' for none. */
  commands: z.string(),
  /** Where a partial clone would fetch from what it left out. */
  fetches: z.array(z.object({ remote: z.string(), url: z.string() })),
})

/** What a project asks for: `.shiplog/project.yaml`, its Git configuration, and whether it was allowed. */
const projectSetupSchema = z.object({
  /** Null: the project names none. */
  setup: z.string().nullable(),
  /** Files and folders copied into each new worktree, relative to the project. */
  copy: z.array(z.string()),
  /** Variables of the host that it wants for its agents although they are secret. */
  env: z.array(z.string()),
  /** Null: its Git configuration asks for nothing that was not allowed before. */
  git: gitRequestSchema.nullable(),
  /** Hash of all that is requested; exactly this is trusted. Null if nothing is. */
  configSha256: z.string().nullable(),
  /** True as well when there is nothing to allow: no command, no variable, no address. */
  trusted: z.boolean(),
})
export type ProjectSetup = z.infer<typeof projectSetupSchema>

const planningSchema = z.object({
  /** Absolute, whether it is there or not. */
  dir: z.string(),
  /** `unusable`: what has its name is no folder, or leads somewhere else. */
  state: z.enum(['used', 'missing', 'unusable']),
})
export type ProjectPlanning = z.infer<typeof planningSchema>

export const projects = {
  list: base.output(z.object({ projects: z.array(projectSchema) })),
  /** Adds a folder; adding one that is there already gives the same project back. */
  add: base.input(z.object({ dir: z.string().min(1) })).output(projectSchema),
  /** Removes a project from the list. REFUSED while agents work in it; its archive stays. */
  remove: base.input(z.object({ projectId: projectIdSchema })).output(z.object({})),
  setup: base.input(z.object({ projectId: projectIdSchema })).output(projectSetupSchema),
  trustSetup: base
    .input(z.object({ projectId: projectIdSchema, configSha256: z.string() }))
    .output(z.object({})),
  /**
   * What its agents get of the host's environment, from their next run on (K2). `shown`: what the person changed it
   * from; REFUSED `settings-changed` where something else is set by now.
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
  /** What its agents' commands may do to the system, from their next run on. */
  setSandbox: base
    .input(z.object({ projectId: projectIdSchema, sandbox: sandboxSettingSchema }))
    .output(z.object({})),
  /** Whether the project has a `.planning/`, where its agent history is kept; else the data directory has it. */
  planning: base.input(z.object({ projectId: projectIdSchema })).output(planningSchema),
  /** Makes `.planning/` in the project, where its agent history is kept from then on. */
  makePlanning: base.input(z.object({ projectId: projectIdSchema })).output(z.object({})),
  /**
   * Makes a small Git project (in `dir`, else in the data directory) and starts the bundled scenario on it. `agent`: an
   * installed agent that takes part, on the person's account. REFUSED `not-set-up`: it can't be started.
   */
  startDemo: base
    .input(z.object({ dir: z.string().min(1).optional(), agent: agentPresetSchema.optional() }))
    .output(z.object({ project: projectSchema, taskId: taskIdSchema })),
}
