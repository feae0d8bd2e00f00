import { z } from 'zod'
import { projectIdSchema, taskIdSchema } from '../ids.ts'
import { projectEnvironmentSchema, projectSchema } from '../tasks.ts'
import { base } from './base.ts'

/** `.shiplog/project.yaml`, and whether the person allowed its set-up command to run. */
const projectSetupSchema = z.object({
  /** Null: the project names none. */
  setup: z.string().nullable(),
  /** Files and folders copied into each new worktree, relative to the project. */
  copy: z.array(z.string()),
  /** Variables of the host that it wants for its agents although they are secret. */
  env: z.array(z.string()),
  /** Of the file's bytes; what is trusted is exactly this content. Null without a file. */
  configSha256: z.string().nullable(),
  /** True as well when there is neither a command nor a variable to allow. */
  trusted: z.boolean(),
})
export type ProjectSetup = z.infer<typeof projectSetupSchema>

export const projects = {
  list: base.output(z.object({ projects: z.array(projectSchema) })),
  /** Adds a folder; adding one that is there already gives the same project back. */
  add: base.input(z.object({ dir: z.string().min(1) })).output(projectSchema),
  /** Takes it off the list. Refused while agents work in it; its archive stays. */
  remove: base.input(z.object({ projectId: projectIdSchema })).output(z.object({})),
  setup: base.input(z.object({ projectId: projectIdSchema })).output(projectSetupSchema),
  trustSetup: base
    .input(z.object({ projectId: projectIdSchema, configSha256: z.string() }))
    .output(z.object({})),
  /** What its agents get of the host's environment, from their next run on (K2). */
  setEnvironment: base
    .input(z.object({ projectId: projectIdSchema, environment: projectEnvironmentSchema }))
    .output(z.object({})),
  /** Makes `.planning/` in the project, where its agent history is kept from then on. */
  makePlanning: base.input(z.object({ projectId: projectIdSchema })).output(z.object({})),
  /** Makes a small Git project (in `dir`, else in the data directory) and starts the bundled scenario on it. */
  startDemo: base
    .input(z.object({ dir: z.string().min(1).optional() }))
    .output(z.object({ project: projectSchema, taskId: taskIdSchema })),
}
