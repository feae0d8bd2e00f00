/**
 * Answers the permission questions of installed agents, which execute their own tools: by the agent's definition, the
 * rules and the mode, else by the user.
 */
import { resolve } from 'node:path'
import type { PermissionAnswer } from '../../../shared/agents/agent-records.ts'
import type { AskedCall, PermissionQuestion } from '../../../shared/agents/driver/agent-session.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type {
  CheckedCall,
  PermissionRule,
  RunPermissions,
  Verdict,
} from '../../../shared/agents/permissions.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { refusalByDefinition } from '../by-definition.ts'
import type { Recorder } from '../recording/recorder.ts'
import { answerOfVerdict, answerWithOption } from './answers.ts'

/** Forwards the agent's permission question to the user, with the agent's own options. */
export type ForwardQuestion = (
  question: PermissionQuestion,
  cwd: string,
  signal: AbortSignal,
) => Promise<PermissionAnswer>

/** A question for the user, without what every question has. */
type Asked = Omit<Parameters<RunPermissions['ask']>[0], 'taskId' | 'callId'>

type AskVerdict = Extract<Verdict, { kind: 'ask' }>
type Folders = CheckedCall['folders']

/** By the definition, the rules or the mode. */
interface Decided {
  kind: 'decided'
  answer: PermissionAnswer
}

/** Only the user can decide. */
interface Open {
  kind: 'open'
  verdict: AskVerdict | null
}

interface Judged {
  /** The strictest on the calls; null if rules can't decide one of them. */
  verdict: Verdict | null
  /** Where the agent's shell may be before them. */
  from: Folders
  /** Where it may be after them. */
  after: Folders
}

type JudgedOpen = Open & Pick<Judged, 'from' | 'after'>

/** On a call that no rule can be compared with, although some rules or a repository narrow what is allowed. */
const mayBeForbidden: AskVerdict = {
  kind: 'ask',
  reasons: ['It may be what a rule forbids or asks about.'],
  proposal: [],
}

