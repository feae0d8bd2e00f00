/** Lists and tests of models, against the fake of the four services. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createModelSettings } from '../../../src/main/agents/providers/model-settings.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import { startFakeModels } from '../../fake-models/fake-models.ts'
import { call, say } from '../../fake-models/script.ts'
import { temporaryDir } from '../../harness.ts'

async function settingsFor(provider: { baseUrl: string; key?: string }) {
  const dir = await temporaryDir()
  const secrets = createMasker()
  const models = await createModelSettings({
    files: { providers: join(dir, 'providers.json'), keys: join(dir, 'keys.json') },
    keychain: null,
    env: {},
    usesEnvironment: false,
    mask: secrets.text,
    learn: secrets.learn,
    onWarning: () => undefined,
  })
  const { baseUrl, key } = provider
  await models.providers.save({ name: 'fake', kind: 'openai-compatible', baseUrl }, key)
  return models
}

it('lists the models of a server, and explains a problem with its key', async () => {
  const fake = await startFakeModels({ script: [] })
  onTestFinished(() => fake.stop())
  const models = await settingsFor({ baseUrl: fake.baseURLs.chat, key: fake.key })
  const names = await models.list('fake')
  expect(names.length).toBeGreaterThan(0)
  expect(names).toEqual(names.toSorted())
  const wrong = await settingsFor({ baseUrl: fake.baseURLs.chat, key: 'sk-wrong-0123456789' })
  await expect(wrong.list('fake')).rejects.toThrow('refused the key (401)')
  await expect(models.list('other')).rejects.toMatchObject({
    failure: { kind: 'not-found', what: 'provider' },
  })
})

it.each([
  ['HTML', '<!doctype html><p>Welcome', 'not with a list of models'],
  ['a list of something else', '{"data":[{"name":"x"}]}', 'not with a list of models'],
])('says so when %s comes for a list', async (_, body, said) => {
  const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const models = await settingsFor({ baseUrl: `http://127.0.0.1:${port}/v1` })
  await expect(models.list('fake')).rejects.toThrow(said)
})

it('states that a server has no list of models, which may still work', async () => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const models = await settingsFor({ baseUrl: `http://127.0.0.1:${port}/v1` })
  await expect(models.list('fake')).rejects.toMatchObject({
    failure: { reason: 'no-model-list', message: expect.stringContaining('type a model’s name') },
  })
})

it('reports that no server answers', async () => {
  const models = await settingsFor({ baseUrl: 'http://127.0.0.1:1/v1' })
  await expect(models.list('fake')).rejects.toThrow('http://127.0.0.1:1 can’t be reached')
})

it('explains where nothing listens, for a list and for a test', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  const models = await settingsFor({ baseUrl: `http://127.0.0.1:${port}/v1` })
  const why =
    'nothing answers at this port: check that the server runs, and the port (ECONNREFUSED)'
  await expect(models.list('fake')).rejects.toThrow(`can’t be reached: ${why}.`)
  expect(JSON.stringify(await models.test({ model: 'fake/any' }))).toContain(why)
})

it('tests a model: whether it answers, calls a tool, or why not', async () => {
  const fake = await startFakeModels({
    script: [[call('report_ready', { word: 'ready' })], [say('I am ready.')], { status: 529 }],
  })
  onTestFinished(() => fake.stop())
  const models = await settingsFor({ baseUrl: fake.baseURLs.chat, key: fake.key })
  const [name] = await models.list('fake')
  const test = () => models.test({ model: `fake/${name}` })
  expect(await test()).toMatchObject({ outcome: 'ok', callsTools: true, contextTokens: 200_000 })
  expect(await test()).toMatchObject({ outcome: 'ok', callsTools: false, answer: 'I am ready.' })
  expect(await test()).toMatchObject({ outcome: 'failed' })
  expect(fake.refused).toEqual([])
  await expect(models.test({ model: 'nobody/x' })).rejects.toMatchObject({
    failure: { field: 'model' },
  })
})

it('[K1] hides a key that a server repeats in its answer', async () => {
  const key = 'sk-planted-0123456789'
  const server = createServer((request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `no ${request.headers.authorization}` } }))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const models = await settingsFor({ baseUrl: `http://127.0.0.1:${port}/v1`, key })
  const test = await models.test({ model: 'fake/x' })
  expect(test).toMatchObject({
    outcome: 'failed',
    why: expect.stringContaining('[hidden: fake key]'),
  })
  expect(JSON.stringify(test)).not.toContain(key)
})
