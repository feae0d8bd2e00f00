/** The identity of a project, by which it is found after its folder was moved. */
import { z } from 'zod'

export const projectIdentitySchema = z.object({
  /** Ids of its repository's root commits, sorted; empty if unknown, as in a shallow clone. */
  rootCommits: z.array(z.string()),
  /** Host and path of its remote, without user, scheme and secrets; null without a remote. */
  remote: z.string().nullable(),
  /** The project's folder inside its repository, with `/`; empty for the repository's own. */
  within: z.string(),
})
export type ProjectIdentity = z.infer<typeof projectIdentitySchema>

/**
 * Whether two folders hold the same project: the same folder of a repository with the same remote and a root commit
 * in common. Without a remote all root commits must be equal, since a repository that merged another one's history is
 * a different one. If the root commits of either are unknown, the remote alone decides.
 */
export function isSameProject(one: ProjectIdentity, other: ProjectIdentity): boolean {
  if (one.within !== other.within || one.remote !== other.remote) return false
  if (one.remote === null)
    return one.rootCommits.length > 0 && `${one.rootCommits}` === `${other.rootCommits}`
  return knowsNoRoots(one) || knowsNoRoots(other) || sharesRoot(one, other)
}

/** Whether the folder of a known project now holds an unrelated repository. */
export function isOtherRepository(known: ProjectIdentity, found: ProjectIdentity): boolean {
  if (knowsNoRoots(known) || knowsNoRoots(found))
    return known.remote === null || known.remote !== found.remote
  return !sharesRoot(known, found)
}

const knowsNoRoots = ({ rootCommits }: ProjectIdentity): boolean => rootCommits.length === 0

const sharesRoot = (one: ProjectIdentity, other: ProjectIdentity): boolean =>
  one.rootCommits.some((commit) => other.rootCommits.includes(commit))
