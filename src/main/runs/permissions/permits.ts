/**
 * Decides whether a call of one run may be executed. The question and its answer are recorded
 * before anything runs (P4).
 */

import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type { PersonAnswer } from '../../../shared/agents/driver/tool-context.ts'
import type {
  PermissionOutcome,
  RunPermissions,
  Verdict,
} from '../../../shared/agents/permissions.ts'
import type { ToolCallId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Recorder } from '../recording/recorder.ts'
import { answerOf } from './answers.ts'
import { createForwardQuestion, type ForwardQuestion } from './forwarded-questions.ts'

interface PermittedCall {
  callId: ToolCallId
  name: string
  input: unknown
  /** Its input without secrets, as recorded. */
  shown: unknown
  /** The directory of its shell. Absolute. */
  cwd: string
  /** The PATH of its shell, if a command changed it. */
  programPath?: string | undefined
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
  forwardQuestion: ForwardQuestion
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
    const { callId, name, input, shown, ...shell } = call
    const checked = await permissions.check({ name, input, ...shell })
    if (checked === null) return unrestricted
    const { verdict } = checked
    if (verdict.kind === 'allow' && verdict.by === 'mode') return unrestricted
    // The decision uses the actual input, and the record has no secrets. The question hides nothing
    // that a file of the project or the agent can have named as a secret.
    const actionFor = async (visibleInput: unknown) =>
      (await permissions.check({ name, input: visibleInput, ...shell }))?.action ?? checked.action
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
          (await permissions.check({ name, input, ...shell, tried }))?.verdict ?? verdict,
      },
      signal,
    )
    await recorder.permission(asked, answerOf(outcome))
    return { refusal: refusalOf(outcome), waitedMs: clock() - askedMs }
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
        // A question says itself what it is about: the text of an earlier turn would not belong to it.
        lastText: isNewTurn ? '' : secrets.text(words),
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

  const forwardQuestion = createForwardQuestion({
    task,
    permissions,
    secrets,
    recorder,
    lastText: () => secrets.text(words),
  })

  return { permit, forwardQuestion, askPerson, observe }
}

const forbiddenBy = (rule: string): string =>
  `Not run: the rule "${rule}" forbids it. Do not try it in another way; continue without it, or say what you need.`

function refusalOf(outcome: PermissionOutcome): string | null {
  switch (outcome.kind) {
    case 'allowed':
      return null
    case 'denied':
      return outcome.message === ''
        ? 'Not run: the user refused it. Do not try it in another way; continue without it, or say what you need.'
        : `Not run: the user refused it and says: ${outcome.message}`
    case 'answered':
    case 'nobody':
      return 'Not run: it needs a permission, and nobody can be asked here. Continue without it, and name it in your report.'
    case 'ended':
      return 'Not run: the run ended before this was allowed.'
  }
}
