/**
 * A set-up command that a repository brings along runs with the person's rights, so it is shown and
 * allowed once, and again when it changes.
 */
import { createInterface, type Interface } from 'node:readline/promises'
import type { ProjectSetup } from '../../../../shared/contract/projects.ts'
import type { Project } from '../../../../shared/records/projects/projects.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { ledgerSnapshot } from '../follow/follow-trees.ts'
import { createPager } from '../terminal/pager.ts'
import { safeLine } from '../terminal/safe-text.ts'
import type { CliSession } from '../with-shiplog.ts'

/** Returns when the project's commands are allowed, or it has none. Refuses (exit 5) when they were not allowed. */
export async function allowSetup(
  context: CliContext,
  { client, mayDecide }: Pick<CliSession, 'client' | 'mayDecide'>,
  project: Project,
  trust = false,
): Promise<void> {
  const found = await client.projects.setup({ projectId: project.id })
  const { trusted, configSha256 } = found
  if (trusted || configSha256 === null) return
  // No question whose answer would be refused.
  if (!(await isAllowed(context, found, { trust, mayAsk: mayDecide }))) {
    throw new CliError(
      exitCodes.refused,
      mayDecide
        ? 'What the project asks for is not allowed yet. Read it, then call again with --trust.'
        : 'What the project asks for is not allowed yet. Allow it in the process that has the data directory open.',
    )
  }
  await client.projects.trustSetup({ projectId: project.id, configSha256 })
}

/** Allows what the repository configures for the agent of a root that is about to be started. */
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

/** Shows all of it in any case; `trust`: the answer is known; without `mayAsk` it is no. */
async function isAllowed(
  context: CliContext,
  { setup, copy, env, git }: ProjectSetup,
  { trust, mayAsk }: { trust: boolean; mayAsk: boolean },
): Promise<boolean> {
  const { host, err } = context
  const asks = !trust && mayAsk && host.stdin.isTTY === true && err.isTTY
  let questions: Interface | undefined
  const ask = (question: string) => {
    questions ??= createInterface({ input: host.stdin, output: host.stderr })
    return questions.question(question)
  }
  try {
    const pages = createPager(context, asks ? ask : null)
    const { show } = pages
    const showList = async (names: string[], intro: string) => {
      const line = `${intro}: ${names.map(safeLine).join(', ')}.`
      if (line.length > lineCharsMax) return show(names.join('\n'), `${intro}:`)
      await context.say(line)
      pages.took(Math.ceil(line.length / (err.columns ?? line.length)))
    }
    // Commands last, right above the question: a long list after them would push them out of view.
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
  } finally {
    questions?.close()
  }
}

/** A longer list is shown line by line, in pages. */
const lineCharsMax = 240
