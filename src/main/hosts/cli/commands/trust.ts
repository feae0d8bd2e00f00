/**
 * Asks the user to allow a repository's set-up command, which runs with the user's rights: once,
 * and again when it changes.
 */
import type { ProjectSetup } from '../../../../shared/contract/projects.ts'
import type { Project } from '../../../../shared/records/projects/projects.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { ledgerSnapshot } from '../follow/follow-trees.ts'
import { createPager } from '../terminal/pager.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { createTypedAnswers, InputEnded } from '../terminal/typed-answers.ts'
import type { CliSession } from '../with-shiplog.ts'

/** Resolves once the project's commands are allowed, or if it has none. Rejects with CliError 5 if they are not. */
export async function allowSetup(
  context: CliContext,
  { client, mayDecide, ending }: Pick<CliSession, 'client' | 'mayDecide' | 'ending'>,
  project: Project,
  trust = false,
): Promise<void> {
  const found = await client.projects.setup({ projectId: project.id })
  const { trusted, configSha256 } = found
  if (trusted || configSha256 === null) return
  // Does not ask if the answer would be refused.
  if (!(await isAllowed(context, found, { trust, mayAsk: mayDecide, ending }))) {
    throw new CliError(
      exitCodes.refused,
      mayDecide
        ? 'What the project asks for is not allowed yet. Read it, then call again with --trust.'
        : 'What the project asks for is not allowed yet. Allow it in the process that has the data directory open.',
    )
  }
  await client.projects.trustSetup({ projectId: project.id, configSha256 })
}

/** Allows the repository's configuration of the agent of a root that is about to be started. */
export async function trustNewRoot(
  { client, trustConfiguration }: Pick<CliSession, 'client' | 'trustConfiguration'>,
  project: Project,
): Promise<void> {
  const { tasks } = await ledgerSnapshot(client)
  const known = new Set(tasks.keys())
  trustConfiguration(
    ({ taskId, projectId, chain }) =>
      projectId === project.id && chain.length === 1 && !known.has(taskId),
  )
}

/** Prints everything that needs to be allowed. `trust`: it is allowed without asking. Without `mayAsk` it is not. */
async function isAllowed(
  context: CliContext,
  { setup, copy, env, git }: ProjectSetup,
  { trust, mayAsk, ending }: { trust: boolean; mayAsk: boolean; ending: AbortSignal },
): Promise<boolean> {
  const { host, err } = context
  const asks = !trust && mayAsk && host.stdin.isTTY === true && err.isTTY
  const ask = createTypedAnswers(host, ending)
  try {
    const pages = createPager(context, asks ? ask : null)
    const { show } = pages
    const showList = async (names: string[], intro: string) => {
      const line = `${intro}: ${names.map(safeLine).join(', ')}.`
      if (line.length > lineCharsMax) return show(names.join('\n'), `${intro}:`)
      await pages.say([line])
    }
    // Commands are last, so that no long list pushes them out of view before the question.
    for (const { remote, url } of git?.fetches ?? [])
      await showList(
        [`${url} (remote ${remote})`],
        'The project is a partial clone: Git would fetch what is missing from',
      )
    if (copy.length > 0) await showList(copy, 'Each new worktree is given a copy of')
    if (env.length > 0) await showList(env, 'The project wants these variables for its agents')
    if (setup !== null)
      await show(setup, 'This project wants to run a command of its own in each new worktree:')
    if (git?.commands)
      await show(git.commands, 'The configuration in its .git folder has Git run these commands:')
    if (trust) return true
    if (!asks) return false
    const answer = await ask('Allow it, now and until it changes? [y/N] ')
    return /^y(es)?$/i.test(answer.trim())
  } catch (error) {
    if (error instanceof InputEnded) return false
    throw error
  }
}

/** A longer list is shown line by line, in pages. */
const lineCharsMax = 240
