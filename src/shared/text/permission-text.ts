import type { PermissionAnswer } from '../agents/agent-records.ts'

/** What was answered, one sentence, with the beginning of the question: the call itself has all of it. */
export function permissionText(
  question: string,
  { allowed, by, rule, message }: PermissionAnswer,
): string {
  const said = message ? ` (“${message}”)` : rule ? ` (${rule.replaceAll('\n', ', ')})` : ''
  const [line = '', ...more] = question.split('\n')
  const shown =
    line.length > questionCharsMax || more.length > 0 ? `${line.slice(0, questionCharsMax)}…` : line
  return `${allowed ? 'Allowed' : 'Not allowed'} ${answeredBy[by]}${said}: ${shown}`
}

/** About two rows of a conversation. */
const questionCharsMax = 160

const answeredBy = {
  person: 'by you',
  rule: 'by a rule',
  mode: 'by the mode of this run',
  nobody: 'because nobody could be asked',
  'end-of-run': 'because the run ended',
}
