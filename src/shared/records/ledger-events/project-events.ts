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
    /** Absent: only its path identifies it, as outside Git and before the first commit. */
    identity: projectIdentitySchema.optional(),
  }),
  /** Its folder was moved to another place. Approvals for the old one are revoked. */
  z.object({
    type: z.literal('project.moved'),
    projectId: projectIdSchema,
    name: z.string(),
    from: z.string(),
    dir: z.string(),
    identity: projectIdentitySchema,
  }),
  /** Git's data about its folder changed: a first commit, another remote, or no longer a repository. */
  z.object({
    type: z.literal('project.identified'),
    projectId: projectIdSchema,
    git: z.boolean(),
    /** Absent: it has none now, and the last one is kept. */
    identity: projectIdentitySchema.optional(),
    /** True if another repository has replaced it: approvals for the old one are revoked. */
    replaced: z.boolean(),
  }),
  z.object({ type: z.literal('project.removed'), projectId: projectIdSchema }),
  /** The user allowed the set-up command of this exact configuration to run. */
  z.object({
    type: z.literal('project.setup-trusted'),
    projectId: projectIdSchema,
    configSha256: z.string(),
  }),
  /** The user set which variables of the host its agents get (K2). */
  z.object({
    type: z.literal('project.environment-set'),
    projectId: projectIdSchema,
    environment: projectEnvironmentSchema,
  }),
  /** The user set the sandbox of its agents' commands. */
  z.object({
    type: z.literal('project.sandbox-set'),
    projectId: projectIdSchema,
    sandbox: sandboxSettingSchema,
  }),
  /** The user allowed the requests in the repository's own Git configuration, whose hash is `sha256`. */
  z.object({
    type: z.literal('project.git-config-allowed'),
    projectId: projectIdSchema,
    sha256: z.string(),
  }),
  /** The user allowed a repository's configuration for installed agents; `sha256`: of a path and its content. */
  z.object({
    type: z.literal('project.agent-config-allowed'),
    projectId: projectIdSchema,
    files: z.array(z.object({ path: z.string(), sha256: z.string() })).min(1),
  }),
] as const
