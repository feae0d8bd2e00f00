/** What a lost run used, as the next start counts it (Q2). */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openLedger } from '../../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { createSessions } from '../../../src/main/sessions/sessions.ts'
import { recoverLostRuns } from '../../../src/main/tasks/recovery/recovery.ts'
import type { EntryBody } from '../../../src/shared/records/entries.ts'
import {
  newEntryId,
  newProjectId,
  newPromptId,
  newTaskId,
  runIdOf,
} from '../../../src/shared/records/ids.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { temporaryDir } from '../../harness.ts'
import { taskCreated } from '../../ledger/histories.ts'

/** A task with an interrupted run that used 100 tokens, and a second run that a crash took at once. */
async function lostSecondRun() {
  const layout = layoutOf(await temporaryDir())
  const ledger = await openLedger(join(await temporaryDir(), 'ledger.jsonl'), '')
  onTestFinished(() => ledger.close())
  const sessions = createSessions()
  const taskId = newTaskId()
  const spec = { kind: 'model', provider: 'anthropic', model: 'claude', agent: 'lead' } as const
  const runId = runIdOf(taskId, 1)
  const usage = { ...noUsage, inputTokens: 100 }
  const process = { pid: 1, startedAt: '1' }
  const cause = { kind: 'crashed' } as const
  await ledger.record(
    { ...taskCreated(taskId, newProjectId()), spec },
    { type: 'task.spawned', taskId, run: 1, spawnCommit: null, process },
    { type: 'task.interrupted', taskId, run: 1, cause, usage },
    { type: 'task.resumed', taskId, run: 2, process },
  )
  const session = await sessions.open(taskId, layout.sessionDir(taskId), { mustExist: false })
  const place = {
    cwd: '/w',
    timestamp: '2026-11-21T12:00:00.000Z',
    gitBranch: null,
    sessionId: taskId,
    runId,
    turn: 1,
    status: 'complete' as const,
  }
  const answer: EntryBody = {
    type: 'message',
    uuid: newEntryId(),
    role: 'assistant',
    usage,
    ...place,
    parts: [{ type: 'text', text: 'I look around.' }],
  }
  await session.append(
    { type: 'run-start', runId, run: 1, reason: 'prompt', agent: 'a', model: null },
    answer,
    { type: 'run-end', runId, run: 1, status: 'interrupted', cause },
  )
  const recover = async () => {
    await sessions.close(taskId)
    await recoverLostRuns({
      ledger,
      sessions,
      layout,
      lastBeatMs: null,
      discardUnfinished: async () => undefined,
      onProblem: (text) => expect.unreachable(text),
    })
    return ledger.state.tasks.get(taskId)
  }
  return { ledger, session, taskId, place, recover }
}

it('[Q2] counts an earlier run once if a run was lost before its session recorded it', async () => {
  const { recover } = await lostSecondRun()
  const task = await recover()
  expect(task?.status).toBe('interrupted')
  expect(task?.usage).toMatchObject({ inputTokens: 100, complete: false })
})

it('[Q3] waits with no message that the session of a lost run holds', async () => {
  const { ledger, session, taskId, place, recover } = await lostSecondRun()
  const [told, untold] = [newPromptId(), newPromptId()]
  for (const promptId of [told, untold])
    await ledger.record({
      type: 'task.prompted',
      taskId,
      promptId,
      prompt: 'Mind the lexer.',
      atNextTurn: true,
    })
  await session.append({
    type: 'message',
    uuid: newEntryId(),
    role: 'user',
    ...place,
    turn: null,
    parts: [{ type: 'text', text: 'Mind the lexer.' }],
    promptId: told,
  })
  const task = await recover()
  expect(task?.waitingPrompts?.map(({ id }) => id)).toEqual([untold])
})
