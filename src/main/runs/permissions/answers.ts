/** The recorded answers to permission questions. */
import type { PermissionAnswer, PermissionOption } from '../../../shared/agents/agent-records.ts'
import type { PermissionOutcome, Verdict } from '../../../shared/agents/permissions.ts'

export function answerOf(outcome: PermissionOutcome): PermissionAnswer {
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

/** Returns the answer of the rules or the mode, with the agent's option for it. */
export function answerOfVerdict(
  verdict: Extract<Verdict, { kind: 'allow' | 'deny' }>,
  options: readonly PermissionOption[],
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
export function answerWithOption(
  outcome: PermissionOutcome,
  options: readonly PermissionOption[],
): PermissionAnswer {
  const answer = answerOf(outcome)
  if (answer.by !== 'person' && answer.by !== 'rule') return answer
  return { ...answer, optionId: onceOption(options, answer.allowed) }
}

/** Returns the agent's option that allows or refuses this one time; null if it has none. */
function onceOption(options: readonly PermissionOption[], allowed: boolean): string | null {
  const kind = allowed ? 'allow-once' : 'reject-once'
  return options.find((option) => option.kind === kind)?.id ?? null
}
