import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createDefinitions } from '../../../src/main/agents/definitions/index.ts'
import {
  definitionBytesMax,
  definitionFilesMax,
} from '../../../src/main/agents/definitions/read-definitions.ts'
import { createFilesInside } from '../../../src/main/agents/tools/inside/index.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import { type ModelRef, parseModelName } from '../../../src/shared/agents/model-refs.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shiplog-definitions-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
})

async function put(path: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true })
  await writeFile(join(dir, path), text)
}

const text = (name: string, ...more: string[]) =>
  `---\n${[`name: ${name}`, `description: Is ${name}.`, ...more].join('\n')}\n---\nBe ${name}.\n`

function reader({ setUp = [] as string[], subAgentModel = null as string | null } = {}) {
  const mask = createMasker()
  mask.learn([{ name: 'API_TOKEN', value: 'kept-from-every-disk' }])
  const notices: string[] = []
  const definitions = createDefinitions({
    inside: createFilesInside(),
    mask,
    onNotice: (notice) => notices.push(notice),
    resolveModel: (named) =>
      named === 'lab/qwen'
        ? { provider: 'openai-compatible', model: 'qwen', baseUrl: 'http://127.0.0.1:2/v1' }
        : parseModelName(named),
    isSetUp: async ({ provider }) => setUp.includes(provider),
    subAgentModel: () => subAgentModel,
  })
  return { ...definitions, notices }
}

const model: ModelRef = {
  provider: 'anthropic',
  model: 'claude-opus-5-5',
  baseUrl: 'http://127.0.0.1:1/v1',
}
const place = () => ({ dir, parent: null, isRoot: false, model })

it('offers the built-in agents if there are no others, and in a missing folder', async () => {
  const { of, notices } = reader()
  const names = ['lead', 'explore', 'implement', 'review']
  expect((await of(dir)).map(({ name }) => name)).toEqual(names)
  expect((await of(join(dir, 'gone'))).map(({ name }) => name)).toEqual(names)
  expect(notices).toEqual([expect.stringContaining('gone'), expect.stringContaining('gone')])
})

it('offers those of the repository: Shiplog’s before Claude Code’s before the built-in ones', async () => {
  await put('.shiplog/agents/a.md', text('tester'))
  await put('.claude/agents/b.md', text('tester'))
  await put('.claude/agents/c.md', text('writer', 'tools: Read, Task(x)'))
  await put('.claude/agents/review.md', text('review'))
  await put('.claude/agents/README.md', '# Our agents')
  await put('.claude/agents/notes.txt', 'no definition')
  const { of, notices } = reader()
  const found = await of(dir)
  expect(found.map(({ name, source }) => `${name} ${source}`)).toEqual([
    'lead built-in',
    'explore built-in',
    'implement built-in',
    'review .claude/agents/review.md',
    'tester .shiplog/agents/a.md',
    'writer .claude/agents/c.md',
  ])
  await of(dir)
  expect(notices).toEqual([
    'Agent definition: .claude/agents/b.md has the name of .shiplog/agents/a.md, which is used.',
    expect.stringContaining(".claude/agents/c.md: a tool can't be limited"),
  ])
})

it('names a file that can’t be used, and uses the others', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'shiplog-outside-'))
  onTestFinished(() => rm(outside, { recursive: true, force: true }))
  await writeFile(join(outside, 'secret.md'), text('stolen'))
  await put('.shiplog/agents/bad.md', 'no front matter')
  await put('.shiplog/agents/binary.md', Buffer.from([45, 45, 0, 255]))
  await put('.shiplog/agents/folder.md/x', '')
  await put('.shiplog/agents/good.md', text('good'))
  await put('.shiplog/agents/large.md', text('large') + 'x'.repeat(definitionBytesMax))
  await symlink(join(outside, 'secret.md'), join(dir, '.shiplog/agents/link.md'))
  const { of, notices } = reader()
  expect((await of(dir)).map(({ name }) => name)).toEqual([
    'lead',
    'explore',
    'implement',
    'review',
    'good',
  ])
  expect(notices.map((notice) => /agents\/(\w+)\.md (.*)/.exec(notice)?.slice(1))).toEqual([
    ['bad', 'does not begin with front matter: a line "---".'],
    ['binary', 'is not a text in UTF-8.'],
    ['folder', 'is not a regular file.'],
    ['large', 'is larger than 64 KB.'],
    ['link', expect.stringContaining('leads out of the working directory')],
  ])
})

