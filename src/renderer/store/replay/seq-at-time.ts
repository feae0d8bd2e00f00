import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TaskId } from '../../../shared/records/ids.ts'

/**
 * The last entry with a mark that a transcript had at a time, in milliseconds since the epoch; null before the first,
 * and if its timeline can't be read.
 */
export async function seqAtTime(props: {
  client: Pick<ShiplogClient, 'transcripts'>
  taskId: TaskId
  atMs: number
}): Promise<number | null> {
  const { client, taskId, atMs } = props
  let found: number | null = null
  let fromSeq = 1
  try {
    for (;;) {
      const page = await client.transcripts.timeline({ taskId, fromSeq })
      found = page.marks.findLast((mark) => mark.at <= atMs)?.seq ?? found
      const isPast = (page.marks.at(-1)?.at ?? 0) > atMs
      if (isPast || page.nextSeq > page.total || page.nextSeq === fromSeq) return found
      fromSeq = page.nextSeq
    }
  } catch {
    // The agent's own replay shows the reason.
    return null
  }
}
