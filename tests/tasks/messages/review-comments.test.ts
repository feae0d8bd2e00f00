import { expect, it } from 'vitest'
import { newCommentId, newPromptId, type TaskId } from '../../../src/shared/records/ids.ts'
import { entriesOf, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'
import { createWorld, nowMs } from '../../retention/tasks.ts'

const scenario = `
version: 1
name: reviewed
agents:
  lead:
    turns:
      - call: task
        with: { agent: helper, title: Helping, prompt: Write it }
      - say: That was all.
  helper:
    turns:
      - call: write_file
        with: { path: a.txt, content: "one\\n" }
      - report: { title: Done, markdown: Wrote it. }
`

const anchor = {
  path: 'a.txt',
  side: 'additions' as const,
  line: 1,
  lineText: 'one',
  tree: 'f'.repeat(40),
  contentId: 'e'.repeat(40),
}

it('comments are recorded as drafts, sent as one follow-up, and kept after removal and restart', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const taskId = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const comment = async (text: string, id: TaskId = taskId) =>
    (await client.review.comment({ taskId: id, ...anchor, text })).commentId
  const commentId = await comment('First.')
  await comment('Second.')
  const removed = await comment('Third.')
  await client.review.changeComment({ taskId, commentId, text: 'First, changed.' })
  await client.review.removeComment({ taskId, commentId: removed })
  expect((await taskOf(fixture.shiplog, taskId)).reviewComments).toMatchObject([
    { ...anchor, id: commentId, text: 'First, changed.', sent: null },
    { text: 'Second.', sent: null },
  ])

  // A second window that sends at the same time has nothing left to send.
  const both = [client.review.sendComments({ taskId }), client.review.sendComments({ taskId })]
  const [first, second] = await Promise.allSettled(both)
  expect(first).toMatchObject({ value: { sent: 2, to: taskId } })
  expect(second).toMatchObject({ reason: { code: 'REFUSED' } })
  await until(fixture.shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  const prompts = (await entriesOf(fixture.shiplog, taskId)).filter(
    (entry) => entry.type === 'message' && entry.role === 'user',
  )
  expect(prompts).toHaveLength(2)
  expect(JSON.stringify(prompts[1])).toContain('1. a.txt:1\\n   > one\\n   First, changed.')
  for (const change of [
    client.review.changeComment({ taskId, commentId, text: 'Too late.' }),
    client.review.removeComment({ taskId, commentId }),
  ])
    await expect(change).rejects.toMatchObject({ code: 'REFUSED' })

  // A sub-agent that has ended takes no message: its root gets the comments.
  const helper = await taskOf(fixture.shiplog, 'Helping')
  await comment('Of the helper.', helper.id)
  expect(await client.review.sendComments({ taskId: helper.id })).toEqual({ sent: 1, to: taskId })
  await until(fixture.shiplog, ([root]) => root?.runs[2]?.status === 'completed')
  const afterSeq = prompts[1]?.seq ?? expect.unreachable()
  const sent = { to: taskId, afterSeq: afterSeq - 2 }
  await client.workspace.remove({ workspaceId: taskId })
  const again = await fixture.restart()
  expect(await taskOf(again, taskId)).toMatchObject({
    archived: true,
    reviewComments: [
      { text: 'First, changed.', sent },
      { text: 'Second.', sent },
    ],
  })
  expect((await taskOf(again, helper.id)).reviewComments).toMatchObject([
    { text: 'Of the helper.', sent: { to: taskId } },
  ])
})

it('comments whose follow-up is withdrawn are drafts again', () => {
  const world = createWorld()
  const taskId = world.add({ archived: false })
  const [commentId, promptId] = [newCommentId(), newPromptId()]
  const comments = { of: taskId, ids: [commentId], afterSeq: 7 }
  const sent = () => world.state.tasks.get(taskId)?.reviewComments?.map((one) => one.sent?.afterSeq)
  world.record(nowMs, { type: 'review.commented', taskId, commentId, ...anchor, text: 'Why?' })
  world.record(nowMs, { type: 'task.prompted', taskId, promptId, prompt: 'Why?', comments })
  expect(sent()).toEqual([7])
  world.record(nowMs, { type: 'task.prompt-withdrawn', taskId, promptId })
  expect(sent()).toEqual([undefined])
})
