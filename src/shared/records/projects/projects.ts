/** Projects, and the environment variables of the host that their agents get. */

import { z } from 'zod'
import { isoDateTime } from '../date-time.ts'
import { projectIdSchema } from '../ids.ts'
import { projectIdentitySchema } from './project-identity.ts'
import { sandboxSettingSchema } from './sandbox.ts'

/** No user can review a longer list. */
export const variablesMax = 50

export const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable')

/** The variables of the host that the agents of a project get (K2). */
export const projectEnvironmentSchema = z.object({
  /** Secret variables that they get nevertheless. */
  allowed: z.array(variableNameSchema).max(variablesMax),
  /** If set, they get only these and the ones that every program needs. Null: all that are not secret. */
  only: z.array(variableNameSchema).max(variablesMax).nullable(),
})
export type ProjectEnvironment = z.infer<typeof projectEnvironmentSchema>

/** The environment of a project without settings: all variables that are not secret. */
export const defaultEnvironment: ProjectEnvironment = { allowed: [], only: null }

export const isSameEnvironment = (a: ProjectEnvironment, b: ProjectEnvironment): boolean =>
  JSON.stringify([a.allowed, a.only]) === JSON.stringify([b.allowed, b.only])

export const projectSchema = z.object({
  id: projectIdSchema,
  name: z.string(),
  /** Absolute path. */
  dir: z.string(),
  /** False: not a Git repository, so agents work in place and nothing can be applied or diffed. */
  git: z.boolean(),
  addedAt: isoDateTime,
  /** Identifies the project after its folder has moved; absent: only its path does. */
  identity: projectIdentitySchema.optional(),
  /** As the user set it; absent: `defaultEnvironment`. */
  environment: projectEnvironmentSchema.optional(),
  /** Variables that were allowed while the project was another folder or repository. Cleared when the environment is set. */
  revokedVariables: z.array(variableNameSchema).optional(),
  /** The hash of the Git configuration that the user allowed. */
  gitConfigSha256: z.string().optional(),
  /** The hashes of the configurations for installed agents that the user allowed, newest last. */
  agentConfigSha256s: z.array(z.string()).optional(),
  /** The sandbox of its agents' commands; absent: off. */
  sandbox: sandboxSettingSchema.optional(),
})
export type Project = z.infer<typeof projectSchema>
