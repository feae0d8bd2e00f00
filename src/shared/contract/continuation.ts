/** The projects in which an imported session can be continued, and what changed in them since. */
import { z } from 'zod'
import { projectIdSchema } from '../records/ids.ts'

const placeFields = {
  /** Absolute. */
  dir: z.string(),
  git: z.boolean(),
  /** What changed there since the session, one sentence each; bounded. */
  drift: z.array(z.string()),
}

const continuationPlaceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('project'),
    projectId: projectIdSchema,
    name: z.string(),
    /**
     * `folder`: it is the folder that the session recorded, or contains it. `repository`: it is another clone or worktree
     * of the repository in that folder. `commit`: it has the session's first commit. `choice`: the user chose it.
     */
    foundBy: z.enum(['folder', 'repository', 'commit', 'choice']),
    ...placeFields,
  }),
  /** The recorded folder, which is not a project yet. */
  z.object({ kind: z.literal('folder'), ...placeFields }),
])
export type ContinuationPlace = z.infer<typeof continuationPlaceSchema>

export const continuationSchema = z.object({
  /** The folder of the session, as recorded; empty: not recorded. */
  recordedDir: z.string(),
  dirExists: z.boolean(),
  /** Best first; empty: the user must choose a project. */
  places: z.array(continuationPlaceSchema),
  /** Why the recorded folder can't be a project; null: it can, or it does not exist. */
  problem: z.string().nullable(),
})
export type Continuation = z.infer<typeof continuationSchema>
