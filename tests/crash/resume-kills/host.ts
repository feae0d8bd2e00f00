/**
 * Shiplog in a process of its own, to be killed: does what its order says and prints what it hears, a line
 * each. It ends by itself once nobody is at work any more.
 */
import { writeSync } from 'node:fs'
import { openShiplog, type Shiplog } from '../../../src/main/composition/shiplog.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { ResumeSelector } from '../../../src/shared/records/resume.ts'
import { flatten, quiet } from '../services.ts'

export interface HostOrder {
  dataDir: string
  agentsAtOnce: number
  work:
    | { kind: 'start'; projectDir: string; scenario: string }
    | { kind: 'resume'; selector: ResumeSelector }
    /** One new task after the other, each from the one before. */
    | { kind: 'continue'; taskId: TaskId; prompts: string[] }
}

/** Each is a promise that the record holds it. */
export type HostTold =
  | { type: 'begun'; taskId: TaskId }
  | { type: 'entry'; taskId: TaskId; entry: Entry }

const tell = (told: HostTold): void => void writeSync(1, `${JSON.stringify(told)}\n`)

const { dataDir, agentsAtOnce, work } = JSON.parse(process.argv[2] ?? '') as HostOrder
const shiplog = await openShiplog({ dataDir, host: 'web', agentsAtOnce, sweepAtStart: false })
// Its feeds end with the process.
void listen(shiplog)
await begin()
await shiplog.close()
process.exit(0)

async function begin(): Promise<void> {
  const { client } = shiplog
  switch (work.kind) {
    case 'start': {
      const project = await client.projects.add({ dir: work.projectDir })
      const { taskId } = await client.tasks.start({
        projectId: project.id,
        agent: { kind: 'scripted', scenario: work.scenario, source: 'scenario.yaml' },
        prompt: 'Begin',
      })
      return untilOver(taskId)
    }
    case 'resume': {
      const { accepted, refused } = await client.tasks.resume({ selector: work.selector })
      const [first] = accepted
      if (!first || refused.length > 0) throw new Error(JSON.stringify(refused))
      return untilOver(first.taskId)
    }
    case 'continue': {
      let from = work.taskId
      for (const prompt of work.prompts) {
        const { taskId } = await client.tasks.continueFrom({ taskId: from, prompt })
        await untilOver(taskId)
        from = taskId
      }
    }
  }
}

function untilOver(taskId: TaskId): Promise<void> {
  tell({ type: 'begun', taskId })
  return quiet(shiplog)
}

/** Tells every entry of every task as it becomes durable. */
async function listen({ client }: Shiplog): Promise<void> {
  const heard = new Set<TaskId>()
  const ledger = await client.feed.ledger(undefined)
  const listenTo = async (taskId: TaskId) => {
    const feed = await client.feed.session({ workspaceId: taskId })
    for await (const news of feed) {
      if (news.type !== 'entries' && news.type !== 'snapshot') continue
      for (const entry of news.entries) tell({ type: 'entry', taskId, entry })
    }
  }
  for await (const _ of ledger) {
    const { tasks } = await client.tasks.list({ all: true })
    for (const { id } of flatten(tasks)) {
      if (heard.has(id)) continue
      heard.add(id)
      // It ends with the process; a task that is removed meanwhile has nothing more to tell.
      void listenTo(id).catch(() => undefined)
    }
  }
}
