import { expect, it } from 'vitest'
import type { AgentDefinition } from '../../../src/main/agents/definitions/definition.ts'
import { narrowed, onInstalledAgent } from '../../../src/main/agents/definitions/narrow.ts'
import type { DefinedAgent } from '../../../src/shared/agents/agent-specs.ts'

const sha256 = '0'.repeat(64)
const defined = (over: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name: 'review',
  description: 'Looks.',
  prompt: 'Look.',
  source: 'x.md',
  text: '',
  sha256,
  model: null,
  program: null,
  tools: null,
  permissions: null,
  limits: {},
  notes: [],
  ...over,
})
const parent = (over: Partial<DefinedAgent>): DefinedAgent => ({
  source: 'built-in',
  sha256,
  ...over,
})

it('[P1] have no tool that the starting agent lacks', () => {
  const definition = defined({ tools: ['read_file', 'bash'] })
  const reader = parent({ tools: ['read_file', 'list_files'] })
  const found = narrowed(definition, { builtIn: null, parent: reader })
  expect(found.defined.tools).toEqual(['read_file'])
  expect(found.notes.join()).toContain('bash')
  const silent = narrowed(defined(), { builtIn: null, parent: reader })
  expect(silent.defined.tools).toEqual(['read_file', 'list_files'])
})

it('[P1] keep the narrower mode and the lower limits of the built-in agent of its name', () => {
  const builtIn = defined({ permissions: 'ask', limits: { turns: 10 } })
  const definition = defined({ permissions: 'allow-all', limits: { turns: 50, minutes: 5 } })
  const found = narrowed(definition, { builtIn, parent: null })
  expect(found.defined.permissions).toBe('ask')
  expect(found.defined.limits).toEqual({ turns: 10, minutes: 5 })
})

it('[P1] allow an installed agent only if no tool must be withheld', () => {
  const definition = defined({ program: 'codex' })
  const free = narrowed(definition, { builtIn: null, parent: null })
  expect(onInstalledAgent('tests', { definition, ...free }, null)).toEqual({
    kind: 'acp',
    program: 'codex',
    agent: 'tests',
    definition: free.defined,
  })
  const reader = parent({ tools: ['read_file'] })
  const limited = narrowed(definition, { builtIn: null, parent: reader })
  expect(() => onInstalledAgent('tests', { definition, ...limited }, reader)).toThrow("can't limit")
  const plain = { definition: defined(), ...free }
  expect(onInstalledAgent('tests', plain, reader)).toBeNull()
})
