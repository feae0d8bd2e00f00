/** Pull and merge request addresses of GitHub, GitLab, Gitea and Bitbucket in a command's output. */
const pullRequestUrl =
  /https:\/\/[\w.-]+\/[\w./-]+?\/(?:pull|pulls|pull-requests|-\/merge_requests)\/\d+/g

/** Each address once, in order of appearance. */
export function pullRequestLinks(text: string): string[] {
  return [...new Set(text.match(pullRequestUrl) ?? [])]
}
