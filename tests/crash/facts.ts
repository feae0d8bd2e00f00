/** What somebody was told, and how to look whether it is still so. */
import { readdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { crashResidue } from '../../src/main/doctor/problems.ts'
import type { Problem } from '../../src/shared/contract/doctor.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'

export type Fact =
  | { what: 'event'; seq: number; event: LedgerEvent }
  | { what: 'entry'; taskId: TaskId; entry: Entry }
  | { what: 'report'; taskId: TaskId; run: number; markdown: string }
  | { what: 'removed'; taskId: TaskId }

/** The services as they are after a start, whichever way they were started. */
export interface Reopened {
  tasks(): Task[]
  /** All events of the ledger, in order. */
  events(): Promise<{ seq: number; event: LedgerEvent }[]>
  entries(taskId: TaskId): Promise<Entry[]>
  /** The Markdown; throws or rejects when it can't be had. */
  report(taskId: TaskId, run: number): Promise<string>
  /** What the user is told went wrong. */
  problems(): string[]
  doctor(): Promise<Problem[]>
  close(): Promise<void>
}

/** What a crash may leave without a loss, and `doctor --repair` puts right. */
export const isResidue = ({ kind, path }: Problem): boolean =>
  crashResidue.includes(kind) ||
  // The first start in a new data directory was killed: no lease tells the next one of it.
  (kind === 'temporary-file' && /^lease\.json\..*\.prepared$/.test(path))

/** What is wrong with a record after a start, in words; empty when all is well. */
export async function whatIsLost(
  dataDir: string,
  opened: Reopened,
  acknowledged: readonly Fact[],
  residue: (problem: Problem) => boolean = isResidue,
): Promise<string[]> {
  const wrong = [
    ...opened.problems().map((problem) => `told: ${problem}`),
    ...(await opened.doctor())
      .filter((problem) => !residue(problem))
      .map(({ kind, path, detail }) => `the doctor: ${kind} ${path}: ${detail}`),
  ]
  const tasks = opened.tasks()
  for (const task of tasks) {
    if (isRunning(task.status)) wrong.push(`"${task.title}" runs, and nobody runs it`)
    const removal = task.workspace?.removal ?? null
    if (removal !== null && removal !== 'removed')
      wrong.push(`the removal of "${task.title}" stopped at ${removal}`)
    wrong.push(...transcriptsInTwoPlaces(dataDir, task))
  }
  const events = await opened.events()
  const entriesOf = new Map<TaskId, Entry[]>()
  for (const { id, title, trashed } of tasks) {
    const entries = await opened.entries(id).catch((error) => {
      // From the trash nothing is read; where it lies is for the test that put it there to say.
      if (trashed) return []
      wrong.push(`the transcript of "${title}" can't be read: ${error}`)
      return []
    })
    entriesOf.set(id, entries)
    wrong.push(...toldTwice(title, entries))
  }
  for (const fact of acknowledged) {
    switch (fact.what) {
      case 'event': {
        const found = events.find(({ seq }) => seq === fact.seq)
        if (!found) wrong.push(`lost: ledger record ${fact.seq}, ${fact.event.type}`)
        else if (!isDeepStrictEqual(found.event, fact.event))
          wrong.push(`changed: ledger record ${fact.seq}, ${fact.event.type}`)
        break
      }
      case 'entry': {
        const found = entriesOf.get(fact.taskId)?.find(({ uuid }) => uuid === fact.entry.uuid)
        if (!found) wrong.push(`lost: ${fact.entry.type} ${fact.entry.seq} of ${fact.taskId}`)
        else if (!isDeepStrictEqual(found, fact.entry))
          wrong.push(`changed: ${fact.entry.type} ${fact.entry.seq} of ${fact.taskId}`)
        break
      }
      case 'report': {
        const markdown = await opened
          .report(fact.taskId, fact.run)
          .catch((error) => `not to be had: ${error}`)
        if (markdown !== fact.markdown)
          wrong.push(`report ${fact.run} of ${fact.taskId}: ${markdown}`)
        break
      }
      case 'removed':
        if (!tasks.find(({ id }) => id === fact.taskId)?.archived)
          wrong.push(`the removal of ${fact.taskId} was undone`)
    }
  }
  return wrong
}

function toldTwice(title: string, entries: Entry[]): string[] {
  const seen = new Set<string>()
  return entries.flatMap((entry) => {
    const keys = [`entry ${entry.uuid}`]
    // A later run may ask for the same sub-agent again under the same name, and gets the same one (S3).
    if (entry.type === 'tool-call') keys.push(`call ${entry.callId} in ${entry.runId}`)
    if (entry.type === 'tool-result') keys.push(`result of ${entry.callId} in ${entry.runId}`)
    if (entry.type === 'run-start') keys.push(`start of run ${entry.run}`)
    if (entry.type === 'run-end') keys.push(`end of run ${entry.run}`)
    const twice = keys.filter((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return twice.map((key) => `"${title}" has it twice: ${key}`)
  })
}

/** A transcript is in its own session, or in the archive, or with one ancestor: never in two of them. */
function transcriptsInTwoPlaces(dataDir: string, { id, title }: Task): string[] {
  const places = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.replaceAll('\\', '/').endsWith(`${id}/chat.jsonl`),
  )
  return places.length > 1
    ? [`"${title}" has ${places.length} transcripts: ${places.join(', ')}`]
    : []
}
