/**
 * Comments of the user on changed lines: drafts until they are sent to the agent as one follow-up, then kept with it.
 * In this browser or window alone; what was sent is in the record as a prompt.
 */
import { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type TaskId, taskIdSchema } from '../../../shared/records/ids.ts'

const commentSchema = z.object({
  id: z.string(),
  path: z.string(),
  /** `deletions`: a line that is gone. */
  side: z.enum(['additions', 'deletions']),
  /** From 1; 0: the whole file. */
  line: z.number().int().min(0),
  /** Of the file when it was commented on (`WorkspaceDiff.files[].contentId`); absent in older comments. */
  contentId: z.string().optional(),
  /** The text of the line when it was commented on: what the comment is found again by. Empty for a whole file. */
  lineText: z.string(),
  text: z.string(),
  /** The prompt that it was sent with; null: a draft. */
  sent: z
    .object({
      at: z.number(),
      prompt: z.string(),
      /** The entry that the transcript ended with; absent in older comments. */
      afterSeq: z.number().int().min(0).optional(),
    })
    .nullable(),
})
export type ReviewComment = z.infer<typeof commentSchema>

const storedSchema = z.array(z.tuple([taskIdSchema, z.array(commentSchema)]))
type ReviewCommentsState = ReadonlyMap<TaskId, readonly ReviewComment[]>

const storageKey = 'shiplog.review-comments'
/** Tasks and comments of one task that are remembered; the oldest sent ones are dropped. */
const tasksMax = 50
const commentsMax = 200

export interface ReviewComments {
  store: StoreApi<ReviewCommentsState>
  add(taskId: TaskId, comment: Omit<ReviewComment, 'id' | 'sent'>): void
  change(taskId: TaskId, id: string, text: string): void
  remove(taskId: TaskId, id: string): void
  /** Call it once `prompt` with the drafts is durable. */
  markSent(taskId: TaskId, sent: NonNullable<ReviewComment['sent']>): void
}

export function createReviewComments(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
): ReviewComments {
  const store = createStore<ReviewCommentsState>(() => read(storage))

  function set(taskId: TaskId, comments: readonly ReviewComment[]): void {
    const next = new Map(store.getState())
    next.delete(taskId)
    if (comments.length > 0) next.set(taskId, comments.slice(-commentsMax))
    for (const oldest of [...next.keys()].slice(0, Math.max(0, next.size - tasksMax)))
      next.delete(oldest)
    store.setState(next, true)
    try {
      storage.setItem(storageKey, JSON.stringify([...next]))
    } catch {
      // A full storage: they last as long as the window.
    }
  }
  const of = (taskId: TaskId) => store.getState().get(taskId) ?? []

  return {
    store,
    add: (taskId, comment) =>
      set(taskId, [...of(taskId), { ...comment, id: crypto.randomUUID(), sent: null }]),
    change: (taskId, id, text) =>
      set(
        taskId,
        of(taskId).map((one) => (one.id === id && one.sent === null ? { ...one, text } : one)),
      ),
    remove: (taskId, id) =>
      set(
        taskId,
        of(taskId).filter((one) => one.id !== id),
      ),
    markSent: (taskId, sent) =>
      set(
        taskId,
        of(taskId).map((one) => (one.sent ? one : { ...one, sent })),
      ),
  }
}

function read(storage: Pick<Storage, 'getItem'>): ReviewCommentsState {
  try {
    return new Map(storedSchema.parse(JSON.parse(storage.getItem(storageKey) ?? '[]')))
  } catch {
    return new Map()
  }
}

/** The follow-up that has all drafts: each with its place and its line, so that the agent finds it after other changes. */
export function reviewPrompt(drafts: readonly ReviewComment[]): string {
  const items = drafts.map(({ path, line, side, lineText, text }, index) => {
    const place = line === 0 ? path : `${path}:${line}${side === 'deletions' ? ' (removed)' : ''}`
    const quoted = line === 0 ? '' : `\n   > ${lineText.trim()}`
    return `${index + 1}. ${place}${quoted}\n   ${text.trim().replaceAll('\n', '\n   ')}`
  })
  return `I reviewed your changes. Please address ${drafts.length === 1 ? 'this comment' : 'these comments'}, and say for each what you did:\n\n${items.join('\n\n')}`
}
