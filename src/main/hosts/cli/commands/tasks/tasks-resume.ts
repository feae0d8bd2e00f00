/** `shiplog tasks resume`: resumes interrupted tasks after printing what changed since. */

import type { LedgerState } from '../../../../../shared/projections/ledger/ledger-state.ts'
import { formatCause } from '../../../../../shared/records/causes.ts'
import { shortId } from '../../../../../shared/records/ids.ts'
import type { ResumeEnd, ResumeOutcome } from '../../../../../shared/records/resume.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { endOf } from '../../follow/follow-run.ts'
import { type Followed, ledgerSnapshot, type RunWatcher } from '../../follow/follow-trees.ts'
import { createRunProgress } from '../../follow/run-progress.ts'
import { createStateLines } from '../../follow/state-lines.ts'
import { projectPath } from '../../paths.ts'
import {
  nothingResumed,
  othersInterrupted,
  othersLines,
  printDrift,
  refusalOf,
  rootOf,
} from '../../resume/conflicts.ts'
import { documentOf, printEnds } from '../../resume/outcome.ts'
import { acceptedBy, resumeAndFollow } from '../../resume/resume-and-follow.ts'
import { commandFor, type Plan, planFor, requestOf } from '../../resume/resume-selector.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { commandLines } from '../../terminal/wording.ts'
import { type CliSession, runsAgents, withShiplog } from '../../with-shiplog.ts'
import { modeOf, type PermissionsFlag } from '../agents/permissions-flag.ts'
import { printResult, resultOf, silent, warnOfLeftovers } from '../agents/report-run.ts'

interface ResumeOptions extends ParsedOptions {
  batch?: string | true
  tree?: true
  force?: boolean
  dryRun?: boolean
  maxAgents?: number
  permissions?: PermissionsFlag
  project?: string
}

export function resume(id: string | undefined, given: ParsedOptions): Action {
  const options = given as ResumeOptions
  const selection = requestOf(id, options)
  const { dryRun = false, project } = options
  return async (context) => {
    const projectDir =
      project === undefined ? undefined : await projectPath(project, context.host.cwd)
    return withShiplog(context, dryRun ? { host: 'cli' } : runsAgents, async (session) => {
      const plan = await planFor(session.client, { ...selection, projectDir })
      const state = await ledgerSnapshot(session.client)
      return dryRun
        ? preview(context, plan, state, options)
        : resumeAfterPreview(context, session, plan, state, options)
    })
  }
}

/** Prints the drift on standard output, because it is the result of the command. Fails as the resume itself would. */
async function preview(
  context: CliContext,
  plan: Plan,
  state: LedgerState,
  { force = false }: ResumeOptions,
): Promise<number> {
  const { json, out, say, host } = context
  if (json) await context.printJson(documentOf(plan, state, { dryRun: true }))
  else await printDrift(out, plan, state, host.now())
  const refusal = refusalOf(plan, force, commandFor(plan))
  if (refusal) throw refusal
  if (json) return exitCodes.done
  await say('Nothing was changed.')
  const command = `${commandFor(plan)}${force ? ' --force' : ''}`
  for (const line of commandLines([[command, 'resumes it']])) await say(line)
  await printOthers(context, plan, state)
  return exitCodes.done
}

async function resumeAfterPreview(
  context: CliContext,
  session: CliSession,
  plan: Plan,
  state: LedgerState,
  { force = false, maxAgents, permissions: flag }: ResumeOptions,
): Promise<number> {
  const { json, err, host } = context
  const { candidates, selector } = plan
  if (!json) await printDrift(err, plan, state, host.now())
  const refusal = refusalOf(plan, force, commandFor(plan))
  if (refusal) {
    if (json) await context.printJson(documentOf(plan, state, { dryRun: false }))
    throw refusal
  }
  const { client } = session
  const outcome = await resumeAndFollow(session, watcherFor(context, plan), {
    rootIds: new Set(candidates.map(({ taskId }) => rootOf(state, taskId))),
    begin: () =>
      client.tasks.resume({ selector, force, agentsAtOnce: maxAgents, permissions: modeOf(flag) }),
    agentsOf: acceptedBy,
  })
  const { refused } = outcome.answer
  if (outcome.ends === null) {
    if (json) await context.printJson(documentOf(plan, state, { dryRun: false, refused }))
    throw nothingResumed(outcome.answer, commandFor(plan))
  }
  const { followed } = outcome
  const ends = candidates.flatMap(
    ({ taskId }) => outcome.ends.find((end) => end.taskId === taskId) ?? [],
  )
  if (json) {
    const result = { dryRun: false, ends, refused }
    await context.printJson(documentOf(plan, followed.state, result))
  } else await printEnd(context, session, ends, followed)
  await warnOfRefused(context, followed.state, refused)
  if (!json) await printOthers(context, plan, followed.state)
  const all = refused.length === 0 && ends.every(({ status }) => status === 'completed')
  return all ? exitCodes.done : exitCodes.failed
}

/** Prints the whole output of one agent, or only the status of several. */
function watcherFor({ json, progress, host }: CliContext, { candidates }: Plan): RunWatcher {
  if (json) return silent
  return candidates.length === 1
    ? createRunProgress(progress, host.now)
    : createStateLines(progress, host.now)
}

async function printEnd(
  context: CliContext,
  session: CliSession,
  ends: ResumeEnd[],
  followed: Followed,
): Promise<void> {
  const [only, ...others] = ends
  if (!only || others.length > 0) return printEnds(context, ends, followed.state)
  const ended = endOf(followed, only.taskId)
  await printResult(context, session, ended.task, await resultOf(session, ended.task))
  // An agent that did not start has no progress that would have shown the cause.
  if (only.status === 'interrupted' && only.cause !== null)
    await context.say(safeLine(formatCause(only.cause)))
  await warnOfLeftovers(context, ended)
}

async function warnOfRefused(
  context: CliContext,
  { tasks }: LedgerState,
  refused: ResumeOutcome['refused'],
): Promise<void> {
  for (const { taskId, message } of refused) {
    const title = tasks.get(taskId)?.title ?? 'An agent'
    await context.warn(`${title} (${shortId(taskId)}) was not resumed: ${message}`)
  }
}

async function printOthers(
  { say }: CliContext,
  { candidates }: Plan,
  state: LedgerState,
): Promise<void> {
  const taskIds = candidates.map(({ taskId }) => taskId)
  for (const line of othersLines(othersInterrupted(state, taskIds))) await say(line)
}
