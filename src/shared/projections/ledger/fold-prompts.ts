/** Folds the prompts that wait for a task's agent. */
import type { ImageRef } from '../../agents/agent-records.ts'
import type { PromptId } from '../../records/ids.ts'
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { Task } from '../../records/tasks/tasks.ts'

export const addWaitingPrompt = (
  { waitingPrompts = [] }: Task,
  event: LedgerEventOf<'task.prompted'>,
  at: string,
): Task['waitingPrompts'] => [
  ...waitingPrompts,
  {
    id: event.promptId,
    prompt: event.prompt,
    ...imagesOf(event),
    at,
    ...(event.atNextTurn && { atNextTurn: true as const }),
    ...(event.comments && { commentsOf: event.comments.of }),
  },
]

export function withoutPrompt(task: Task, promptId: PromptId | undefined): Task['waitingPrompts'] {
  const left = task.waitingPrompts?.filter(({ id }) => id !== promptId)
  return left?.length ? left : undefined
}

/** Returns the field `images`, which is absent if there are none. */
export const imagesOf = ({
  images,
}: {
  images?: ImageRef[] | undefined
}): { images?: ImageRef[] } => (images?.length ? { images } : {})
