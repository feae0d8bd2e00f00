import type { PermissionAnswer } from '../agents/agent-records.ts'

/** `allowed by you`; with `whole`, also the rule or the message. */
export function answerText(
  { allowed, by, rule, message }: PermissionAnswer,
  { whole = false } = {},
): string {
  const said = message ? ` (“${message}”)` : rule ? ` (${rule.replaceAll('\n', ', ')})` : ''
  return `${allowed ? 'allowed' : 'not allowed'} ${answeredBy[by]}${whole ? said : ''}`
}

/** Returns a sentence with the answer and the beginning of the question. */
export function permissionText(question: string, answer: PermissionAnswer): string {
  const [line = '', ...more] = question.split('\n')
  const shown =
    line.length > questionCharsMax || more.length > 0 ? `${line.slice(0, questionCharsMax)}…` : line
  const said = answerText(answer, { whole: true })
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}: ${shown}`
}

/** About two rows of a conversation. */
const questionCharsMax = 160

const answeredBy = {
  person: 'by you',
  rule: 'by a rule',
  mode: 'by the mode of this run',
  nobody: 'because no user was available',
  'end-of-run': 'because the run ended',
}
