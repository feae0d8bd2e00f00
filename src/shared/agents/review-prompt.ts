import type { ReviewComment } from '../records/review-comments.ts'

/**
 * Returns the prompt that sends comments, each with its path and line, so that the agent finds it after other changes.
 * `about`: the title of the sub-agent that made the changes, if another agent gets the prompt.
 */
export function reviewPrompt(
  comments: readonly Pick<ReviewComment, 'path' | 'line' | 'side' | 'lineText' | 'text'>[],
  about?: string,
): string {
  const items = comments.map(({ path, line, side, lineText, text }, index) => {
    const place = line === 0 ? path : `${path}:${line}${side === 'deletions' ? ' (removed)' : ''}`
    const quoted = line === 0 ? '' : `\n   > ${lineText.trim()}`
    return `${index + 1}. ${place}${quoted}\n   ${text.trim().replaceAll('\n', '\n   ')}`
  })
  const whose = about === undefined ? 'your changes' : `the changes of the sub-agent "${about}"`
  return `I reviewed ${whose}. Please address ${comments.length === 1 ? 'this comment' : 'these comments'}, and say for each what you did:\n\n${items.join('\n\n')}`
}
