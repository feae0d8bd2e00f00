/** Runs all agents as roots of one host, each recorded and with Shiplog's tools. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import type { Sample } from '../runner/rounds.ts'
import { prepareAgents, type Streaming } from './streaming.ts'

export async function streamRecorded(given: Streaming): Promise<Sample> {
  const { dir, agents, program } = given
  const streaming = await prepareAgents(given)
  const project = join(dir, 'project')
  await mkdir(project)
  const shiplog = await openShiplog({ dataDir: join(dir, 'data'), host: 'cli' })
  const { client } = shiplog
  const { id: projectId } = await client.projects.add({ dir: project })
  for (const folder of streaming.folders)
    await client.tasks.start({
      projectId,
      prompt: 'Write.',
      permissions: 'allow-all',
      isolation: 'in-place',
      agent: {
        kind: 'acp',
        program: 'acp',
        command: `env SCRIPTED_ACP=${folder} ${process.execPath} ${program}`,
      },
    })
  await streaming.untilReady()
  const sample = await streaming.measure(async () => {
    for await (const _ of await client.feed.ledger()) {
      const { tasks } = await client.tasks.list({})
      const wrong = tasks.find(({ status }) => ['interrupted', 'failed'].includes(status))
      if (wrong) throw new Error(`The run ended as ${wrong.status}.`)
      if (tasks.filter(({ status }) => status === 'completed').length === agents) return
    }
  })
  await shiplog.close()
  streaming.expectGone()
  return sample
}
