/** Commits a root's changes, pushes its branch and opens a pull request, with commands that the user approved. */
import { z } from 'zod'
import { idTextSchema } from '../../records/ids.ts'
import { base } from '../base.ts'

const githubCliSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ready') }),
  /** `reason`: a sentence with the next step. */
  z.object({ state: z.enum(['missing', 'signed-out', 'failed']), reason: z.string() }),
])
export type GithubCli = z.infer<typeof githubCliSchema>

const publishStateSchema = z.object({
  /** Absolute. */
  worktree: z.string(),
  branch: z.string(),
  /** True if it has uncommitted changes. */
  uncommitted: z.boolean(),
  /** Null: there is no remote `origin`. */
  remote: z
    .object({
      url: z.string(),
      /** `[HOST/]OWNER/NAME` for gh; null: the URL is not that of a server. */
      repository: z.string().nullable(),
    })
    .nullable(),
  /** Why Shiplog can't push; null if it can. */
  cannotPush: z.string().nullable(),
  gh: githubCliSchema,
})
export type PublishState = z.infer<typeof publishStateSchema>

/** As GitHub's limit for the text of a pull request. */
const bodyCharsMax = 65_536
const branchCharsMax = 250

const publishRequestSchema = z.object({
  subject: z.string().trim().max(1_000),
  body: z.string().max(bodyCharsMax),
  /** The branch on the remote. Null: nothing is pushed. */
  pushTo: z.string().trim().min(1).max(branchCharsMax).nullable(),
  pullRequest: z.object({ base: z.string().trim().max(branchCharsMax).nullable() }).nullable(),
})
export type PublishRequest = z.infer<typeof publishRequestSchema>

const publishResultSchema = z.object({
  /** The steps that succeeded, in order. */
  done: z.array(z.enum(['stage', 'commit', 'push', 'pull-request'])),
  /** URL of the pull request, new or already open; it is linked to the root. */
  url: z.string().nullable(),
  /** The step that failed, which was the last one; null: none. */
  failed: z
    .object({ does: z.enum(['stage', 'commit', 'push', 'pull-request']), message: z.string() })
    .nullable(),
})
export type PublishResult = z.infer<typeof publishResultSchema>

export const publish = {
  /** REFUSED: not a root with its own branch. */
  state: base.input(z.object({ taskId: idTextSchema })).output(publishStateSchema),
  /** REFUSED: the agent is running, or `commands` are not exactly those that would run. */
  run: base
    .input(
      z.object({
        taskId: idTextSchema,
        request: publishRequestSchema,
        /** The text that the user approved (`publishCommands`). */
        commands: z.string(),
      }),
    )
    .output(publishResultSchema),
}
