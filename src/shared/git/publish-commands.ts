/** The commands that commit a worktree, push its branch and open a pull request, as shown and as run. Pure. */
import { visibleText } from '../text/shown-text.ts'

interface PublishPlan {
  /** Absolute. */
  worktree: string
  /** Checked out in the worktree. */
  branch: string
  /** The message of a commit of all changes; null: there is nothing to commit. */
  commit: { subject: string; body: string } | null
  /** Null: nothing is pushed. */
  push: { url: string; branch: string } | null
  /** Opened with GitHub's `gh`. */
  pullRequest: {
    /** `[HOST/]OWNER/NAME`. */
    repository: string
    /** On the remote. */
    branch: string
    /** Null: the default of the repository. */
    base: string | null
    title: string
    body: string
  } | null
}

export interface PublishStep {
  does: 'stage' | 'commit' | 'push' | 'pull-request'
  program: 'git' | 'gh'
  args: string[]
}

/**
 * The folder is an argument of every command, so the commands work in any folder. Control characters are made visible,
 * because a terminal would execute them when they are pasted.
 */
export function publishSteps({ worktree, branch, commit, push, pullRequest }: PublishPlan) {
  const steps: PublishStep[] = []
  const git = (does: PublishStep['does'], ...args: string[]) =>
    steps.push({ does, program: 'git', args: ['-C', worktree, ...args] })
  if (commit) {
    const message = [commit.subject, commit.body].map(plain).filter(Boolean)
    git('stage', 'add', '--all')
    git('commit', 'commit', ...message.map((text) => `--message=${text}`))
  }
  if (push) git('push', 'push', push.url, `refs/heads/${branch}:refs/heads/${push.branch}`)
  if (pullRequest) {
    const { repository, base, title, body } = pullRequest
    const args = ['--repo', repository, '--head', pullRequest.branch]
    if (base !== null) args.push('--base', base)
    args.push('--title', plain(title), '--body', plain(body))
    steps.push({ does: 'pull-request', program: 'gh', args: ['pr', 'create', ...args] })
  }
  return steps
}

/** Returns the commands for a POSIX shell, joined with `&&`, one per line except for the lines of a body. */
export const publishCommands = (steps: readonly PublishStep[]): string =>
  steps.map(({ program, args }) => [program, ...args.map(quoted)].join(' ')).join(' &&\n')

/** A pasted tab would trigger the terminal's completion. */
const plain = (text: string): string =>
  visibleText(text.trim().replaceAll('\r\n', '\n').replaceAll('\t', '    '))

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${visibleText(word).replaceAll("'", "'\\''")}'`
