/** The whole of Shiplog, agents included, on a folder without Git: nothing that matters is outside the record. */

import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import type { Fact, Reopened } from './facts.ts'
import { allEntries, eventsIn } from './layers.ts'

const scenario = `
version: 1
name: crew
agents:
  lead:
    turns:
      - steps:
          - say: I send two of you ahead.
          - call: task
            with: { agent: mate, title: Mate, prompt: Look after the boys, background: true }
          - call: task
            with: { agent: boy, title: Boy at the helm, prompt: Steer, background: true }
      - call: task_await
        with: { tasks: all }
      - call: write_file
        with: { path: log.txt, content: "all well\\n" }
      - report: { title: FinishedTree over, markdown: "All well.\\n\\n{{last.output}}" }
  mate:
    turns:
      - call: task
        with: { agent: boy, title: Boy in the top, prompt: Look out }
      - steps:
          - say: One is back.
          - call: task
            with: { agent: idler, title: Boy asleep, prompt: Sleep }
      - report: { title: Watch kept, markdown: Both looked after. }
  boy:
    turns:
      - steps:
          - think: The wind is fair.
          - wait: 600ms
          - say: Aye.
      - call: bash
        with: { command: "echo land ho" }
      - report: { title: Land, markdown: "Land at {{taskId}}." }
  idler:
    turns:
      - fail: Fell asleep.
`

export async function reopenServices(dataDir: string): Promise<Reopened> {
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const { tasks } = await shiplog.client.tasks.list({ all: true })
  const info = await shiplog.client.app.info()
  return {
    tasks: () => flatten(tasks),
    events: () => eventsIn(layoutOf(dataDir).ledger),
    entries: (taskId) => transcriptOf(shiplog, taskId),
    report: async (taskId, run) =>
      (await shiplog.client.tasks.report({ taskId, run })).reportMarkdown,
    problems: () =>
      info.notices
        .filter(({ tone }) => tone === 'error')
        .map(({ text, details }) => `${text}: ${details.join(' ')}`),
    doctor: async () => (await shiplog.client.doctor.check({ repair: false })).problems,
    close: () => shiplog.close(),
  }
}

export const transcriptOf = (shiplog: Shiplog, taskId: TaskId) =>
  allEntries((fromSeq) =>
    shiplog.client.workspace.getSubagentTranscript({ taskId, fromSeq, limit: 100 }),
  )

export const flatten = (trees: TaskTree[]): TaskTree[] =>
  trees.flatMap((tree) => [tree, ...flatten(tree.children)])

/** Plays the scenario in `projectDir`, asks once more, and (unless it is to `stay`) removes it all. Tells `ack` what the feeds tell. */
export async function voyage(
  shiplog: Shiplog,
  projectDir: string,
  ack: (fact: Fact) => void = () => undefined,
  { stay = false } = {},
): Promise<void> {
  const { client } = shiplog
  const abort = new AbortController()
  const ledger = await client.feed.ledger(undefined, { signal: abort.signal })
  const listening: Promise<void>[] = []
  const listened = new Set<TaskId>()

  async function listenToLedger(): Promise<void> {
    for await (const news of ledger) {
      if (news.type !== 'records') continue
      for (const { seq, event } of news.records) {
        ack({ what: 'event', seq, event })
        if (event.type === 'task.created') listening.push(listenTo(event.taskId))
        if (event.type === 'workspace.removal-advanced' && event.step === 'removed')
          ack({ what: 'removed', taskId: event.workspaceId })
      }
    }
  }

  async function listenTo(taskId: TaskId): Promise<void> {
    if (listened.has(taskId)) return
    listened.add(taskId)
    const feed = await client.feed.session({ workspaceId: taskId }, { signal: abort.signal })
    for await (const news of feed) {
      if (news.type !== 'entries' && news.type !== 'snapshot') continue
      for (const entry of news.entries) ack({ what: 'entry', taskId, entry })
    }
  }

  listening.push(listenToLedger())
  const project = await client.projects.add({ dir: projectDir })
  const { taskId: root } = await client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario, source: 'crew.yaml' },
    prompt: 'Go',
  })
  await quiet(shiplog)
  const report = await client.tasks.report({ taskId: root })
  ack({ what: 'report', taskId: root, run: report.run, markdown: report.reportMarkdown })
  await client.tasks.prompt({ taskId: root, prompt: 'And now?' })
  await quiet(shiplog)
  if (!stay) await client.workspace.remove({ workspaceId: root })
  abort.abort()
  await Promise.allSettled(listening)
}

/** Resolves when nobody is at work and nothing waits. */
export async function quiet(shiplog: Shiplog): Promise<void> {
  const abort = new AbortController()
  const feed = await shiplog.client.feed.ledger(undefined, { signal: abort.signal })
  try {
    for await (const _ of feed) {
      const { tasks } = await shiplog.client.tasks.list({ all: true })
      const over = flatten(tasks).every(
        ({ status, parentId, archived, children }) =>
          !['queued', 'spawned', 'resumed'].includes(status) &&
          (status !== 'completed' ||
            parentId === null ||
            archived ||
            children.some((child) => !child.archived)),
      )
      if (over && shiplog.runningAgents().length === 0) return
    }
  } finally {
    abort.abort()
  }
}
