import type { PublishRequest, PublishState } from '../contract/changes/publish.ts'
import { type PublishStep, publishSteps } from './publish-commands.ts'

/** Returns the steps of a request for the state of a worktree. The window shows the same steps that are run. */
export function planPublish(state: PublishState, request: PublishRequest): PublishStep[] {
  const { worktree, branch, uncommitted, remote } = state
  const { subject, body, pushTo, pullRequest } = request
  const repository = remote?.repository ?? null
  return publishSteps({
    worktree,
    branch,
    commit: uncommitted ? { subject, body } : null,
    push: remote && pushTo !== null ? { url: remote.url, branch: pushTo } : null,
    pullRequest:
      pullRequest && pushTo !== null && repository !== null
        ? { repository, branch: pushTo, base: pullRequest.base, title: subject, body }
        : null,
  })
}
