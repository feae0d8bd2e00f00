/** What a loaded session replays of sub-agents that the agent ran itself. */
import { expect, it } from 'vitest'
import { type AgentScript, ended, inside, subAgent, textChunk } from '../../acp-agent/script.ts'
import { entriesOf, until, untilQuiet } from '../../harness.ts'
import { acpFixture } from './acp-fixture.ts'

it('[G4] takes neither what sub-agents said, nor the call that stands for one, for a difference', async () => {
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
    prompts: [[textChunk('More.', 'm3'), ended()]],
  })
  await shiplog.client.tasks.prompt({ taskId: root, prompt: 'More' })
  await completed(2)
  const foreign = (await entriesOf(shiplog, root)).filter(({ type }) => type === 'foreign')
  expect(foreign).toEqual([])
})
