import { expect, it } from 'vitest'
import { createPermissionBoard } from '../../../src/main/agents/permissions/board.ts'
import { newProjectId, newTaskId } from '../../../src/shared/records/ids.ts'

const question = {
  kind: 'command',
  tool: 'bash',
  text: 'rm x',
  directory: '/',
  lastText: '',
  taskId: newTaskId(),
  projectId: newProjectId(),
  chain: [],
  callId: null,
  reasons: [],
  proposal: [],
} as Parameters<ReturnType<typeof createPermissionBoard>['ask']>[0]

it('[P4] is not asked for a run that has already ended', async () => {
  const board = createPermissionBoard(() => 0)
  const over = AbortSignal.abort()
  expect(await Promise.race([board.ask(question, null, over), 'waits'])).toEqual({ kind: 'ended' })
  expect(board.list()).toEqual([])
})

it('[Q4] is withdrawn if its run ends, and is answered once', async () => {
  const board = createPermissionBoard(() => 0)
  const run = new AbortController()
  const asked = board.ask(question, null, run.signal)
  const [waiting] = board.list()
  run.abort()
  expect(await asked).toEqual({ kind: 'ended' })
  expect(board.settle(waiting?.id ?? '', { kind: 'allowed', by: 'person' })).toBe(false)
  expect(board.list()).toEqual([])
})
