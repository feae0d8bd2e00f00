/** Planted secrets in the run of a model: none is in the record, and on the wire only the provider's own key (K1, K3). */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { startFakeModels } from '../fake-models/fake-models.ts'
import { usualModels } from '../fake-models/provider-models.ts'
import { call, say, think } from '../fake-models/script.ts'
import { allTasks, entriesOf, untilQuiet } from '../harness.ts'
import { isSoak } from '../soak.ts'
import { fixtureWithSecrets, leaksIn, planted, recordedFiles } from './planted-secrets.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each(isSoak ? (['anthropic', 'responses'] as const) : (['anthropic'] as const))(
  '[K1] [K3] a run on the wire %s leaks neither the key of its provider nor what is secret to its project',
  async (wire) => {
    const key = ['sk', 'ant', 'pl4nted-provider-key-01'].join('-')
    const fake = await startFakeModels({
      key,
      script: {
        '[root]': [
          [
            call('bash', { command: 'cat .env copied/extra.env; base64 .env; env; git remote -v' }),
            call('read_file', { path: '.env' }),
          ],
          // What it says comes in pieces: the values are split over them.
          [
            think(`I was given ${planted.envFile}.`),
            say(`The key is ${planted.environment}, or ${key}.`),
            call('write_file', { path: 'out.txt', content: `key ${planted.copied}\n` }),
            call('bash', { command: `echo ${key}; cat settings.txt` }),
          ],
          [call('task', { agent: 'implement', title: planted.copied, prompt: '[sub] Go.' })],
          [say(`It was ${planted.envFile}.`)],
        ],
        '[sub]': [
          [call('agent_report', { title: 'Done', markdown: `With ${planted.copied} and ${key}.` })],
        ],
      },
    })
    onTestFinished(() => fake.stop())
    const fixture = await fixtureWithSecrets()
    const { shiplog, project, dataDir } = fixture
    const kind = wire === 'responses' ? 'openai' : wire
    const baseUrl = fake.baseURLs[wire]
    await shiplog.client.models.saveProvider({ name: 'planted', kind, baseUrl, key })
    const { taskId } = await shiplog.client.tasks.start({
      projectId: project.id,
      agent: { kind: 'model', model: `planted/${usualModels[wire].id}` },
      prompt: `[root] Look at ${planted.environment} and ${planted.envFile}.`,
      permissions: 'allow-all',
    })
    await untilQuiet(shiplog)
    expect(await allTasks(shiplog)).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
    ])
    expect(fake.refused).toEqual([])
    const leaks = (text: string) => [...leaksIn(text), ...(text.includes(key) ? ['key'] : [])]
    const answers = [
      await allTasks(shiplog),
      await entriesOf(shiplog, taskId),
      await shiplog.client.models.providers({}),
      await shiplog.client.app.info(),
    ]
    expect(leaks(JSON.stringify(answers))).toEqual([])
    // The agent gets the text of the record. Later requests hold what the model has made up itself.
    const [, second] = fake.requestsOf('[root]')
    const sent = JSON.stringify(second?.body)
    expect(sent).toContain('[hidden: DB_PASS]')
    expect(leaks(sent)).toEqual([])
    const elsewhere = fake.requests.map(({ path, headers }) => path + JSON.stringify(headers))
    expect(leaks(elsewhere.join('\n'))).toEqual([])
    await shiplog.close()
    for (const [name, text] of await recordedFiles(dataDir))
      if (name !== 'keys.json') expect({ name, leaks: leaks(text) }).toEqual({ name, leaks: [] })
    expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).toContain(key)
    // The tool wrote what the model said: the file is the user's, and no key of Shiplog's.
    const patch = execFileSync('git', ['log', '--all', '-p'], {
      cwd: project.dir,
      encoding: 'utf8',
    })
    expect(patch).not.toContain(key)
  },
  60_000,
)
