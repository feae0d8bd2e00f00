/** Planted secrets: wherever they are said, none is in the record, on a feed or in an answer (K2, K3, K5). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { allTasks, type Fixture, git, start, taskOf, until, writeFiles } from '../harness.ts'
import { fixtureWithSecrets, leaksIn, planted, recordedFiles } from './planted-secrets.ts'

const bash = (command: string) => ({ call: 'bash', with: { command } })
const call = (name: string, input: object) => ({ call: name, with: input })

const scenario = JSON.stringify({
  version: 1,
  name: 'secrets',
  agents: {
    lead: {
      turns: [
        {
          steps: [
            { think: `I was told ${planted.environment}.` },
            { say: `The key is ${planted.environment}, I think.` },
          ],
        },
        {
          steps: [
            bash('cat .env copied/extra.env'),
            bash('echo "[$STRIPE_KEY]"; git remote -v'),
            bash('base64 -w 20 .env; base64 copied/extra.env'),
            bash(`printf '%s' 'https://x/?k=${encodeURIComponent(planted.envFile)}'`),
            bash('cat settings.txt'),
            bash('export DEPLOY_TOKEN=$(printf "exp0rted-t0"; echo "ken-9q") PLAIN=kept'),
            bash('echo "$DEPLOY_TOKEN and $PLAIN"'),
            call('read_file', { path: '.env' }),
            call('search_files', { pattern: 'database' }),
            call('write_file', { path: 'out.txt', content: `key ${planted.copied}` }),
            call('task', {
              agent: 'helper',
              title: `Use ${planted.copied}`,
              prompt: `With ${planted.envFile}`,
            }),
          ],
        },
        { report: { title: `Used ${planted.remote}`, markdown: `It was ${planted.envFile}.` } },
      ],
    },
    helper: {
      turns: [
        { say: `I have ${planted.copied}.` },
        { report: { title: 'Done', markdown: `With ${planted.copied}.` } },
      ],
    },
  },
})

afterEach(() => {
  vi.unstubAllEnvs()
})

async function entriesOf({ shiplog }: Fixture, taskId: TaskId): Promise<Entry[]> {
  return (await shiplog.client.workspace.getSubagentTranscript({ taskId, limit: 500 })).entries
}

it('[K3] stores no planted secret in any form, and gives the agent the recorded text', async () => {
  const fixture = await fixtureWithSecrets()
  const { client } = fixture.shiplog
  const heard: unknown[] = []
  const aborted = new AbortController()
  const feed = await client.feed.ledger({}, { signal: aborted.signal })
  const listening = (async () => {
    for await (const event of feed) heard.push(event)
  })().catch(() => undefined)
  const prompt = `Look at ${planted.environment} and ${planted.envFile}`
  const root = await start(fixture, scenario, { prompt })
  await until(
    fixture.shiplog,
    (tasks) => tasks.length === 2 && tasks.every((task) => task.status === 'completed'),
  )
  const entries = await entriesOf(fixture, root)
  const answers = {
    tasks: await allTasks(fixture.shiplog),
    entries,
    info: await client.app.info(),
    report: await client.tasks.report({ taskId: root }),
  }
  expect(leaksIn(JSON.stringify([answers, heard]))).toEqual([])
  await fixture.shiplog.close()
  aborted.abort()
  await listening
  for (const [name, text] of await recordedFiles(fixture.dataDir))
    expect({ name, leaks: leaksIn(text) }).toEqual({ name, leaks: [] })

  const outputs = entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.output] : []))
  expect(outputs[0]).toBe(
    'DB_PASS="[hidden: DB_PASS]"\nPORT=8080\nMODE=development\nAPI_TOKEN=[hidden: API_TOKEN]',
  )
  expect(outputs[1]).toContain(
    '[]\norigin\thttps://me:[hidden: URL of the remote origin]@example.com/x.git'.slice(0, 3),
  )
  expect(outputs[2]).toContain('[hidden: DB_PASS]')
  expect(outputs[4]).toBe('database [hidden: DATABASE]')
  expect(outputs[6]).toBe('[hidden: DEPLOY_TOKEN] and kept')
  const task = await readFile(join(fixture.dataDir, 'ledger.jsonl'), 'utf8')
  expect(task).toContain('Look at [hidden: STRIPE_KEY] and [hidden: DB_PASS]')
})

it('[K5] records a command’s changes of its shell once, and of a secret only the name', async () => {
  const fixture = await fixtureWithSecrets()
  const root = await start(fixture, scenario)
  await until(
    fixture.shiplog,
    (tasks) => tasks.length === 2 && tasks.every((task) => task.status === 'completed'),
  )
  const shells = (await entriesOf(fixture, root)).flatMap((entry) =>
    entry.type === 'tool-result' && entry.shell ? [entry.shell] : [],
  )
  const { path: cwd } = (await taskOf(fixture.shiplog, root)).workspace ?? {}
  expect(shells.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => ({ cwd, env: {} })))
  expect(shells.slice(5)).toEqual([
    { cwd, env: { PLAIN: 'kept' }, hidden: ['DEPLOY_TOKEN'] },
    { cwd, env: {} },
  ])
})

it('[K2] lists withheld variables once, by name, and passes on those that the user names', async () => {
  const fixture = await fixtureWithSecrets()
  const turns = [bash('test -n "$STRIPE_KEY" && echo given; echo "$GIT_DIR$SHIPLOG_X"')]
  const echo = JSON.stringify({ version: 1, name: 'e', agents: { lead: { turns } } })
  vi.stubEnv('GIT_DIR', '/elsewhere')
  vi.stubEnv('SHIPLOG_X', 'x')
  const run = async (env?: string[]) => {
    const { taskId } = await fixture.shiplog.client.tasks.start({
      projectId: fixture.project.id,
      agent: { kind: 'scripted', scenario: echo, source: 'e.yaml' },
      prompt: 'Go',
      env,
    })
    await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
    return { taskId, entries: await entriesOf(fixture, taskId) }
  }
  const withheldIn = (entries: Entry[]) =>
    entries.flatMap((entry) => (entry.type === 'run-start' ? [entry.withheld] : []))
  const outputIn = (entries: Entry[]) =>
    entries.find((entry) => entry.type === 'tool-result')?.output
  const first = await run()
  expect(withheldIn(first.entries)[0]).toEqual(expect.arrayContaining(['DATABASE', 'STRIPE_KEY']))
  expect(outputIn(first.entries)).toBe('')
  const second = await run(['STRIPE_KEY'])
  expect(withheldIn(second.entries)[0]).toContain('DATABASE')
  expect(withheldIn(second.entries)[0]).not.toContain('STRIPE_KEY')
  expect(outputIn(second.entries)).toBe('given')
  await fixture.shiplog.client.tasks.prompt({ taskId: second.taskId, prompt: 'Once more' })
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => task.runs.length === 2 && task.status === 'completed'),
  )
  const both = await entriesOf(fixture, second.taskId)
  expect(withheldIn(both)).toEqual([expect.any(Array), undefined])
  expect(both.findLast((entry) => entry.type === 'tool-result')?.output).toBe('given')
})

it('[K2] gives agents of a project with a list of variables no others', async () => {
  const fixture = await fixtureWithSecrets()
  vi.stubEnv('HARMLESS_ONE', 'one')
  vi.stubEnv('HARMLESS_TWO', 'two')
  const projectId = fixture.project.id
  const environment = { allowed: ['STRIPE_KEY'], only: ['HARMLESS_ONE'] }
  await fixture.shiplog.client.projects.setEnvironment({ projectId, environment })
  await fixture.restart()
  const turns = [
    bash(`echo "$HARMLESS_ONE,$HARMLESS_TWO,\${STRIPE_KEY:+given},\${DATABASE:-none}"`),
  ]
  const taskId = await start(
    fixture,
    JSON.stringify({ version: 1, name: 'e', agents: { lead: { turns } } }),
  )
  await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
  const entries = await entriesOf(fixture, taskId)
  expect(entries.find((entry) => entry.type === 'tool-result')?.output).toBe('one,,given,none')
})

it('[K2] gives the set-up command the same environment, and passes on variables that an allowed file names', async () => {
  const fixture = await fixtureWithSecrets()
  vi.stubEnv('GIT_DIR', '/elsewhere')
  const projectId = fixture.project.id
  await writeFiles(fixture.project.dir, {
    '.shiplog/project.yaml': `setup: echo "$STRIPE_KEY,\${DATABASE:-none},$GIT_DIR" > set-up.txt\nenv: [STRIPE_KEY]\n`,
  })
  const { client } = fixture.shiplog
  const setup = await client.projects.setup({ projectId })
  expect(setup).toMatchObject({ env: ['STRIPE_KEY'], trusted: false })
  await client.projects.trustSetup({ projectId, configSha256: setup.configSha256 ?? '' })
  const turns = [bash('cat set-up.txt')]
  const taskId = await start(
    fixture,
    JSON.stringify({ version: 1, name: 'e', agents: { lead: { turns } } }),
  )
  await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
  const entries = await entriesOf(fixture, taskId)
  expect(entries.find((entry) => entry.type === 'tool-result')?.output).toBe(
    '[hidden: STRIPE_KEY],none,',
  )
})

it('[K3] names no branch after a secret, which the prompt of its task holds', async () => {
  const fixture = await fixtureWithSecrets()
  const secret = 'a3f9c1d27be84065'
  vi.stubEnv('SIGNING_KEY', secret)
  await fixture.restart()
  const turns = [{ say: 'Done' }]
  const script = JSON.stringify({ version: 1, name: 'e', agents: { lead: { turns } } })
  const taskId = await start(fixture, script, { prompt: `Use ${secret}` })
  await until(fixture.shiplog, (tasks) => tasks.every((task) => task.status === 'completed'))
  const { workspace } = await taskOf(fixture.shiplog, taskId)
  expect(workspace?.branch).toMatch(/^shiplog\/use-hidden-signing-key-/)
  expect(git(fixture.project.dir, 'branch', '--list')).not.toContain(secret)
})
