/** Builds the prompts of a run, and the messages sent to its agent while it runs. */

import type { ImageRef } from '../../shared/agents/agent-records.ts'
import type { PromptPart } from '../../shared/agents/driver/prompt-parts.ts'
import type { MessageEntry } from '../../shared/records/entry-types/messages.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { Session } from '../sessions/session.ts'

export interface Prompt {
  text: string
  /** In the session's `blobs/`. */
  images: readonly ImageRef[]
}

/** With an empty prompt, the agent continues with the earlier prompts. */
export const isEmptyPrompt = ({ text, images }: Prompt): boolean =>
  text === '' && images.length === 0

/**
 * Returns the prompt of a run. If the agent stopped before its first prompt was recorded, the task's prompt
 * precedes the new one. `wasAsked` is true if the transcript contains a prompt.
 */
export function promptFor(
  task: Pick<Task, 'prompt' | 'images'>,
  prompt: Prompt,
  wasAsked: boolean,
): Prompt {
  if (wasAsked) return prompt
  const { images: first = [] } = task
  const isRepeated = prompt.text.startsWith(task.prompt)
  return {
    text: isRepeated
      ? prompt.text
      : [task.prompt, prompt.text].filter((text) => text !== '').join('\n\n'),
    images: [
      ...first,
      ...prompt.images.filter(({ sha256 }) => first.every((one) => one.sha256 !== sha256)),
    ],
  }
}

/** Images come first, because models answer better if the question follows its subject. */
export function promptParts({ text, images }: Prompt): MessageEntry['parts'] {
  return [
    ...images.map((image) => ({ type: 'image' as const, ...image })),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ]
}

/**
 * Returns the prompt as passed to an agent, with the images. A note replaces an image that can't be
 * read.
 */
export function givenPrompt(
  { text, images }: Prompt,
  session: Pick<Session, 'readBlob'>,
): Promise<PromptPart[]> {
  const shown = images.map(async ({ mediaType, sha256 }): Promise<PromptPart> => {
    const data = await session.readBlob(sha256)
    if (!data) return { type: 'text', text: '[an image that can no longer be read]' }
    return { type: 'image', mediaType, sha256, data }
  })
  const said: PromptPart[] = text === '' ? [] : [{ type: 'text', text }]
  return Promise.all([...shown, ...said])
}