it('does not follow a folder that is a link out of the project', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'shiplog-outside-'))
  onTestFinished(() => rm(outside, { recursive: true, force: true }))
  await writeFile(join(outside, 'a.md'), text('stolen'))
  await mkdir(join(dir, '.claude'))
  await symlink(outside, join(dir, '.claude/agents'))
  const { of, notices } = reader()
  expect((await of(dir)).map(({ name }) => name)).not.toContain('stolen')
  expect(notices).toEqual([expect.stringContaining('leads out of the working directory')])
})

it('reads a bounded number of files', async () => {
  for (let n = 0; n <= definitionFilesMax; n++)
    await put(`.shiplog/agents/${String(n).padStart(3, '0')}.md`, text(`agent-${n}`))
  const { of, notices } = reader()
  expect(await of(dir)).toHaveLength(definitionFilesMax + 4)
  expect(notices).toEqual([expect.stringContaining(`the first ${definitionFilesMax}`)])
})

it('[K3] keeps no known secret', async () => {
  await put('.shiplog/agents/a.md', text('tester', '# kept-from-every-disk'))
  const { definition } = await reader().resolve('tester', place())
  expect(definition.text).toContain('[hidden: API_TOKEN]')
})

it('answers an unknown name with the known ones', async () => {
  await put('.shiplog/agents/a.md', text('tester'))
  await expect(reader().resolve('helper', place())).rejects.toThrow(
    'There is no agent "helper". The agents are lead, explore, implement, review, tester.',
  )
})

it.each([
  ['of another provider that is set up', ['openai'], 'openai/gpt-x', 'openai/gpt-x', undefined],
  [
    'of another provider that is not',
    [],
    'openai/gpt-x',
    'anthropic/claude-opus-5-5',
    model.baseUrl,
  ],
  ['of no provider', [], 'nobody/x', 'anthropic/claude-opus-5-5', model.baseUrl],
  [
    'of a server of the user',
    ['openai-compatible'],
    'lab/qwen',
    'openai-compatible/qwen',
    'http://127.0.0.1:2/v1',
  ],
  ['of the same provider', [], 'anthropic/other', 'anthropic/other', model.baseUrl],
])('runs on a model %s as the user allows', async (_of, setUp, named, expected, baseUrl) => {
  await put('.shiplog/agents/a.md', text('tester', `model: ${named}`))
  const { resolve, notices } = reader({ setUp })
  const found = (await resolve('tester', place())).model
  expect([`${found.provider}/${found.model}`, found.baseUrl]).toEqual([expected, baseUrl])
  expect(notices).toHaveLength(expected === 'anthropic/claude-opus-5-5' ? 1 : 0)
  expect((await resolve('tester', { ...place(), isRoot: true })).model).toEqual(model)
})

it('[P1] does not let a repository widen a built-in agent, and reports it', async () => {
  await put('.shiplog/agents/review.md', text('review', 'tools: [bash, write_file, read_file]'))
  const { resolve, notices } = reader()
  expect((await resolve('review', place())).defined).toMatchObject({
    source: '.shiplog/agents/review.md',
    tools: ['read_file'],
  })
  expect(notices).toEqual([expect.stringContaining('without bash, write_file')])
})

it('[P1] does not replace an invalid definition by the built-in agent of its name', async () => {
  await put('.shiplog/agents/implement.md', text('implement', 'tools: [read_file]\nlimts: 3'))
  const { of, resolve } = reader()
  expect((await of(dir)).map(({ name }) => name)).toEqual(['lead', 'explore', 'review'])
  await expect(resolve('implement', place())).rejects.toThrow(
    /^This agent can't be used: \.shiplog\/agents\/implement\.md .*limts/,
  )
  // Another file of the name is as good as ever.
  await put('.claude/agents/implement.md', text('implement', 'tools: Read'))
  expect((await resolve('implement', place())).defined.source).toBe('.claude/agents/implement.md')
})

it.each([
  ['built-in ones', 'explore', ['openai'], 'openai/small', 0],
  ['those that are asked for by the user', 'lead', ['openai'], 'anthropic/claude-opus-5-5', 0],
  ['those of the repository', 'tester', ['openai'], 'anthropic/claude-opus-5-5', 0],
  ['built-in ones whose provider has no key', 'explore', [], 'anthropic/claude-opus-5-5', 1],
])(
  'uses the model of the settings for sub-agents: %s',
  async (_of, name, setUp, expected, told) => {
    await put('.shiplog/agents/a.md', text('tester'))
    const { resolve, notices } = reader({ setUp, subAgentModel: 'openai/small' })
    const found = (await resolve(name, { ...place(), isRoot: name === 'lead' })).model
    expect(`${found.provider}/${found.model}`).toBe(expected)
    expect(notices).toHaveLength(told)
  },
)
