/** What came before a task: followed through `resumedFrom`, never copied (S3). */
import { unknownCallCharsMax } from '../../../shared/drift.ts'
import type { Entry } from '../../../shared/entries.ts'
import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/ids.ts'
import { subjectAlone } from '../../../shared/projections/describe-tool-call.ts'
import type { LedgerState } from '../../../shared/projections/ledger-state.ts'
import type { ResumedFrom, Task, TranscriptExpiry } from '../../../shared/tasks.ts'
import type { Records } from '../../workspaces/record.ts'

/** The tasks that this one continues, the first generation first; itself not included. */
function ancestryOf(state: LedgerState, task: Task): ResumedFrom[] {
  const generations: ResumedFrom[] = []
  const known = new Set<TaskId>()
  let from = task.resumedFrom
  // A ledger that was tampered with could name a circle.
  while (from !== null && !known.has(from.taskId)) {
    known.add(from.taskId)
    generations.unshift(from)
    from = state.tasks.get(from.taskId)?.resumedFrom ?? null
  }
  return generations
}

export interface LineageCheck {
  /** What of it can't be read, one sentence each. */
  damage: string[]
  /** Of the last entry of the last generation; 0 when there is none. */
  lastSeq: number
}

export interface Lineage extends LineageCheck {
  entries: Entry[]
}

interface LineageDependencies {
  state: LedgerState
  records: Pick<Records, 'transcriptPage'>
}

/** Every entry of the tasks that this one continues, oldest first. Throws FailureError when one is gone. */
export function lineageOf(deps: LineageDependencies, task: Task): Promise<Lineage> {
  return readLineage(deps, task, (page) => page)
}

/** Reads all of it and holds nothing of it. Throws FailureError when one is gone. */
export async function checkLineage(deps: LineageDependencies, task: Task): Promise<LineageCheck> {
  const { damage, lastSeq } = await readLineage(deps, task, () => [])
  return { damage, lastSeq }
}

async function readLineage(
  { state, records }: LineageDependencies,
  task: Task,
  kept: (page: Entry[]) => Entry[],
): Promise<Lineage> {
  const lineage: Lineage = { entries: [], damage: [], lastSeq: 0 }
  for (const { taskId: id, seq } of ancestryOf(state, task)) {
    const { title = id, runs = [] } = state.tasks.get(id) ?? {}
    const read = await readTranscript(records, id, title, { kept, throughSeq: seq })
    lineage.lastSeq = 0
    // Cancelled before it began: there is nothing to go on from but its assignment.
    if (read === null && runs.length === 0) continue
    if (read === null)
      return refused(
        'removed',
        `The transcript of "${title}", which this agent continues, is gone.`,
      )
    lineage.lastSeq = read.lastSeq
    lineage.entries = lineage.entries.concat(read.entries)
    lineage.damage.push(...read.damage)
  }
  return lineage
}

/**
 * What the task's own runs did, wherever it lies, without what was said: no messages, and calls without input
 * and output, so that looking at hundreds of long transcripts needs little memory. None for one that never
 * ran. Only reads.
 */
export async function actionEntriesOf(
  records: Pick<Records, 'transcriptPage'>,
  { id, title }: Task,
): Promise<Entry[]> {
  return (await readTranscript(records, id, title, { kept: withoutWords }))?.entries ?? []
}

const withoutWords = (entries: Entry[]): Entry[] =>
  entries.flatMap((entry): Entry[] => {
    switch (entry.type) {
      case 'message':
      case 'attribution-snapshot':
        return []
      case 'tool-call':
        // One character more than is shown, so that a cut is seen.
        return [{ ...entry, input: subjectAlone(entry.name, entry.input, unknownCallCharsMax + 1) }]
      case 'tool-result':
        return [{ ...entry, output: '', detail: null, shell: null }]
      default:
        return [entry]
    }
  })

/** `throughSeq`: the last entry that counts; what follows it is not read. Null: there is no transcript. */
async function readTranscript(
  records: Pick<Records, 'transcriptPage'>,
  id: TaskId,
  title: string,
  {
    kept,
    throughSeq = Number.MAX_SAFE_INTEGER,
  }: { kept: (page: Entry[]) => Entry[]; throughSeq?: number },
): Promise<Lineage | null> {
  const entries: Entry[] = []
  let damage: string[] = []
  let lastSeq = 0
  for (let fromSeq: number | null = 1; fromSeq !== null; ) {
    const page = await records.transcriptPage(id, { fromSeq, limit: pageEntries, throughSeq })
    if (page.status === 'missing') return null
    if (page.expired) return refuseExpired(title, page.expired)
    damage = page.damage.map(
      ({ line, reason }) =>
        `Line ${line} of the transcript of "${title}" can't be read: ${reason}.`,
    )
    entries.push(...kept(page.entries))
    lastSeq = page.entries.at(-1)?.seq ?? lastSeq
    fromSeq = page.nextSeq
  }
  return { entries, damage, lastSeq }
}

/** Going on without it would lose what it holds, and nobody would notice. */
function refuseExpired(title: string, expired: TranscriptExpiry): never {
  const remedy =
    expired.purgedAt === null
      ? `Take it back out of the trash first: \`shiplog prune --undo ${expired.receiptId}\`, or "Restore it" where it is shown.`
      : 'It was permanently deleted, so there is no history to continue from: start a new agent instead.'
  return refused('removed', `The transcript of "${title}" expired on ${expired.at}. ${remedy}`)
}

const pageEntries = 500
