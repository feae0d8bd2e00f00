import type { Tool } from './tool.ts'

/** Waits for the user's answer. The call has no side effects, so after a crash it is repeated. */
export const askPerson: Tool<'ask_person'> = async ({ question, choices = [] }, context) => {
  const answer = await context.askPerson({ question, choices })
  switch (answer.kind) {
    case 'answered':
      return {
        outcome: 'ok',
        output: `The user answers: ${answer.text}`,
        detail: { kind: 'answer', text: answer.text },
      }
    case 'declined':
      return {
        outcome: 'ok',
        output: `The user does not answer this${answer.message === '' ? '' : `, and says: ${answer.message}`}. Decide it yourself as you see fit, and say in your report what you chose.`,
        detail: { kind: 'answer', text: null },
      }
    case 'nobody':
      return {
        outcome: 'error',
        output:
          'Nobody can be asked here. Decide it yourself as you see fit, and say in your report what you chose.',
      }
  }
}
