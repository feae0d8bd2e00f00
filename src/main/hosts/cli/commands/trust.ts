/**
 * A set-up command that a repository brings along runs with the person's rights, so it is shown and
 * allowed once, and again when it changes.
 */
import { createInterface } from 'node:readline/promises'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { Project } from '../../../../shared/tasks.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { safeText } from '../terminal/safe-text.ts'

/** Returns when the command may run, or there is none. Refuses (exit 5) when nobody allowed it. */
export async function allowSetup(
  context: CliContext,
  client: ShiplogClient,
  project: Project,
  trust = false,
): Promise<void> {
  const { setup, trusted, configSha256 } = await client.projects.setup({ projectId: project.id })
  if (trusted || configSha256 === null) return
  await context.say('This project wants to run a command of its own in each new worktree:')
  await context.say(`\n${indent(safeText(setup ?? ''))}\n`)
  if (!trust && !(await isAllowed(context))) {
    throw new CliError(
      exitCodes.refused,
      "The project's set-up command is not allowed to run. Read it, then call again with --trust.",
    )
  }
  await client.projects.trustSetup({ projectId: project.id, configSha256 })
}

async function isAllowed({ host, err }: CliContext): Promise<boolean> {
  if (!host.stdin.isTTY || !err.isTTY) return false
  const questions = createInterface({ input: host.stdin, output: host.stderr })
  try {
    const answer = await questions.question('Allow it, now and until it changes? [y/N] ')
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    questions.close()
  }
}

const indent = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
