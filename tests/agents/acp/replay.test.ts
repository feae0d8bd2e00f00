/** What a loaded session replays: reasoning, outputs, secrets, and sub-agents that the agent ran itself. */
import { expect, it } from 'vitest'
import {
  type AgentScript,
  call,
  ended,
  inside,
  subAgent,
  textChunk,
  thought,
} from '../../acp-agent/script.ts'
import { allTasks, entriesOf, until, untilQuiet } from '../../harness.ts'
import { acpFixture } from './acp-fixture.ts'
import { acpStage, asking } from './acp-stage.ts'

it('[G4] does not report messages of sub-agents, or the call that represents one, as differences', async () => {
  const loads: Pick<AgentScript, 'capabilities'> = { capabilities: { loadSession: true } }
  const running = { title: 'Explore', description: 'explorer', state: { state: 'running' } }
  const idle = { state: { state: 'idle', stopReason: 'end_turn' } }
  const updateOf = (step: object) => (step as { update: object }).update
  const { shiplog, begin, play } = await acpFixture({
    ...loads,
    prompts: [
      [
        textChunk('I start one.', 'm1'),
        subAgent('c1', running),
        inside('c1', textChunk('One file.', 'k1')),
        subAgent('c1', idle),
        textChunk('All is done.', 'm2'),
        ended(),
      ],
    ],
  })
  const root = await begin()
  const completed = (runs: number) =>
    until(shiplog, (tasks) =>
      tasks.some(
        (task) => task.id === root && task.status === 'completed' && task.runs.length === runs,
      ),
    )
  await completed(1)
  await untilQuiet(shiplog)
  await play({
    ...loads,
    replay: [
      updateOf(textChunk('I start one.', 'm1')),
      updateOf(subAgent('c1', running)),
      { ...updateOf(textChunk('One file.', 'k1')), of: 'c1' },
      updateOf(subAgent('c1', idle)),
      updateOf(textChunk('All is done.', 'm2')),
    ],
    // Claude Code reports its end once more after the session was loaded.
    prompts: [[subAgent('c1', idle), textChunk('More.', 'm3'), ended()]],
  })
  await shiplog.client.tasks.prompt({ taskId: root, prompt: 'More' })
  await completed(2)
  const foreign = (await entriesOf(shiplog, root)).filter(({ type }) => type === 'foreign')
  expect(foreign).toEqual([])
  expect((await allTasks(shiplog)).map(({ title }) => title)).toEqual(['Lead', 'Explore'])
})

it('[G4] compares replayed reasoning and outputs, and texts with their secrets masked', async () => {
  const { run, entries, notices, secrets } = await acpStage()
  secrets.learn([{ name: 'KEY', value: 'hunter2-hunter2' }])
  const script = { capabilities: { loadSession: true }, modes: asking }
  const resume = { reason: 'resume' as const, prompt: { text: '', images: [] } }
  const prompts = [[ended()]]
  const ran = (id: string, output: string) =>
    call(id, {
      title: 'ls',
      kind: 'execute',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: output } }],
    })
  const updates = (...steps: object[]) => steps.map((step) => (step as { update: object }).update)
  const said = textChunk('The key is hunter2-hunter2, and it works.')
  const first = [
    thought('First I '),
    thought('look.'),
    said,
    ran('a', 'one\ntwo'),
    ran('b', 'three'),
  ]
  await run({ ...script, prompts: [[...first, thought('Done.'), ended()]] })
  const foreign = async () =>
    (await entries()).flatMap((entry) => (entry.type === 'foreign' ? [entry.content] : []))

  // Without its last thought, in one piece, and with an output cut short.
  const same = updates(thought('First I look.'), said, ran('a', '```\none\n```'), ran('b', 'three'))
  await run({ ...script, replay: same, prompts }, { ...resume, run: 2 })
  expect([await foreign(), notices]).toEqual([[], []])

  const other = updates(thought('I look at hunter2-hunter2.'), said, ran('a', 'one'), ran('b', '4'))
  await run({ ...script, replay: other, prompts }, { ...resume, run: 3 })
  expect(await foreign()).toEqual([
    {
      replay: {
        sentences: [
          expect.stringContaining('has reasoning that this one does not have'),
          'One call has another output in the agent’s own record.',
        ],
        onlyAgent: {
          text: '',
          reasoning: 'I look at [hidden: KEY].',
          calls: [{ callId: 'b', title: 'ls', status: 'completed', output: '4' }],
        },
      },
    },
  ])
})
