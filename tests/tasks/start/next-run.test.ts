/** Model and mode of permissions of a conversation, changed between its runs. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { startFakeModels } from '../../fake-models/fake-models.ts'
import { usualModels } from '../../fake-models/provider-models.ts'
import { type Script, say } from '../../fake-models/script.ts'
import {
  allTasks,
  entriesOf,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'

async function withModels(script: Script) {
  const fake = await startFakeModels({ script })
  onTestFinished(() => fake.stop())
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const entries = {
    claude: { kind: 'anthropic', baseUrl: fake.baseURLs.anthropic },
    local: { kind: 'openai-compatible', baseUrl: fake.baseURLs.chat },
  } as const
  for (const [name, entry] of Object.entries(entries))
    await client.models.saveProvider({ name, ...entry, key: fake.key })
  const claude = `claude/${usualModels.anthropic.id}`
  const local = `local/${usualModels.chat.id}`
  const startOn = async (model: string) =>
    client.tasks.start({
      projectId: fixture.project.id,
      agent: { kind: 'model', model },
      prompt: '[talk] Go.',
    })
  return { fixture, fake, client, claude, local, startOn }
}

it('changes model and permissions of a conversation from its next run on', async () => {
  const { fixture, fake, client, claude, local, startOn } = await withModels({
    '[talk]': [[say('First.')], [say('Second.')]],
  })
  const { shiplog } = fixture
  const { taskId } = await startOn(claude)
  await untilQuiet(shiplog)
  await client.tasks.setNextRun({ taskId, model: local, permissions: 'allow-edits' })
  await client.tasks.prompt({ taskId, prompt: 'Go on.' })
  await until(shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  expect(fake.refused).toEqual([])
  expect(fake.requests.map(({ wire }) => wire)).toEqual(['anthropic', 'chat'])
  // The other provider was told the conversation so far.
  expect(JSON.stringify(fake.requests[1]?.body)).toContain('First.')
  const starts = (await entriesOf(shiplog, taskId)).flatMap((entry) =>
    entry.type === 'run-start' ? [[entry.model, entry.permissions]] : [],
  )
  expect(starts).toEqual([
    [`anthropic/${usualModels.anthropic.id}`, 'ask'],
    [`openai-compatible/${usualModels.chat.id}`, 'allow-edits'],
  ])
  // Also after a restart, and for a task that goes on from it.
  await fixture.restart()
  expect(await taskOf(fixture.shiplog, taskId)).toMatchObject({
    model: `openai-compatible/${usualModels.chat.id}`,
    spec: { baseUrl: fake.baseURLs.chat },
    options: { permissions: 'allow-edits' },
  })
})

it('[T4] a task that continues another has its model and mode, or the requested ones', async () => {
  const { fixture, fake, client, claude, local, startOn } = await withModels({
    '[talk]': [[say('First.')], [say('Second.')], [say('Third.')]],
  })
  const { taskId } = await startOn(claude)
  await untilQuiet(fixture.shiplog)
  const given = [{}, { model: local, permissions: 'allow-all' as const }]
  const continued: TaskId[] = []
  for (const one of given)
    continued.push((await client.tasks.continueFrom({ taskId, prompt: 'On.', ...one })).taskId)
  await untilQuiet(fixture.shiplog)
  const tasks = await Promise.all(continued.map((id) => taskOf(fixture.shiplog, id)))
  expect(tasks.map(({ model, options }) => [model, options.permissions])).toEqual([
    [`anthropic/${usualModels.anthropic.id}`, undefined],
    [`openai-compatible/${usualModels.chat.id}`, 'allow-all'],
  ])
  expect(fake.refused).toEqual([])
})

it('[G7] refuses a model without a key before anything is created, and states where to set one up', async () => {
  const { fixture, client, claude, startOn } = await withModels({ '[talk]': [[say('First.')]] })
  const noKey = {
    code: 'REFUSED',
    data: { reason: 'not-set-up' },
    message:
      'There is no key for openai. Set one up in Settings › Models or by shiplog agent setup, or set OPENAI_API_KEY for the command line.',
  }
  await expect(startOn('openai/gpt-6.1-sol')).rejects.toMatchObject(noKey)
  expect(await allTasks(fixture.shiplog)).toEqual([])
  for (const folder of ['sessions', 'worktrees']) {
    const dir = join(fixture.dataDir, folder)
    expect(existsSync(dir) ? readdirSync(dir) : []).toEqual([])
  }
  const { taskId } = await startOn(claude)
  await untilQuiet(fixture.shiplog)
  const change = { taskId, model: 'openai/gpt-6.1-sol', permissions: 'allow-all' as const }
  await expect(client.tasks.setNextRun(change)).rejects.toMatchObject(noKey)
  await expect(client.tasks.continueFrom(change)).rejects.toMatchObject(noKey)
  await expect(client.tasks.setNextRun({ taskId, model: 'nobody/x' })).rejects.toMatchObject({
    data: { field: 'model' },
  })
  expect(await allTasks(fixture.shiplog)).toMatchObject([
    { model: `anthropic/${usualModels.anthropic.id}`, options: { agentsAtOnce: 3, keep: false } },
  ])
})

it('refuses a model for a scripted agent', async () => {
  const fixture = await openFixture()
  const scenario = 'version: 1\nname: a\nagents:\n  lead:\n    turns:\n      - say: Done.\n'
  const taskId = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  await expect(
    fixture.shiplog.client.tasks.setNextRun({ taskId, model: 'anthropic/claude-opus-5-5' }),
  ).rejects.toMatchObject({ data: { field: 'model' }, message: /plays its scenario/ })
})

it('starts a model without a price under a default limit in money, but not under one that was chosen for it', async () => {
  const { fixture, client, local, startOn } = await withModels({ '[talk]': [[say('Done.')]] })
  expect(await client.models.priced({ model: local })).toEqual({ priced: false })
  expect(await client.models.priced({ model: 'anthropic/claude-opus-5-5' })).toEqual({
    priced: true,
  })
  expect(await client.models.priced({ model: 'nobody/x' })).toEqual({ priced: null })
  await client.limits.setSettings({ budget: { usd: 1.5 }, quotaWaits: 0 })
  const { taskId } = await startOn(local)
  await untilQuiet(fixture.shiplog)
  expect(await taskOf(fixture.shiplog, taskId)).toMatchObject({ status: 'completed' })
  await expect(
    client.tasks.start({
      projectId: fixture.project.id,
      agent: { kind: 'model', model: local },
      prompt: '[talk] Go.',
      budget: { usd: 5 },
    }),
  ).rejects.toThrow(`${local} has no known price`)
})
