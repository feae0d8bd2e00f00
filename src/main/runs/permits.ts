/**
 * Decides whether a call of one run may be executed. The question and its answer are recorded
 * before anything runs (P4).
 */

import type { PermissionAnswer, PermissionOption } from '../../shared/agents/agent-records.ts'
import type { AgentEvent } from '../../shared/agents/driver/agent-events.ts'
import type { AskedCall, PermissionQuestion } from '../../shared/agents/driver/agent-session.ts'
import type { Masker } from '../../shared/agents/driver/masker.ts'
import type { PersonAnswer } from '../../shared/agents/driver/tool-context.ts'
import type {
  PermissionOutcome,
  PermissionRule,
  RunPermissions,
  Verdict,
} from '../../shared/agents/permissions.ts'
import type { ToolCallId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { refusalByDefinition } from './by-definition.ts'
import type { Recorder } from './recording/recorder.ts'

interface PermittedCall {
  callId: ToolCallId
  name: string
  input: unknown
  /** Its input without secrets, as recorded. */
  shown: unknown
  /** The directory of its shell. Absolute. */
  cwd: string
}

interface Permit {
  /** Null if the call may run, else the text returned to the agent. */
  refusal: string | null
  /** Milliseconds until the user answered; 0 if nobody was asked. */
  waitedMs: number
}

interface Permits {
  /** Resolves with a refusal if nobody answers. */
  permit(call: PermittedCall, signal: AbortSignal): Promise<Permit>
  /** Forwards the agent's permission question to the user, with the agent's own options. */
  forwardQuestion(
    question: PermissionQuestion,
    cwd: string,
    signal: AbortSignal,
  ): Promise<PermissionAnswer>
  /**
   * Forwards a question of the agent to the user (`ask_person`). The call and its result record it.
   * Rejects when the run ends.
   */
  askPerson(
    asked: { callId: ToolCallId; question: string; choices: readonly string[]; cwd: string },
    signal: AbortSignal,
  ): Promise<{ answer: PersonAnswer; waitedMs: number }>
  /** Keeps the agent's last text, which is shown with a question. */
  observe(event: AgentEvent): void
}

const unrestricted: Permit = { refusal: null, waitedMs: 0 }

/** Enough for the few sentences before a question; the conversation has the rest. */
const lastWordsCharsMax = 1_500

export function createPermits(
  {
    task,
    permissions,
    secrets,
    clock,
  }: {
    task: Pick<Task, 'id' | 'agent' | 'spec'>
    permissions: RunPermissions
    secrets: Masker
    clock: () => number
  },
  recorder: Pick<Recorder, 'permission'>,
): Permits {
  let words = ''
  let isNewTurn = true

  function observe(event: AgentEvent): void {
    if (event.type === 'turn-started') isNewTurn = true
    if (event.type !== 'part-delta' || event.kind !== 'text') return
    words = ((isNewTurn ? '' : words) + event.text).slice(-lastWordsCharsMax)
    isNewTurn = false
  }

  async function permit(call: PermittedCall, signal: AbortSignal): Promise<Permit> {
    const { callId, name, input, shown, cwd } = call
    const checked = await permissions.check({ name, input, cwd })
    if (checked === null) return unrestricted
    const { verdict } = checked
    if (verdict.kind === 'allow' && verdict.by === 'mode') return unrestricted
    // The decision uses the actual input, and the record has no secrets. The question hides nothing
    // that a file of the project or the agent can have named as a secret.
    const actionFor = async (input: unknown) =>
      (await permissions.check({ name, input, cwd }))?.action ?? checked.action
    const asked = { callId, question: (await actionFor(shown)).text, options: [] }
    if (verdict.kind === 'allow' || verdict.kind === 'deny') {
      const allowed = verdict.kind === 'allow'
      await recorder.permission(asked, {
        optionId: null,
        allowed,
        by: 'rule',
        rule: verdict.rule,
      })
      return { refusal: allowed ? null : forbiddenBy(verdict.rule), waitedMs: 0 }
    }
    await recorder.permission(asked, null)
    const askedMs = clock()
    const outcome = await permissions.ask(
      {
        ...(await actionFor(secrets.asked(input))),
        taskId: task.id,
        callId,
        lastText: secrets.text(words),
        reasons: verdict.reasons,
        proposal: verdict.proposal,
        recheck: async (tried): Promise<Verdict> =>
          (await permissions.check({ name, input, cwd, tried }))?.verdict ?? verdict,
      },
      signal,
    )
    await recorder.permission(asked, answerOf(outcome))
    return { refusal: refusalOf(outcome), waitedMs: clock() - askedMs }
  }

  async function forwardQuestion(
    question: PermissionQuestion,
    cwd: string,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const { callId, options, actions = [] } = question
    const recorded = { callId, options, question: secrets.text(question.question) }
    const text = secrets.asked(question.question)
    if (question.configures !== undefined) {
      await recorder.permission(recorded, null)
      const outcome = await permissions.ask(
        {
          kind: 'configuration',
          tool: question.configures,
          text,
          directory: cwd,
          taskId: task.id,
          callId,
          lastText: '',
          reasons: [],
          proposal: [],
          recheck: null,
        },
        signal,
      )
      const answer = answerOf(outcome)
      await recorder.permission(recorded, answer)
      return answer
    }
    // An installed agent executes its own tools, so the definition's limits are applied to its permission questions.
    const notItsTool = actions.find(({ name }) => refusalByDefinition(task, name) !== null)
    if (notItsTool) {
      const rule = `the definition of ${task.agent} has no ${notItsTool.name}`
      const refused: PermissionAnswer = {
        optionId: onceOption(options, false),
        allowed: false,
        by: 'rule',
        rule,
      }
      await recorder.permission(recorded, refused)
      return refused
    }
    const known = permissions.mode === null ? null : await verdictOn(actions, cwd)
    if (known?.kind === 'allow' || known?.kind === 'deny') {
      const answer = answerByVerdict(known, options)
      await recorder.permission(recorded, answer)
      return answer
    }
    if (permissions.mode === null || (permissions.mode === 'allow-all' && known === null)) {
      const answer = withOption({ kind: 'allowed', by: 'person' }, options)
      const byMode: PermissionAnswer = { ...answer, by: 'mode' }
      await recorder.permission(recorded, byMode)
      return byMode
    }
    await recorder.permission(recorded, null)
    const [only] = actions.length === 1 ? actions : []
    const shown =
      only && (await permissions.check({ cwd, ...only, input: secrets.asked(only.input) }))
    const outcome = await permissions.ask(
      {
        kind: 'other',
        tool: 'agent',
        text,
        directory: cwd,
        ...(shown?.action ?? {}),
        taskId: task.id,
        callId,
        lastText: secrets.text(words),
        reasons: known?.reasons ?? [],
        proposal: known?.proposal ?? [],
        recheck:
          known === null ? null : async (tried) => (await verdictOn(actions, cwd, tried)) ?? known,
      },
      signal,
    )
    const answer = withOption(outcome, options)
    await recorder.permission(recorded, answer)
    return answer
  }

  /** Returns the strictest verdict on the calls; null if rules can't decide one of them. */
  async function verdictOn(
    calls: readonly AskedCall[],
    cwd: string,
    tried?: readonly PermissionRule[],
  ): Promise<Verdict | null> {
    const verdicts: Verdict[] = []
    for (const call of calls) {
      const checked = await permissions.check({ cwd, ...call, ...(tried && { tried }) })
      // If no rule can decide one call, the user decides all of them.
      if (checked === null) return null
      verdicts.push(checked.verdict)
    }
    const asks = verdicts.filter((one) => one.kind === 'ask')
    if (verdicts.some(({ kind }) => kind === 'deny') || asks.length === 0)
      return verdicts.find(({ kind }) => kind === 'deny') ?? verdicts[0] ?? null
    return {
      kind: 'ask',
      reasons: [...new Set(asks.flatMap(({ reasons }) => reasons))],
      // A rule for one part of it would not have allowed the rest.
      proposal: asks.every(({ proposal }) => proposal.length > 0)
        ? [...new Set(asks.flatMap(({ proposal }) => proposal))]
        : [],
    }
  }

  const askPerson: Permits['askPerson'] = async ({ callId, question, choices, cwd }, signal) => {
    const askedMs = clock()
    const outcome = await permissions.ask(
      {
        kind: 'question',
        tool: 'ask_person',
        text: question,
        choices: [...choices],
        directory: cwd,
        taskId: task.id,
        callId,
        lastText: secrets.text(words),
        reasons: [],
        proposal: [],
        recheck: null,
      },
      signal,
    )
    const waitedMs = clock() - askedMs
    switch (outcome.kind) {
      case 'answered':
        return { answer: { kind: 'answered', text: secrets.text(outcome.text) }, waitedMs }
      case 'denied':
        return { answer: { kind: 'declined', message: outcome.message }, waitedMs }
      case 'ended':
        signal.throwIfAborted()
        throw new Error('The run ended before there was an answer.')
      default:
        return { answer: { kind: 'nobody' }, waitedMs }
    }
  }

  return { permit, forwardQuestion, askPerson, observe }
}

const forbiddenBy = (rule: string): string =>
  `Not run: the rule "${rule}" forbids it. Do not try it in another way; continue without it, or say what you need.`

function answerOf(outcome: PermissionOutcome): PermissionAnswer {
  switch (outcome.kind) {
    case 'allowed':
      return outcome.by === 'rule'
        ? { optionId: null, allowed: true, by: 'rule', rule: outcome.rule }
        : {
            optionId: null,
            allowed: true,
            by: 'person',
            ...(outcome.rules === undefined ? {} : { rule: outcome.rules }),
          }
    case 'denied':
      return {
        optionId: null,
        allowed: false,
        by: 'person',
        ...(outcome.message === '' ? {} : { message: outcome.message }),
      }
    // An answer to a question does not permit anything.
    case 'answered':
    case 'nobody':
      return { optionId: null, allowed: false, by: 'nobody' }
    case 'ended':
      return { optionId: null, allowed: false, by: 'end-of-run' }
  }
}

function answerByVerdict(
  verdict: Extract<Verdict, { kind: 'allow' | 'deny' }>,
  options: PermissionOption[],
): PermissionAnswer {
  const allowed = verdict.kind === 'allow'
  const optionId = onceOption(options, allowed)
  if (verdict.kind === 'allow' && verdict.by === 'mode') return { optionId, allowed, by: 'mode' }
  return { optionId, allowed, by: 'rule', rule: verdict.rule }
}

/**
 * Returns the answer with the agent's option for it. Only Shiplog's rules allow anything
 * permanently.
 */
function withOption(outcome: PermissionOutcome, options: PermissionOption[]): PermissionAnswer {
  const answer = answerOf(outcome)
  if (answer.by !== 'person' && answer.by !== 'rule') return answer
  return { ...answer, optionId: onceOption(options, answer.allowed) }
}

const onceOption = (options: PermissionOption[], allowed: boolean): string | null =>
  options.find(({ kind }) => kind === (allowed ? 'allow-once' : 'reject-once'))?.id ?? null

function refusalOf(outcome: PermissionOutcome): string | null {
  switch (outcome.kind) {
    case 'allowed':
      return null
    case 'denied':
      return outcome.message === ''
        ? 'Not run: the person refused it. Do not try it in another way; continue without it, or say what you need.'
        : `Not run: the person refused it and says: ${outcome.message}`
    case 'answered':
    case 'nobody':
      return 'Not run: it needs a permission, and nobody can be asked here. Continue without it, and name it in your report.'
    case 'ended':
      return 'Not run: the run ended before this was allowed.'
  }
}
