/** What a model is told of its tools: a small one copies the example. */
import { expect, it } from 'vitest'
import { toolDefinitions } from '../../../src/main/agents/model/tool-definitions.ts'
import { isRecordTool } from '../../../src/shared/agents/record-tools.ts'
import { toolInputSchemas, toolNames } from '../../../src/shared/agents/tools.ts'

const tools = toolDefinitions({
  has: () => true,
  agents: [{ name: 'explore', description: 'Looks.' }],
  readsRecord: true,
})
const descriptionOf = (name: string) => String(tools[name]?.description)

it.each(toolNames)('has a short, valid example of %s', (name) => {
  const [said = '', examples = ''] = descriptionOf(name).split(' Example: ')
  expect(said.split(/\s+/).length).toBeLessThan(50)
  const [first = ''] = examples.split('\n\n')
  for (const example of first.split(/ or (?=\{)/))
    expect(toolInputSchemas[name].safeParse(JSON.parse(example)).error).toBeUndefined()
})

it.each(toolNames)('describes each field of %s', (name) => {
  const schema = tools[name]?.inputSchema as unknown as {
    jsonSchema: { properties?: Record<string, { description?: string }> }
  }
  for (const [field, { description = '' }] of Object.entries(schema.jsonSchema.properties ?? {}))
    expect(`${field}: ${description}`).toMatch(/: .*[.]$/)
})

it('offers the tools that read the record only where the tree may', () => {
  const offered = (readsRecord: boolean) =>
    Object.keys(toolDefinitions({ has: () => true, agents: [], readsRecord }))
  expect(offered(true)).toEqual(toolNames)
  expect(offered(false)).toEqual(toolNames.filter((name) => !isRecordTool(name)))
  expect(offered(false)).not.toContain('search_record')
})
