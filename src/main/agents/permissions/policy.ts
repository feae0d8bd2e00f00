/**
 * `.shiplog/permissions.json` of a project: its repository's limits for agents. It can only narrow
 * the user's permissions, so it has a mode, and rules that ask or deny.
 */
import { join } from 'node:path'
import { z } from 'zod'
import {
  type PermissionMode,
  permissionModeSchema,
} from '../../../shared/agents/permission-modes.ts'
import { type PermissionRule, permissionRuleSchema } from '../../../shared/agents/permissions.ts'
import { readDataFile, systemCode } from '../../journal/index.ts'
import { parseRule } from './parse-rule.ts'

/**
 * One source of permissions. The strictest decision of several applies, so that none can widen
 * another.
 */
export interface PolicyLayer {
  mode: PermissionMode
  rules: readonly PermissionRule[]
}

export const policyPath = '.shiplog/permissions.json'
/** Far more than a file written by hand has. */
const policyBytesMax = 64 * 1024

const policySchema = z.strictObject({
  mode: permissionModeSchema.optional(),
  rules: z
    .array(
      permissionRuleSchema.extend({
        effect: z.enum(['ask', 'deny'], 'may be "ask" or "deny": a repository allows nothing'),
      }),
    )
    .optional(),
})

/**
 * Returns the layer of a repository, or null if it has no such file. An invalid file asks about
 * everything.
 */
export async function readRepositoryPolicy(
  projectDir: string,
): Promise<{ layer: PolicyLayer; problem: string | null } | null> {
  const path = join(projectDir, policyPath)
  try {
    const bytes = await readDataFile(path, { followLinks: true })
    if (bytes.length > policyBytesMax) throw new Error('is larger than 64 KB')
    const { mode = 'allow-all', rules = [] } = policySchema.parse(
      JSON.parse(bytes.toString('utf8')),
    )
    for (const { rule } of rules) parseRule(rule)
    return { layer: { mode, rules }, problem: null }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return null
    const why =
      error instanceof z.ZodError
        ? error.issues
            .map((one) => `${one.path.join('.') || 'top level'} ${one.message}`)
            .join('; ')
        : (error as Error).message
    return {
      layer: { mode: 'ask', rules: [] },
      problem: `${path} can't be used, so its agents ask about everything: ${why}`,
    }
  }
}
