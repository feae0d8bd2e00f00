import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allTasks, type Fixture, openFixture, start, taskOf, until } from '../harness.ts'

const talk = 'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - say: Hello.\n'

async function fixtureWithSetup(setup: string): Promise<Fixture> {
  const config = `setup: ${JSON.stringify(setup)}\n`
  const fixture = await openFixture({ files: { '.shiplog/project.yaml': config } })
  const { client } = fixture.shiplog
  const projectId = fixture.project.id
  const { configSha256 } = await client.projects.setup({ projectId })
  await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
  return fixture
}

it.each([
  ['in its own process group', 'sleep 60 & echo ready'],
  ['in a group of its own', 'setsid sleep 60 & echo ready'],
])('does not wait for what a set-up command leaves running %s', async (_, setup) => {
  const fixture = await fixtureWithSetup(setup)
  await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
})

it('can be stopped while it runs', async () => {
  const fixture = await fixtureWithSetup('setsid sleep 60 & sleep 60')
  const root = await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'spawned'))
  const stopped = await fixture.shiplog.client.tasks.stop({ taskId: root })
  expect(stopped.stopped).toEqual([root])
  expect((await taskOf(fixture.shiplog, root)).error).toBe('stopped by the person')
})

it('is tried again with the follow-up when it failed', async () => {
  const fixture = await fixtureWithSetup('test -e ../../../allowed && echo made > made.txt')
  const root = await start(fixture, talk)
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'interrupted'))
  expect((await allTasks(fixture.shiplog))[0]?.error).toContain('exit code 1')
  await writeFile(join(fixture.dataDir, 'allowed'), '')
  await fixture.shiplog.client.tasks.prompt({ taskId: root, prompt: 'Again' })
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'completed'))
  const { workspace } = await taskOf(fixture.shiplog, root)
  expect(await readFile(join(workspace?.path ?? '', 'made.txt'), 'utf8')).toBe('made\n')
})
