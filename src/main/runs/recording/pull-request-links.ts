/** Records each pull request of a task once, whether found in a command's output or linked by the user. */

import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { Session } from '../../sessions/session.ts'

/** Pull and merge request addresses of GitHub, GitLab, Gitea and Bitbucket in a command's output. */
const pullRequestUrl =
  /https:\/\/[\w.-]+\/[\w./-]+?\/(?:pull|pulls|pull-requests|-\/merge_requests)\/\d+/g

/** Returns each address once, in order of appearance. */
export function pullRequestLinks(text: string): string[] {
  return [...new Set(text.match(pullRequestUrl) ?? [])]
}

export type LinkSource = Extract<Entry, { type: 'pr-link' }>['source']

/** Serialized per session, because a run and the user may add the same link at the same time. */
const serially = createKeyedMutex()

/** Appends those of `urls` that the transcript does not have yet; resolves with the entries, durable. */
export async function addPullRequestLinks(
  session: Session,
  urls: readonly string[],
  source: LinkSource,
): Promise<Entry[]> {
  if (urls.length === 0) return []
  return serially(session.id, async () => {
    const { links } = await session.state()
    const missing = [...new Set(urls)].filter((url) => !links.includes(url))
    return session.append(...missing.map((url) => ({ type: 'pr-link', url, source }) as const))
  })
}
