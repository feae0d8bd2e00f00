/** Sub-agents that an installed agent runs itself, from the agent's process to the tree of tasks. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import {
  call,
  callUpdate,
  ended,
  inside,
  type Step,
  subAgent,
  textChunk,
} from '../../acp-agent/script.ts'
import { allTasks, entriesOf, temporaryDir, until, untilQuiet } from '../../harness.ts'
import { itInSoak } from '../../soak.ts'
import { acpFixture } from './acp-fixture.ts'

/** As Claude Code announces one: without a call, and with the prompt in a message of its own. */
const started = (id: string, title: string, callId: string, of?: string): Step[] => {
  const message = {
    sessionUpdate: 'session_message',
    messageId: callId,
    recipientSessionId: id,
    senderSessionId: of ?? 'SELF',
    content: [{ type: 'text', text: `Do ${title}` }],
  }
  const running = { title, description: 'explorer', state: { state: 'running' } }
  return [
    subAgent(id, { ...running, capabilities: { cancel: {} } }, of),
    { update: message, ...(of !== undefined && { of }) },
    { update: message, of: id },
  ]
}
const idle = (id: string, more: object = {}, of?: string): Step =>
  subAgent(id, { state: { state: 'idle', stopReason: 'end_turn', ...more } }, of)

it('makes tasks of them, with transcript, report, usage, and permissions with their chain', async () => {
  const command = {
    toolCallId: 'b1',
    title: 'rm x',
    kind: 'execute',
    rawInput: { command: 'rm x' },
  }
  const { shiplog, begin, said } = await acpFixture({
    prompts: [
      [
        textChunk('I start one.', 'm1'),
        ...started('c1', 'Explore', 'toolu_1'),
        inside('c1', textChunk('I look.', 'k1')),
        ...started('c2', 'Deeper', 'toolu_2', 'c1'),
        inside('c2', textChunk('I am deep.', 'd1')),
        idle('c2', {}, 'c1'),
        inside('c1', {
          ask: command,
          allowed: [inside('c1', callUpdate('b1', { status: 'completed', rawOutput: 'a.txt' }))],
        } as Step),
        // It is told more while it works, and something that this version does not know.
        {
          update: {
            sessionUpdate: 'session_message',
            messageId: 'more',
            senderSessionId: 'SELF',
            recipientSessionId: 'c1',
            content: [{ type: 'text', text: 'Hurry' }],
          },
          of: 'c1',
        },
        inside('c1', { update: { sessionUpdate: 'a_new_kind' } }),
        inside('c1', textChunk('One file.', 'k2')),
        idle('c1', { usage: { totalTokens: 12, inputTokens: 9, outputTokens: 3 } }),
        textChunk('All is done.', 'm2'),
        // Once more: another task, as a completed one never runs again.
        ...started('c1', 'Explore again', 'toolu_3'),
        inside('c1', textChunk('Still one.', 'k3')),
        idle('c1'),
        ended(),
      ],
    ],
  })
  const root = await begin('ask')
  const asked: string[][] = []
  await until(shiplog, async (tasks) => {
    const { questions } = await shiplog.client.permissions.list()
    for (const { id, text, chain } of questions) {
      asked.push([text, ...chain.map(({ title }) => title)])
      await shiplog.client.permissions.answer({ id, decision: { kind: 'allow-once' } })
    }
    return tasks.find(({ id }) => id === root)?.status === 'completed'
  })
  await untilQuiet(shiplog)
  expect(asked).toEqual([['rm x', 'Lead', 'Explore']])
  const tasks = await allTasks(shiplog)
  expect(
    tasks.map(({ title, agent, status, depth, callId }) => [title, agent, status, depth, callId]),
  ).toEqual([
    ['Lead', 'acp', 'completed', 0, null],
    ['Explore', 'explorer', 'completed', 1, 'toolu_1'],
    ['Deeper', 'explorer', 'completed', 2, 'toolu_2'],
    ['Explore again', 'explorer', 'completed', 1, 'toolu_3'],
  ])
  const [, explore, deeper, again] = tasks.map(({ id }) => id)
  if (!explore || !deeper || !again) return expect.unreachable()
  expect(await said(root)).toEqual([
    ['user', 'Go'],
    ['assistant', 'I start one. tool-call'],
    ['assistant', 'All is done. tool-call'],
  ])
  expect(await said(explore)).toEqual([
    ['user', 'Do Explore'],
    ['assistant', 'I look. tool-call tool-call'],
    ['assistant', 'One file. tool-call'],
  ])
  expect(await said(deeper)).toEqual([
    ['user', 'Do Deeper'],
    ['assistant', 'I am deep. tool-call'],
  ])
  expect((await shiplog.client.tasks.report({ taskId: again })).reportMarkdown).toBe('Still one.')
  expect(tasks[1]?.usage).toMatchObject({ inputTokens: 9, outputTokens: 3, complete: true })
  const foreign = (await entriesOf(shiplog, explore)).flatMap((entry) =>
    entry.type === 'foreign' ? [entry.content] : [],
  )
  expect(foreign).toMatchObject([{ messageId: 'more' }, { sessionUpdate: 'a_new_kind' }])
})

