import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { maskScenario } from '../../src/main/agents/scripted/mask-scenario.ts'
import { parseScenario } from '../../src/main/agents/scripted/parse-scenario.ts'
import { createScriptedProgram } from '../../src/main/agents/scripted/scripted-program.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import { createAgentSpecs, programsMax } from '../../src/main/tasks/agent-specs.ts'

const secret = 'kept-from-every-disk'
const masker = createMasker()
masker.learn([{ name: 'API_TOKEN', value: secret }])

const specs = () =>
  createAgentSpecs({
    load: (_kind, { text, name }) => createScriptedProgram(parseScenario(text, name)),
    masked: (_kind, text) => maskScenario(text, masker),
  })

const playing = (say: string) => ({
  kind: 'scripted' as const,
  scenario: `version: 1\nname: talk\nagents:\n  lead:\n    turns:\n      - say: ${say}\n`,
  source: 'talk.yaml',
})

it('are read back by another process, with the scenario under the hash of its text', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-specs-'))
  const { spec, scenario, program } = specs().prepare(playing('Hello.'))
  await specs().save(dir, { spec, scenario })
  expect(spec).toMatchObject({ kind: 'scripted', source: 'talk.yaml', agent: program.rootAgent })
  expect(await readdir(join(dir, 'scenarios'))).toEqual([`${spec.scenario}.yaml`])
  expect(await specs().read(dir, spec)).toEqual({ spec, scenario })
  expect((await specs().program(dir, spec)).agent('lead')).not.toBeNull()
})

it('[K3] keep no known secret of a scenario, and name the text without it', () => {
  const { spec, scenario } = specs().prepare(playing(secret))
  expect(scenario).not.toContain(secret)
  expect(spec.scenario).not.toBe(specs().prepare(playing('Hello.')).spec.scenario)
})

it('refuse a scenario that was changed or is gone since', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-specs-'))
  const { spec, scenario } = specs().prepare(playing('Hello.'))
  await expect(specs().read(dir, spec)).rejects.toThrow(spec.scenario)
  await specs().save(dir, { spec, scenario })
  await writeFile(join(dir, 'scenarios', `${spec.scenario}.yaml`), `${scenario}# another\n`)
  await expect(specs().program(dir, spec)).rejects.toThrow('was changed after it was started')
})

it('keep a bounded number of programs loaded, those used last', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-specs-'))
  const loads: string[] = []
  const counted = createAgentSpecs({
    load(_kind, { text, name }) {
      loads.push(name)
      return createScriptedProgram(parseScenario(text, name))
    },
    masked: (_kind, text) => text,
  })
  const given = Array.from({ length: programsMax + 1 }, (_, n) => `${n}.yaml`)
  const prepared = given.map((source, n) => specs().prepare({ ...playing(`Hello ${n}.`), source }))
  for (const one of prepared) await counted.save(dir, one)
  const use = async (n: number) => {
    loads.length = 0
    await counted.program(dir, prepared[n]?.spec ?? expect.unreachable())
    return loads
  }
  for (let n = 0; n < programsMax; n++) expect(await use(n)).toEqual([`${n}.yaml`])
  expect(await use(0)).toEqual([])
  // One more than there is room for: the second was not used since.
  expect(await use(programsMax)).toEqual([`${programsMax}.yaml`])
  expect(await use(0)).toEqual([])
  expect(await use(1)).toEqual(['1.yaml'])
})
