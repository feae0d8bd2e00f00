/** Agents that hold still in a call, so that a test can stop them there. */
import type { Shiplog } from '../src/main/composition/shiplog.ts'
import type { Entry } from '../src/shared/records/entries.ts'
import type { TaskId } from '../src/shared/records/ids.ts'
import { allTasks, entriesOf, until } from './harness.ts'

/** Input of a `bash` call that is under way until `go` is in the folder. */
export const hold = (dir: string) => `{ command: "while [ ! -e '${dir}/go' ]; do sleep 0.1; done" }`

const isHolding = (entries: Entry[]) => entries.some(isOpenHold(entries))
const isOpenHold = (entries: Entry[]) => (entry: Entry) =>
  entry.type === 'tool-call' &&
  JSON.stringify(entry.input).includes('while') &&
  !entries.some((other) => other.type === 'tool-result' && other.callId === entry.callId)

/** As many tasks run as that, and every one of them holds. */
export async function untilAllHold(shiplog: Shiplog, count: number): Promise<void> {
  await until(
    shiplog,
    (tasks) => tasks.filter(({ status }) => status === 'spawned').length >= count,
  )
  for (const { id } of await allTasks(shiplog)) await untilHolds(shiplog, id)
}

/** Waits until a task runs or is about to. */
export async function untilHolds(shiplog: Shiplog, workspaceId: TaskId): Promise<void> {
  const feed = await shiplog.client.feed.session({ workspaceId })
  for await (const _ of feed) if (isHolding(await entriesOf(shiplog, workspaceId))) return
}
