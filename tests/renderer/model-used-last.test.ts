import { expect, it } from 'vitest'
import { modelUsedLast } from '../../src/renderer/views/agents/model-used-last.ts'
import type { AgentSpec } from '../../src/shared/agents/agent-specs.ts'
import type { ProviderState } from '../../src/shared/agents/provider-settings.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'

const provider = (over: Partial<ProviderState>): ProviderState => ({
  name: 'anthropic',
  kind: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  isOwn: true,
  key: { from: 'stored', where: 'file' },
  contextTokens: null,
  ...over,
})
const box = { kind: 'openai-compatible', baseUrl: 'http://box/v1' } as const
const server = provider({ ...box, name: 'box', isOwn: false, key: { from: 'none', offered: null } })
const model = (more: object): AgentSpec => ({
  kind: 'model',
  provider: 'anthropic',
  model: 'opus',
  agent: 'lead',
  ...more,
})

/** The oldest first; a spec and whether it is a sub-agent's. */
function tasksWith(...given: [AgentSpec, 'root' | 'sub-agent'][]): ReadonlyMap<TaskId, Task> {
  return new Map(
    given.map(([spec, kind]) => {
      const id = newTaskId()
      return [id, { id, spec, parentId: kind === 'root' ? null : newTaskId() } as Task]
    }),
  )
}

it('offers the model of the newest root that could be asked now', () => {
  const atBox = model({ provider: box.kind, baseUrl: box.baseUrl, model: 'qwen3:8b' })
  const tasks = tasksWith(
    [model({}), 'root'],
    [atBox, 'root'],
    [scriptedSpec(), 'root'],
    [model({ model: 'haiku' }), 'sub-agent'],
  )
  expect(modelUsedLast(tasks, [provider({}), server])).toBe('box/qwen3:8b')
  expect(modelUsedLast(tasks, [provider({})])).toBe('anthropic/opus')
  const keyless = provider({ key: { from: 'none', offered: null } })
  expect(modelUsedLast(tasks, [keyless])).toBe(null)
})
