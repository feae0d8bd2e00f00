import { useEffect, useMemo, useState } from 'react'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { OutlineItem } from '../../../shared/contract/transcripts.ts'
import type { Task } from '../../../shared/records/tasks.ts'
import { useConnectionLost, useStores } from '../../store/hooks.ts'
import type { ReviewComment } from '../../store/review/review-comments.ts'
import { type Reply, replyTo } from './place-comments.ts'

/** Pages of an outline that are read for one answer: a run of a thousand turns. */
const pagesMax = 4

/** The turns that answered the comments that were sent, by their prompts. Read again as runs begin and end. */
export function useReplies(
  task: Task,
  comments: readonly ReviewComment[],
): ReadonlyMap<string, Reply> {
  const { client } = useStores()
  const lost = useConnectionLost()
  const [replies, setReplies] = useState<ReadonlyMap<string, Reply>>(new Map())
  const asked = useMemo(() => {
    const prompts = new Map<string, number>()
    for (const { sent } of comments)
      if (sent?.afterSeq !== undefined) prompts.set(sent.prompt, sent.afterSeq)
    return prompts
  }, [comments])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that begins or ends brings other answers
  useEffect(() => {
    if (lost || asked.size === 0) return
    const abort = new AbortController()
    Promise.all(
      [...asked].map(async ([prompt, afterSeq]) => {
        const items = await outlineFrom(client, task.id, afterSeq + 1, abort.signal)
        return [prompt, replyTo(prompt, items)] as const
      }),
    ).then(
      (found) => setReplies(new Map(found)),
      // Only a hint is missing; the transcript itself says why it can't be read.
      () => {},
    )
    return () => abort.abort()
  }, [client, task.id, task.status, task.runs.length, asked, lost])
  return replies
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
