/** Where an imported session can be continued, and what changed there since. */
import { z } from 'zod'
import { projectIdSchema } from '../records/ids.ts'

const placeFields = {
  /** Absolute. */
  dir: z.string(),
  git: z.boolean(),
  /** What changed there since the session, in sentences; bounded. */
  drift: z.array(z.string()),
}

const continuationPlaceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('project'),
    projectId: projectIdSchema,
    name: z.string(),
    /**
     * `folder`: it is the folder that the session recorded, or contains it. `repository`: it is another clone or worktree
     * of the repository in that folder. `commit`: it has the commit that the session began at. `choice`: the person chose it.
     */
    foundBy: z.enum(['folder', 'repository', 'commit', 'choice']),
    ...placeFields,
  }),
  /** The recorded folder, which is no project yet. */
  z.object({ kind: z.literal('folder'), ...placeFields }),
])
export type ContinuationPlace = z.infer<typeof continuationPlaceSchema>

export const continuationSchema = z.object({
  /** The folder that the session worked in, as it recorded it; empty: it did not. */
  recordedDir: z.string(),
  dirExists: z.boolean(),
  /** The best one first; empty: a person has to choose a project. */
  places: z.array(continuationPlaceSchema),
  /** Why the recorded folder can't be a project; null: it can, or is gone. */
  problem: z.string().nullable(),
})
export type Continuation = z.infer<typeof continuationSchema>
