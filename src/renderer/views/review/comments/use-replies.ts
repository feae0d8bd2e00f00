import { useEffect, useMemo, useState } from 'react'
import { reviewPrompt } from '../../../../shared/agents/review-prompt.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { OutlineItem } from '../../../../shared/contract/transcripts/transcripts.ts'
import type { PromptId, TaskId } from '../../../../shared/records/ids.ts'
import type { ReviewComment } from '../../../../shared/records/review-comments.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { useConnectionLost, useLedger, useStores } from '../../../store/hooks.ts'
import { type Reply, replyTo } from './place-comments.ts'

/** Pages of an outline that are read for one answer: a run of a thousand turns. */
const pagesMax = 4

/** The turns that answered the sent comments, by the prompts that sent them. Read again when runs begin and end. */
export function useReplies(task: Task): ReadonlyMap<PromptId, Reply> {
  const { client } = useStores()
  const lost = useConnectionLost()
  const [replies, setReplies] = useState<ReadonlyMap<PromptId, Reply>>(new Map())
  const { reviewComments, title } = task
  const prompts = useMemo(
    () => sentPrompts(reviewComments ?? [], { id: task.id, title }),
    [reviewComments, task.id, title],
  )
  // Runs of the agents that comments were sent to: one that begins or ends may change the replies.
  const runs = useLedger(({ ledger: { tasks } }) =>
    prompts.map(({ to }) => `${tasks.get(to)?.status} ${tasks.get(to)?.runs.length}`).join(),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `runs` repeats the requests
  useEffect(() => {
    if (lost || prompts.length === 0) return
    const abort = new AbortController()
    Promise.all(
      prompts.map(async ({ promptId, to, afterSeq, prompt }) => {
        const items = await outlineFrom(client, to, afterSeq + 1, abort.signal)
        return [promptId, replyTo(to, prompt, items)] as const
      }),
    ).then(
      (found) => setReplies(new Map(found)),
      // Replies are optional; the transcript reports why it can't be read.
      () => {},
    )
    return () => abort.abort()
  }, [client, prompts, runs, lost])
  return replies
}

interface SentPrompt {
  promptId: PromptId
  to: TaskId
  afterSeq: number
  prompt: string
}

function sentPrompts(
  comments: readonly ReviewComment[],
  task: Pick<Task, 'id' | 'title'>,
): SentPrompt[] {
  const byPrompt = Map.groupBy(
    comments.filter(({ sent }) => sent !== null),
    ({ sent }) => sent?.promptId,
  )
  return [...byPrompt.values()].flatMap((together) => {
    const sent = together[0]?.sent
    if (!sent) return []
    const prompt = reviewPrompt(together, sent.to === task.id ? undefined : task.title)
    return [{ promptId: sent.promptId, to: sent.to, afterSeq: sent.afterSeq, prompt }]
  })
}

async function outlineFrom(
  client: ShiplogClient,
  taskId: Task['id'],
  fromSeq: number,
  signal: AbortSignal,
): Promise<OutlineItem[]> {
  const items: OutlineItem[] = []
  let next: number | null = fromSeq
  for (let page = 0; page < pagesMax && next !== null; page++) {
    const found: { items: OutlineItem[]; nextSeq: number | null } =
      await client.transcripts.outline({ taskId, fromSeq: next, limit: 500 }, { signal })
    items.push(...found.items)
    next = found.nextSeq
  }
  return items
}