/** As Codex announces one: with its prompt as the description, and a state later. */
const codexChild = (id: string): Step[] => [
  subAgent(id, { capabilities: {}, description: 'Count the files.' }),
  inside(id, {
    update: {
      sessionUpdate: 'config_option_update',
      configOptions: [
        { id: 'model', category: 'model', type: 'select', currentValue: 'gpt-small' },
      ],
    },
  }),
  subAgent(id, { state: { state: 'running' }, capabilities: { cancel: {} } }),
]

it('lets one finish after the answer of its parent, and stops a single one', async () => {
  const { shiplog, begin, said } = await acpFixture({
    prompts: [
      [
        ...codexChild('a'),
        ...codexChild('b'),
        textChunk('They work.', 'm1'),
        {
          after: [
            inside('a', call('x', { title: 'ls', kind: 'execute' })),
            inside('a', callUpdate('x', { status: 'completed', rawOutput: '1' })),
            inside('a', textChunk('One.', 'k1')),
            idle('a'),
            { untilOtherCancelled: 'b' },
            idle('b', { stopReason: 'cancelled' }),
          ],
        },
        ended(),
      ],
    ],
  })
  const root = await begin()
  await until(shiplog, (tasks) =>
    tasks.some(({ status, parentId }) => parentId !== null && status === 'completed'),
  )
  const [lead, a, b] = await allTasks(shiplog)
  if (!lead || !a || !b) return expect.unreachable()
  expect([lead.status, b.status]).toEqual(['spawned', 'spawned'])
  const { wrapUp } = shiplog.client.tasks
  await expect(wrapUp({ taskId: b.id })).rejects.toThrow('inside its parent’s agent')
  expect(await wrapUp({ taskId: root })).toMatchObject({ asked: [root] })
  await shiplog.client.tasks.stop({ taskId: b.id })
  await until(shiplog, (tasks) => tasks.find(({ id }) => id === root)?.status === 'completed')
  expect(
    (await allTasks(shiplog)).map(({ title, status, cause }) => [title, status, cause?.kind]),
  ).toEqual([
    ['Lead', 'completed', undefined],
    ['Count the files.', 'completed', undefined],
    ['Count the files.', 'interrupted', 'stopped'],
  ])
  expect(await said(a.id)).toEqual([
    ['user', 'Count the files.'],
    ['assistant', 'tool-call'],
    ['assistant', 'One. tool-call'],
  ])
  const entries = await entriesOf(shiplog, a.id)
  const messages = entries.filter(({ type }) => type === 'message')
  expect(messages.at(-1)).toMatchObject({ model: 'gpt-small' })
})

