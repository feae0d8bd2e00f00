/** Agents that hold until the test lets them go, so that a run can be looked at, or ended, in the middle. */
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf } from '../harness.ts'

/** A step that is under way until the file is there. */
export const holdFor = (file: string): string =>
  `{ call: bash, with: { command: "while [ ! -e '${file}' ]; do sleep 0.1; done" } }`

/** Resolves once the transcript is as asked, heard from its feed; the test's own time limit ends it. */
export async function untilTranscript(
  shiplog: Shiplog,
  taskId: TaskId,
  is: (entries: Entry[]) => boolean,
): Promise<Entry[]> {
  const abort = new AbortController()
  const feed = await shiplog.client.feed.session({ workspaceId: taskId }, { signal: abort.signal })
  try {
    for await (const _ of feed) {
      const entries = await entriesOf(shiplog, taskId)
      if (is(entries)) return entries
    }
  } finally {
    abort.abort()
  }
  throw new Error(`the transcript of ${taskId} ended before it was as asked`)
}

/** A command holds for that file. */
export const holdsFor =
  (file: string) =>
  (entries: Entry[]): boolean =>
    entries.some(
      (entry) => entry.type === 'tool-call' && JSON.stringify(entry.input).includes(file),
    )

/** What agents said, in order. */
export const spokenIn = (entries: Entry[]): string[] =>
  entries.flatMap((entry) =>
    entry.type === 'message' && entry.role === 'assistant'
      ? entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  )