export function createForwardQuestion({
  task,
  permissions,
  secrets,
  recorder,
  lastText,
}: {
  task: Pick<Task, 'id' | 'agent' | 'spec'>
  permissions: RunPermissions
  secrets: Masker
  recorder: Pick<Recorder, 'permission'>
  /** Returns the agent's last text, without secrets. */
  lastText: () => string
}): ForwardQuestion {
  /** Where the agent's shell may be besides its directory, if it keeps the directory of a command for the next one. */
  let folders: Folders = []

  async function forwardQuestion(
    question: PermissionQuestion,
    cwd: string,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const { callId, options, configures } = question
    const recorded = { callId, options, question: secrets.text(question.question) }
    const decision =
      configures === undefined
        ? await judgeAndDecide(question, cwd)
        : ({ kind: 'configuration', agent: configures } as const)
    if (decision.kind === 'decided') {
      await recorder.permission(recorded, decision.answer)
      return decision.answer
    }
    await recorder.permission(recorded, null)
    const answer =
      decision.kind === 'open'
        ? await askUntilTold(question, cwd, decision, signal)
        : await ask(askAboutConfiguration(question, cwd, decision.agent), question, signal)
    await recorder.permission(recorded, answer)
    return answer
  }

  async function judgeAndDecide(
    question: PermissionQuestion,
    cwd: string,
  ): Promise<Decided | JudgedOpen> {
    const { verdict, from, after } = await judge(question.actions ?? [], cwd)
    // Another command was allowed meanwhile. From here on to the change of `folders` none can be.
    if (folders !== from) return judgeAndDecide(question, cwd)
    const decision = decide(question, verdict)
    if (decision.kind === 'open') return { ...decision, from, after }
    if (decision.answer.allowed) folders = together(folders, after)
    return decision
  }

  /** Asks again if a command that was allowed meanwhile may have it run elsewhere than the user was told. */
  async function askUntilTold(
    question: PermissionQuestion,
    cwd: string,
    { verdict, from, after }: JudgedOpen,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const asked = await askAboutCalls(question, cwd, verdict)
    const answer = await ask(asked, question, signal)
    if (!answer.allowed) return answer
    if (folders === from) {
      folders = together(folders, after)
      return answer
    }
    const now = await judgeAndDecide(question, cwd)
    if (now.kind === 'decided') return now.answer.allowed ? answer : now.answer
    const reasons = now.verdict?.reasons ?? []
    if (reasons.some((one) => !asked.reasons.includes(one)))
      return askUntilTold(question, cwd, now, signal)
    folders = together(folders, now.after)
    return answer
  }

  async function ask(
    asked: Asked,
    { callId, options }: PermissionQuestion,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const outcome = await permissions.ask({ ...asked, taskId: task.id, callId }, signal)
    return answerWithOption(outcome, options)
  }

  /** A call that names its directory does not depend on earlier ones. */
  const check = (call: AskedCall, cwd: string, tried?: readonly PermissionRule[]) =>
    permissions.check({
      ...call,
      cwd: resolve(cwd, call.cwd ?? '.'),
      folders: call.cwd === undefined ? folders : [],
      ...(tried && { tried }),
    })

  function decide(
    { options, actions = [] }: PermissionQuestion,
    verdict: Verdict | null,
  ): Decided | Open {
    const { mode } = permissions
    const forbidden = actions.find(({ name }) => refusalByDefinition(task, name) !== null)
    if (forbidden) {
      const rule = `the definition of ${task.agent} has no ${forbidden.name}`
      return { kind: 'decided', answer: answerOfVerdict({ kind: 'deny', rule }, options) }
    }
    const allowedByMode = {
      kind: 'decided',
      answer: answerOfVerdict({ kind: 'allow', by: 'mode' }, options),
    } as const
    if (mode === null) return allowedByMode
    if (verdict === null) {
      if (mode !== 'allow-all') return { kind: 'open', verdict: null }
      return permissions.isNarrowed() ? { kind: 'open', verdict: mayBeForbidden } : allowedByMode
    }
    if (verdict.kind === 'ask') return { kind: 'open', verdict }
    return { kind: 'decided', answer: answerOfVerdict(verdict, options) }
  }

  async function askAboutCalls(
    { question, actions = [] }: PermissionQuestion,
    cwd: string,
    verdict: AskVerdict | null,
  ): Promise<Asked> {
    const [only] = actions.length === 1 ? actions : []
    const shown = only && (await check({ ...only, input: secrets.asked(only.input) }, cwd))
    return {
      kind: 'other',
      tool: 'agent',
      text: secrets.asked(question),
      directory: cwd,
      ...(shown?.action ?? {}),
      lastText: lastText(),
      reasons: verdict?.reasons ?? [],
      proposal: verdict?.proposal ?? [],
      recheck: verdict && (async (tried) => (await judge(actions, cwd, tried)).verdict ?? verdict),
    }
  }

  const askAboutConfiguration = (
    { question }: PermissionQuestion,
    cwd: string,
    agent: string,
  ): Asked => ({
    kind: 'configuration',
    tool: agent,
    text: secrets.asked(question),
    directory: cwd,
    lastText: '',
    reasons: [],
    proposal: [],
    recheck: null,
  })

  async function judge(
    calls: readonly AskedCall[],
    cwd: string,
    tried?: readonly PermissionRule[],
  ): Promise<Judged> {
    const verdicts: Verdict[] = []
    const from = folders
    let after = from
    for (const call of calls) {
      const checked = await check(call, cwd, tried)
      // If no rule can decide one call, the user decides all of them.
      if (checked === null) return { verdict: null, from, after: from }
      verdicts.push(checked.verdict)
      if (call.cwd === undefined) after = checked.folders
    }
    return { verdict: strictestOf(verdicts), from, after }
  }

  return forwardQuestion
}

/** Returns `one` itself if the other has no further folders. */
function together(one: Folders, other: Folders): Folders {
  const all = one && other && [...new Set([...one, ...other])]
  return all?.length === one?.length ? one : all
}

/** Returns the strictest verdict; null if there is none. */
function strictestOf(verdicts: readonly Verdict[]): Verdict | null {
  const denied = verdicts.find(({ kind }) => kind === 'deny')
  const asks = verdicts.filter((one) => one.kind === 'ask')
  if (denied || asks.length === 0) return denied ?? verdicts[0] ?? null
  return {
    kind: 'ask',
    reasons: [...new Set(asks.flatMap(({ reasons }) => reasons))],
    // A rule for one part of it would not have allowed the rest.
    proposal: asks.every(({ proposal }) => proposal.length > 0)
      ? [...new Set(asks.flatMap(({ proposal }) => proposal))]
      : [],
  }
}
