/** The contract's transcripts: the same of roots and sub-agents, live and archived. */
import { expect, it } from 'vitest'
import type { SessionsFeedEvent } from '../../src/shared/contract/feed.ts'
import { openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const family = `
version: 1
name: family
agents:
  lead:
    turns:
      - say: I ask.
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - report: { title: Done, markdown: Done. }
  worker:
    turns:
      - call: bash
        with: { command: "mkdir -p deep && cd deep && echo here" }
      - say: Made it.
      - report: { title: Worked, markdown: Worked. }
`

it('answers pages, outline, state and values of a root and of its sub-agent alike', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, family)
  await untilQuiet(fixture.shiplog)
  const { transcripts, workspace } = fixture.shiplog.client
  const worker = (await taskOf(fixture.shiplog, 'Work')).id
  const look = async () => {
    for (const taskId of [root, worker]) {
      const { entries, total } = await transcripts.page({ taskId, limit: 500 })
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, n) => n + 1))
      const { items } = await transcripts.outline({ taskId })
      expect(items.filter(({ kind }) => kind === 'turn')).toHaveLength(3)
      expect(items.at(-1)).toMatchObject({ kind: 'run-end', status: 'completed' })
      const { entries: ofTurn } = await transcripts.page({ taskId, at: { turn: 2 }, limit: 1 })
      expect(ofTurn[0]).toMatchObject({ turn: 2 })
      expect(await transcripts.stateAt({ taskId, seq: total })).toMatchObject({ run: 1, turns: 3 })
      const prompt = entries.find((entry) => entry.type === 'message')?.seq ?? 0
      const value = await transcripts.value({ taskId, seq: prompt, at: ['parts', 0, 'text'] })
      expect(value.text).toBe(taskId === root ? 'Do it' : 'Go')
    }
    const { entries } = await transcripts.page({ taskId: worker, limit: 500 })
    const ran = entries.find((entry) => entry.type === 'tool-result')?.seq ?? 0
    expect((await transcripts.stateAt({ taskId: worker, seq: ran })).directory).toMatch(/deep$/)
  }
  await look()
  await workspace.remove({ workspaceId: root })
  await look()
})

it('[A5] keeps to the scope of the one who asks, in every call', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, family)
  await untilQuiet(fixture.shiplog)
  const { transcripts } = fixture.shiplog.client
  const { id: worker } = await taskOf(fixture.shiplog, 'Work')
  const asked = (taskId: string, requestingWorkspaceId: typeof worker) => [
    transcripts.page({ taskId, requestingWorkspaceId }),
    transcripts.outline({ taskId, requestingWorkspaceId }),
    transcripts.stateAt({ taskId, seq: 1, requestingWorkspaceId }),
    transcripts.value({ taskId, seq: 1, at: [], requestingWorkspaceId }),
  ]
  await Promise.all(asked(worker, root))
  for (const refused of asked(root, worker))
    await expect(refused).rejects.toMatchObject({ code: 'OUT_OF_SCOPE' })
  for (const unknown of asked('ffffffff', root))
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('tells indexers which sessions grew, and which moved', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const abort = new AbortController()
  const feed = await client.feed.sessions(undefined, { signal: abort.signal })
  const known = new Map<string, SessionsFeedEvent['sessions'][number]>()
  const heard = async (is: () => boolean): Promise<void> => {
    for (;;) {
      if (is()) return
      const { value, done } = await feed.next()
      if (done) throw new Error('the feed ended')
      for (const session of value.sessions) {
        const before = known.get(session.taskId)
        known.set(session.taskId, {
          taskId: session.taskId,
          seq: session.seq ?? before?.seq ?? null,
          moved: session.moved || before?.moved === true,
        })
      }
    }
  }
  const first = feed.next() // listens from now on
  const root = await start(fixture, family)
  const began = await first
  if (!began.done) for (const session of began.value.sessions) known.set(session.taskId, session)
  const worker = async () => (await taskOf(fixture.shiplog, 'Work')).id
  await untilQuiet(fixture.shiplog)
  const { total } = await client.transcripts.page({ taskId: root, limit: 1 })
  const child = await worker()
  await heard(() => known.get(root)?.seq === total && known.get(child)?.moved === true)
  expect(known.get(root)?.moved).toBe(false)
  await client.workspace.remove({ workspaceId: root })
  await heard(() => known.get(root)?.moved === true)
  known.clear()
  await client.workspace.restore({ workspaceId: root })
  await heard(() => known.get(root)?.moved === true)
  abort.abort()
})
