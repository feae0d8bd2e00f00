/** The commands that commit a worktree and open a pull request, for the user's own terminal. Pure. */
import { visibleText } from '../../../shared/text/shown-text.ts'

interface CommitPlan {
  /** Absolute. */
  worktree: string
  branch: string
  /** That the pull request is for; null: the default of the repository. */
  base: string | null
  subject: string
  body: string
  /** Pushes the branch, and opens a pull request with GitHub's `gh`. */
  pullRequest: boolean
}

/**
 * For a POSIX shell, one command a line but for the lines of a body. Each stops the ones after it when it fails. A text
 * of an agent is quoted as a whole and has no control characters, which a terminal would obey when it is pasted.
 */
export function commitCommands(plan: CommitPlan): string {
  const { worktree, branch, base, subject, body, pullRequest } = plan
  const message = [subject, body].map((text) => text.trim()).filter(Boolean)
  const commands = [
    `cd ${quoted(worktree)}`,
    'git add --all',
    `git commit ${message.map((text) => `--message=${quoted(text)}`).join(' ')}`,
    ...(pullRequest
      ? [
          `git push --set-upstream origin ${quoted(branch)}`,
          [
            `gh pr create --head ${quoted(branch)}`,
            ...(base === null ? [] : [`--base ${quoted(base)}`]),
            `--title ${quoted(subject.trim())}`,
            `--body ${quoted(body.trim())}`,
          ].join(' '),
        ]
      : []),
  ]
  return commands.join(' &&\n')
}

/** A tab would ask for completions. */
const quoted = (text: string): string =>
  `'${visibleText(text.replaceAll('\r\n', '\n').replaceAll('\t', '    ')).replaceAll("'", "'\\''")}'`
