/** `shiplog tasks resume`: resumes interrupted tasks after showing the changes since. */

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
  nothingBegun,
  othersInterrupted,
  othersLines,
  refusalOf,
  rootOf,
  tellDrift,
} from '../../resume/conflicts.ts'
import { documentOf, printEnds } from '../../resume/outcome.ts'
import { acceptedBy, resumeAndFollow } from '../../resume/resume-and-follow.ts'
import { askedFor, commandFor, type Plan, planFor } from '../../resume/resume-selector.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { commandLines } from '../../terminal/wording.ts'
import { type CliSession, runsAgents, withShiplog } from '../../with-shiplog.ts'
import { modeOf, type PermissionsFlag } from '../agents/permissions-flag.ts'
import { resultOf, silent, tellResult, tellWhatIsLeft } from '../agents/report-run.ts'

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
  const asked = askedFor(id, options)
  const { dryRun = false, project } = options
  return async (context) => {
    const projectDir =
      project === undefined ? undefined : await projectPath(project, context.host.cwd)
    return withShiplog(context, dryRun ? { host: 'cli' } : runsAgents, async (session) => {
      const plan = await planFor(session.client, { ...asked, projectDir })
      const state = await ledgerSnapshot(session.client)
      return dryRun
        ? lookOnly(context, plan, state, options)
        : resumeAfterPreview(context, session, plan, state, options)
    })
  }
}

/** The report is the requested result, so it goes to standard output. Ends as the resume itself would. */
async function lookOnly(
  context: CliContext,
  plan: Plan,
  state: LedgerState,
  { force = false }: ResumeOptions,
): Promise<number> {
  const { json, out, say, host } = context
  if (json) await context.printJson(documentOf(plan, state, { dryRun: true }))
  else await tellDrift(out, plan, state, host.now())
  const refusal = refusalOf(plan, force, commandFor(plan))
  if (refusal) throw refusal
  if (json) return exitCodes.done
  await say('Nothing was changed.')
  const command = `${commandFor(plan)}${force ? ' --force' : ''}`
  for (const line of commandLines([[command, 'resumes it']])) await say(line)
  await sayOthers(context, plan, state)
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
  if (!json) await tellDrift(err, plan, state, host.now())
  const refusal = refusalOf(plan, force, commandFor(plan))
  if (refusal) {
    if (json) await context.printJson(documentOf(plan, state, { dryRun: false }))
    throw refusal
  }
  const { client } = session
  const went = await resumeAndFollow(session, watcherFor(context, plan), {
    rootIds: new Set(candidates.map(({ taskId }) => rootOf(state, taskId))),
    begin: () =>
      client.tasks.resume({ selector, force, agentsAtOnce: maxAgents, permissions: modeOf(flag) }),
    agentsOf: acceptedBy,
  })
  const { refused } = went.begun
  if (went.ends === null) {
    if (json) await context.printJson(documentOf(plan, state, { dryRun: false, refused }))
    throw nothingBegun(went.begun, commandFor(plan))
  }
  const { followed } = went
  const ends = candidates.flatMap(
    ({ taskId }) => went.ends.find((end) => end.taskId === taskId) ?? [],
  )
  if (json) {
    const came = { dryRun: false, ends, refused }
    await context.printJson(documentOf(plan, followed.state, came))
  } else await tellEnds(context, session, ends, followed)
  await tellRefused(context, followed.state, refused)
  if (!json) await sayOthers(context, plan, followed.state)
  const all = refused.length === 0 && ends.every(({ status }) => status === 'completed')
  return all ? exitCodes.done : exitCodes.failed
}

/** The full output of one agent is shown; of several only the status. */
function watcherFor({ json, progress, host }: CliContext, { candidates }: Plan): RunWatcher {
  if (json) return silent
  return candidates.length === 1
    ? createRunProgress(progress, host.now)
    : createStateLines(progress, host.now)
}

async function tellEnds(
  context: CliContext,
  session: CliSession,
  ends: ResumeEnd[],
  followed: Followed,
): Promise<void> {
  const [only, ...others] = ends
  if (!only || others.length > 0) return printEnds(context, ends, followed.state)
  const ended = endOf(followed, only.taskId)
  await tellResult(context, session, ended.task, await resultOf(session, ended.task))
  // It never began, so there was no progress.
  if (only.status === 'interrupted' && only.cause !== null)
    await context.say(safeLine(formatCause(only.cause)))
  await tellWhatIsLeft(context, ended)
}

async function tellRefused(
  context: CliContext,
  { tasks }: LedgerState,
  refused: ResumeOutcome['refused'],
): Promise<void> {
  for (const { taskId, message } of refused) {
    const title = tasks.get(taskId)?.title ?? 'An agent'
    await context.warn(`${title} (${shortId(taskId)}) was not resumed: ${message}`)
  }
}

async function sayOthers(
  { say }: CliContext,
  { candidates }: Plan,
  state: LedgerState,
): Promise<void> {
  const meant = candidates.map(({ taskId }) => taskId)
  for (const line of othersLines(othersInterrupted(state, meant))) await say(line)
}
