/**
 * A set-up command that a repository brings along runs with the person's rights, so it is shown and
 * allowed once, and again when it changes.
 */
import { createInterface, type Interface } from 'node:readline/promises'
import type { ProjectSetup } from '../../../../shared/contract/projects.ts'
import type { Project } from '../../../../shared/tasks.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { commandRows } from '../terminal/command-text.ts'
import { safeLine } from '../terminal/safe-text.ts'
import type { CliSession } from '../with-shiplog.ts'

/** Returns when what the project asks for is allowed, or it asks for nothing. Refuses (exit 5) when nobody allowed it. */
export async function allowSetup(
  context: CliContext,
  { client, mayDecide }: Pick<CliSession, 'client' | 'mayDecide'>,
  project: Project,
  trust = false,
): Promise<void> {
  const found = await client.projects.setup({ projectId: project.id })
  const { trusted, configSha256 } = found
  if (trusted || configSha256 === null) return
  // An answer that would be refused is not asked for.
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
    const show = async (text: string, intro: string) => {
      const { rows, notes } = commandRows(text, err)
      await context.say(intro)
      for (const note of notes) await context.warn(note)
      await context.say('')
      // What scrolled away was not read: a page at a time, and the question after the last.
      const pageRows = asks ? Math.max(pageRowsMin, (err.rows ?? 0) - pageMarginRows) : rows.length
      for (let from = 0; from < rows.length; from += pageRows) {
        if (asks && from > 0) await ask(`  (line ${from} of ${rows.length}; Enter to read on) `)
        await context.say(rows.slice(from, from + pageRows).join('\n'))
      }
      await context.say('')
    }
    if (setup !== null)
      await show(setup, 'This project wants to run a command of its own in each new worktree:')
    if (git?.commands)
      await show(git.commands, 'The configuration in its .git folder has Git run these commands:')
    for (const { remote, url } of git?.fetches ?? [])
      await context.say(
        `It is a partial clone: Git would fetch what is missing from ${safeLine(url)} (remote ${safeLine(remote)}).`,
      )
    if (copy.length > 0)
      await context.say(`It is also given a copy of ${copy.map(safeLine).join(', ')}.`)
    if (env.length > 0)
      await context.say(`It wants these variables for its agents: ${env.map(safeLine).join(', ')}.`)
    if (trust) return true
    if (!asks) return false
    const answer = await ask('Allow it, now and until it changes? [y/N] ')
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    questions?.close()
  }
}

/** A page leaves room for the lines around it. */
const pageMarginRows = 4
const pageRowsMin = 5
