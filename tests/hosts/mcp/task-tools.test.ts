/** What `await_task` answers before the task is over, to a client of the SDK. */
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { expect, it, onTestFinished } from 'vitest'
import { addTaskTools } from '../../../src/main/hosts/mcp/task-tools.ts'
import { runIdOf } from '../../../src/shared/records/ids.ts'
import { createFakeHost } from '../../fake-host/fake-host.ts'

it('answers in time while a task runs, and says why its last attempt failed until another one succeeds', async () => {
  const fake = createFakeHost()
  const taskId = fake.createTask({ projectId: fake.addProject('/code/api'), title: 'Look' })
  fake.spawn(taskId)
  const awaitTask = await connect(fake)

  expect(await awaitTask({ task: taskId })).not.toContain('attempt')

  const runId = runIdOf(taskId, 1)
  const cause = { kind: 'error', detail: '127.0.0.1 refused the connection' } as const
  fake.append(taskId, { type: 'retrying', runId, turn: 1, cause, untilMs: null })
  expect(await awaitTask({ task: taskId })).toMatch(
    /is still running\. Its last attempt failed and is being repeated: 127\.0\.0\.1 refused the connection\. Call await_task again/,
  )

  fake.say(taskId, 'Here I am.')
  expect(await awaitTask({ task: taskId })).not.toContain('attempt')
})

async function connect({ client: services }: Pick<ReturnType<typeof createFakeHost>, 'client'>) {
  const server = new McpServer({ name: 'test', version: '1' })
  addTaskTools(server, {
    callServices: (use) => use(services, AbortSignal.any([])),
    onStarted() {},
    cwd: '/code/api',
    timing: { progressMs: 60_000, answerMs: 1, silentAnswerMs: 1 },
  })
  const client = new Client({ name: 'test', version: '1' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  onTestFinished(() => client.close())
  return async (given: { task: string }) => {
    const { content } = await client.callTool({ name: 'await_task', arguments: given })
    const [first] = content
    return first?.type === 'text' ? first.text : ''
  }
}
