/** Asks in the terminal whether an agent may do something, or what it wants to know (P2). */
import type {
  PendingPermission,
  PermissionDecision,
} from '../../../../shared/agents/permissions.ts'
import { sandboxText } from '../../../../shared/records/projects/sandbox.ts'
import type { CliContext } from '../context.ts'
import { createPager } from './pager.ts'
import { safeLine, safePath } from './safe-text.ts'

/** The user's decision about one question. Rejects when the terminal is closed. */
export async function askPermission(
  context: CliContext,
  question: PendingPermission,
  answer: (text: string) => Promise<string>,
): Promise<PermissionDecision> {
  const { chain, kind, tool, text, directory, sandbox, lastText, reasons, proposal } = question
  const who = chain.map(({ title }) => safeLine(title)).join(' › ')
  if (kind === 'question') return askQuestion(context, question, who, answer)
  if (kind === 'configuration') return askConfiguration(context, question, who, answer)
  const what =
    kind === 'command' ? 'run' : kind === 'edit' ? 'change a file' : `use ${safeLine(tool)}`
  await context.say('')
  if (lastText.trim() !== '') await context.say(context.err.style('dim', safeLine(lastText)))
  const pager = createPager(context, answer)
  await pager.show(text, `${who} asks to ${what} in ${safePath(directory)}:`)
  const limits = sandbox ? [`${sandboxText(sandbox)}.`] : []
  await pager.say([...limits, ...reasons].map((line) => `  ${safeLine(line)}`))
  const isOne = proposal.length === 1
  // Exactly, like the command: each blank counts, and what is remembered has to have been in view.
  if (proposal.length > 0)
    await pager.show(proposal.join('\n'), `  ${isOne ? 'The rule' : 'The rules'} for “always”:`)
  const always =
    proposal.length > 0 ? `, [a]lways in this project by the ${isOne ? 'rule' : 'rules'}` : ''
  const typed = (await answer(`Allow it? [y]es, once${always}, [n]o, or say why not: `)).trim()
  if (/^y(es)?$/i.test(typed)) return { kind: 'allow-once' }
  if (/^a(lways)?$/i.test(typed) && proposal.length > 0)
    return { kind: 'allow-always', rules: proposal, scope: 'project' }
  return { kind: 'deny', message: /^n?o?$/i.test(typed) ? '' : typed }
}

/** Asks about what a repository configures for an agent that has not started yet. */
async function askConfiguration(
  context: CliContext,
  question: PendingPermission,
  who: string,
  answer: (text: string) => Promise<string>,
): Promise<PermissionDecision> {
  await context.say('')
  await showConfiguration(context, question, who, answer)
  const typed = (await answer('Allow it, now and until it changes? [y/N] ')).trim()
  return /^y(es)?$/i.test(typed) ? { kind: 'allow-once' } : { kind: 'deny', message: '' }
}

/** Shows what a repository configures for an agent. `answer` is null if nobody can answer: then all of it is printed at once. */
export async function showConfiguration(
  context: Pick<CliContext, 'err' | 'say' | 'warn'>,
  { tool, text, directory }: PendingPermission,
  who: string,
  answer: ((text: string) => Promise<string>) | null,
): Promise<void> {
  await createPager(context, answer).show(
    text,
    `${who}: this repository configures ${safeLine(tool)}, which runs the commands and code in it without a question, in ${safeLine(directory)}:`,
  )
}

/** Asks for the number of a choice, or for an answer in other words. An empty one lets the agent decide. */
async function askQuestion(
  context: CliContext,
  { text, choices = [], lastText }: PendingPermission,
  who: string,
  answer: (text: string) => Promise<string>,
): Promise<PermissionDecision> {
  await context.say('')
  if (lastText.trim() !== '') await context.say(context.err.style('dim', safeLine(lastText)))
  await createPager(context, answer).show(text, `${who} asks:`)
  for (const [index, choice] of choices.entries())
    await context.say(`  ${index + 1}  ${safeLine(choice)}`)
  const how = choices.length > 0 ? 'A number, or another answer' : 'Your answer'
  const typed = (await answer(`${how} (empty: the agent decides): `)).trim()
  const chosen = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined
  return typed === '' ? { kind: 'deny', message: '' } : { kind: 'answer', text: chosen ?? typed }
}
