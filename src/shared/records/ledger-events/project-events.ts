/** Events of projects. */
import { z } from 'zod'
import { projectIdSchema } from '../ids.ts'
import { projectIdentitySchema } from '../projects/project-identity.ts'
import { projectEnvironmentSchema } from '../projects/projects.ts'
import { sandboxSettingSchema } from '../projects/sandbox.ts'

export const projectEventSchemas = [
  z.object({
    type: z.literal('project.added'),
    projectId: projectIdSchema,
    name: z.string(),
    dir: z.string(),
    git: z.boolean(),
    /** Absent: known by its path alone, as outside Git and before the first commit. */
    identity: projectIdentitySchema.optional(),
  }),
  /** Its folder was moved to another place. What the person allowed for the old one is revoked. */
  z.object({
    type: z.literal('project.moved'),
    projectId: projectIdSchema,
    name: z.string(),
    from: z.string(),
    dir: z.string(),
    identity: projectIdentitySchema,
  }),
  /** What Git reports of its folder differs from the record: a first commit, another remote, no Git any more. */
  z.object({
    type: z.literal('project.identified'),
    projectId: projectIdSchema,
    git: z.boolean(),
    /** Absent: it has none now; the last one is kept. */
    identity: projectIdentitySchema.optional(),
    /** Another repository is in its place: what the person allowed for the one before is revoked. */
    replaced: z.boolean(),
  }),
  z.object({ type: z.literal('project.removed'), projectId: projectIdSchema }),
  /** The person allowed the set-up command of this exact configuration to run. */
  z.object({
    type: z.literal('project.setup-trusted'),
    projectId: projectIdSchema,
    configSha256: z.string(),
  }),
  /** The person set what its agents get of the host's environment (K2). */
  z.object({
    type: z.literal('project.environment-set'),
    projectId: projectIdSchema,
    environment: projectEnvironmentSchema,
  }),
  /** The person set what its agents' commands may do to the system. */
  z.object({
    type: z.literal('project.sandbox-set'),
    projectId: projectIdSchema,
    sandbox: sandboxSettingSchema,
  }),
  /** The person allowed what the repository's own Git configuration asks for; `sha256`: of exactly that. */
  z.object({
    type: z.literal('project.git-config-allowed'),
    projectId: projectIdSchema,
    sha256: z.string(),
  }),
  /** The person allowed what a repository configures for installed agents; `sha256`: of a path and its content. */
  z.object({
    type: z.literal('project.agent-config-allowed'),
    projectId: projectIdSchema,
    files: z.array(z.object({ path: z.string(), sha256: z.string() })).min(1),
  }),
] as const
