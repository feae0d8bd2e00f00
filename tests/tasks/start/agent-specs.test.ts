import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createScriptedDriver, programsMax } from '../../../src/main/agents/scripted/driver.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import { createAgentSpecs } from '../../../src/main/tasks/start/agent-specs.ts'
import type { AgentSpec } from '../../../src/shared/agents/agent-specs.ts'
import type { AgentPlace } from '../../../src/shared/agents/driver/agent-place.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { driversWith } from '../../fixtures/drivers.ts'
import { historyIn } from '../../runs/past-of.ts'

const secret = 'kept-from-every-disk'
const masker = createMasker()
masker.learn([{ name: 'API_TOKEN', value: secret }])

const specs = () => createAgentSpecs(driversWith(masker))
const newDir = () => mkdtemp(join(tmpdir(), 'shiplog-specs-'))

const playing = (say: string) => ({
  kind: 'scripted' as const,
  scenario: `version: 1\nname: talk\nagents:\n  lead:\n    turns:\n      - say: ${say}\n`,
  source: 'talk.yaml',
})
const scenarioOf = (spec: AgentSpec): string =>
  spec.kind === 'scripted' ? spec.scenario : expect.unreachable()

const place: AgentPlace = {
  taskId: newTaskId(),
  cwd: '/',
  env: {},
  history: historyIn(),
  resume: null,
  signal: new AbortController().signal,
}

it('are read back by another process, with the scenario under the hash of its text', async () => {
  const dir = await newDir()
  const prepared = await specs().prepare(playing('Hello.'), '/')
  const { spec, files } = prepared
  await specs().save(dir, prepared)
  expect(prepared).toMatchObject({ title: 'talk', spec: { source: 'talk.yaml', agent: 'lead' } })
  expect(await readdir(join(dir, 'scenarios'))).toEqual([`${scenarioOf(spec)}.yaml`])
  expect(await specs().read(dir, spec)).toEqual({ spec, files })
  expect(await specs().check(dir, spec)).toEqual({ state: 'ready' })
  expect((await specs().open(dir, spec, place)).ref).toBeNull()
})

it('[K3] keep no known secret of a scenario, and name the text without it', async () => {
  const { spec, files } = await specs().prepare(playing(secret), '/')
  expect(JSON.stringify(files)).not.toContain(secret)
  expect(scenarioOf(spec)).not.toBe(
    scenarioOf((await specs().prepare(playing('Hello.'), '/')).spec),
  )
})

it('are unavailable if the scenario has been changed or deleted since', async () => {
  const dir = await newDir()
  const prepared = await specs().prepare(playing('Hello.'), '/')
  const { spec } = prepared
  await expect(specs().read(dir, spec)).rejects.toThrow(scenarioOf(spec))
  expect(await specs().check(dir, spec)).toMatchObject({
    state: 'unavailable',
    cause: { kind: 'not-started' },
  })
  await specs().save(dir, prepared)
  await writeFile(join(dir, 'scenarios', `${scenarioOf(spec)}.yaml`), 'version: 1\n')
  await expect(specs().read(dir, spec)).rejects.toThrow('was changed after it was started')
  const { state, cause } = (await specs().check(dir, spec)) as { state: string; cause: object }
  expect([state, JSON.stringify(cause)]).toEqual([
    'unavailable',
    expect.stringContaining('was changed after it was started'),
  ])
})

it('name a sub-agent of the same scenario, and none that is not in it', async () => {
  const dir = await newDir()
  const prepared = await specs().prepare(playing('Hello.'), '/')
  await specs().save(dir, prepared)
  expect(await specs().subAgent(dir, prepared.spec, 'lead', '/')).toEqual({
    spec: prepared.spec,
    files: [],
  })
  await expect(specs().subAgent(dir, prepared.spec, 'nobody', '/')).rejects.toThrow(
    'There is no agent "nobody"',
  )
})

it('prefer a definition of the scenario or the project to the installed agent of that name', async () => {
  const dir = await newDir()
  const scenario = `${playing('Hello.').scenario}  codex:\n    turns:\n      - say: Mine.\n`
  const prepared = await specs().prepare({ ...playing('Hello.'), scenario }, '/')
  await specs().save(dir, prepared)
  const { subAgent } = createAgentSpecs(driversWith(masker, ['claude-agent-acp']))
  const sub = (spec: AgentSpec, name: string, at = dir) => subAgent(dir, spec, name, at)
  expect((await sub(prepared.spec, 'codex')).spec).toEqual({ ...prepared.spec, agent: 'codex' })
  await expect(sub(prepared.spec, 'gemini')).rejects.toThrow('npm install -g @google/gemini-cli')

  await mkdir(join(dir, '.shiplog/agents'), { recursive: true })
  const define = (name: string, text: string) =>
    writeFile(join(dir, `.shiplog/agents/${name}.md`), text)
  await define('codex', '---\nname: codex\ndescription: Reviews.\n---\nYou review.\n')
  await define('qwen', '---\nname: qwen\ntypo: 1\n---\n')
  const model = {
    kind: 'model' as const,
    provider: 'anthropic' as const,
    model: 'm',
    agent: 'lead',
  }
  const acp = { kind: 'acp' as const, program: 'claude-code' as const, agent: 'claude-code' }
  for (const parent of [model, acp] as AgentSpec[]) {
    const { spec } = await sub(parent, 'codex')
    expect(spec).toMatchObject({
      kind: parent.kind,
      agent: 'codex',
      definition: { source: '.shiplog/agents/codex.md' },
    })
    // Nor does the installed agent take the place of one that can't be used.
    await expect(sub(parent, 'qwen')).rejects.toThrow('.shiplog/agents/qwen.md')
    await expect(sub(parent, 'codex', '/')).rejects.toThrow('npm install -g')
  }
})

it('keep a limited number of programs loaded, those used last', async () => {
  const reads: string[] = []
  const files = new Map<string, string>()
  const driver = createScriptedDriver(masker)
  const given = Array.from({ length: programsMax + 1 }, (_, n) => `${n}.yaml`)
  const prepared = await Promise.all(
    given.map((source, n) =>
      createScriptedDriver(masker).prepare({ ...playing(`Hello ${n}.`), source }, '/'),
    ),
  )
  for (const one of prepared) for (const { name, text } of one.files) files.set(name, text)
  const use = async (n: number) => {
    reads.length = 0
    const { spec } = prepared[n] ?? expect.unreachable()
    await driver.check(spec, {
      async read(name) {
        reads.push(spec.source)
        return files.get(name) ?? expect.unreachable()
      },
    })
    return reads
  }
  for (let n = 0; n < programsMax; n++) expect(await use(n)).toEqual([`${n}.yaml`])
  expect(await use(0)).toEqual([])
  // One more than there is room for: the second was not used since.
  expect(await use(programsMax)).toEqual([`${programsMax}.yaml`])
  expect(await use(0)).toEqual([])
  expect(await use(1)).toEqual(['1.yaml'])
})