it('attributes the paths, questions and files of one in another folder correctly', async () => {
  const elsewhere = await temporaryDir()
  await writeFile(join(elsewhere, 'old.txt'), 'old\n')
  const edit = (id: string, path: string) => ({
    toolCallId: id,
    title: 'Edit',
    kind: 'edit',
    content: [{ type: 'diff', path, oldText: null, newText: 'x\n' }],
  })
  const list = {
    toolCallId: 'b1',
    title: 'rm',
    kind: 'execute',
    rawInput: { command: 'rm old.txt' },
  }
  const asks = (id: string, ask: object): Step =>
    ({
      ask,
      of: 'a',
      allowed: [inside('a', callUpdate(id, { status: 'completed' }))],
    }) as Step
  const { shiplog, project, begin } = await acpFixture({
    prompts: [
      [
        ...codexChild('a'),
        inside('a', textChunk('Here.', 'k1')),
        inside('a', call('e0', edit('e0', 'here.txt'))),
        inside('a', callUpdate('e0', { status: 'completed' })),
        subAgent('a', { cwd: elsewhere }),
        inside('a', textChunk('There.', 'k2')),
        asks('e1', edit('e1', 'a.txt')),
        asks('e2', edit('e2', join(elsewhere, 'b.txt'))),
        asks('b1', list),
        // One of its own works where it does.
        subAgent('n', { description: 'Look.', state: { state: 'running' } }, 'a'),
        inside('n', textChunk('Deep.', 'n1')),
        inside('n', call('e3', { ...edit('e3', 'c.txt'), status: 'completed' })),
        subAgent('n', { state: { state: 'idle', stopReason: 'end_turn' } }, 'a'),
        inside('a', textChunk('Done.', 'k3')),
        idle('a'),
        ended(),
      ],
    ],
  })
  await begin('allow-edits')
  const asked: [string, string][] = []
  await until(shiplog, async (tasks) => {
    const { questions } = await shiplog.client.permissions.list()
    for (const { id, text, directory } of questions) {
      asked.push([text.split('\n')[0] ?? '', directory])
      await shiplog.client.permissions.answer({ id, decision: { kind: 'allow-once' } })
    }
    return tasks.length === 3 && tasks.every(({ status }) => status === 'completed')
  })
  const [, child, nested] = await allTasks(shiplog)
  if (!child || !nested) return expect.unreachable()
  const here = child.workspace?.path ?? project.dir
  expect(asked).toEqual([
    [`Write ${join(elsewhere, 'a.txt')}:`, here],
    [`Write ${join(elsewhere, 'b.txt')}:`, here],
    ['rm old.txt', elsewhere],
  ])
  const messages = (await entriesOf(shiplog, child.id)).flatMap((entry) =>
    entry.type === 'message' && entry.role === 'assistant' ? [entry] : [],
  )
  expect(messages.map(({ cwd }) => cwd)).toEqual([here, elsewhere, elsewhere])
  const pathsOf = async (taskId: TaskId) =>
    (await entriesOf(shiplog, taskId)).flatMap((entry) => {
      if (entry.type !== 'tool-result') return []
      const { path } = (entry.detail ?? {}) as { path?: string }
      return path === undefined ? [] : [[path, entry.tree !== undefined]]
    })
  expect(await pathsOf(child.id)).toEqual([
    ['here.txt', true],
    [join(elsewhere, 'a.txt'), false],
    [join(elsewhere, 'b.txt'), false],
  ])
  expect(await pathsOf(nested.id)).toEqual([[join(elsewhere, 'c.txt'), false]])
})

itInSoak(
  'interrupts them with the process of their parent, and resumes one in a process of its own',
  async () => {
    const { shiplog, begin, play, said } = await acpFixture({
      prompts: [
        [...started('c1', 'Explore', 'toolu_1'), inside('c1', textChunk('Half')), { exit: 3 }],
      ],
    })
    const root = await begin()
    await until(
      shiplog,
      (tasks) => tasks.length === 2 && tasks.every(({ status }) => status === 'interrupted'),
    )
    const [, child] = await allTasks(shiplog)
    if (!child) return expect.unreachable()
    expect(child.cause).toMatchObject({ kind: 'agent-died', exitCode: 3 })
    await play({ prompts: [[textChunk('The whole.'), ended()]] })
    await shiplog.client.tasks.resume({ selector: { by: 'tree', taskId: root } })
    await until(shiplog, (tasks) => tasks.every(({ status }) => status === 'completed'))
    expect(await said(child.id)).toEqual([
      ['user', 'Do Explore'],
      ['assistant', 'Half'],
      // It was asked for its report once.
      ['assistant', 'The whole.'],
      ['assistant', 'The whole. tool-call'],
    ])
  },
)
