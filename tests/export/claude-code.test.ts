import { expect, it } from 'vitest'
import { toolUse, toolUseResult } from '../../src/main/export/formats/claude-code/tool-calls.ts'
import type { ToolCallEntry } from '../../src/shared/records/entry-types/tool-calls.ts'

const call = (name: string, input: unknown) =>
  toolUse({ name, input } as ToolCallEntry, '/code/api')

it('[E1] exports an edit with an inconsistent patch, for example if a masked key spanned lines', () => {
  const patch = '--- a/key.pem\n+++ b/key.pem\n@@ -0,0 +1,3 @@\n+[hidden: private key]\n'
  const detail = {
    kind: 'edit',
    path: 'key.pem',
    change: 'created',
    additions: 3,
    deletions: 0,
    patch,
  }
  expect(toolUseResult({ name: 'write_file', detail }, '/code/api', undefined)).toEqual({
    type: 'create',
    filePath: '/code/api/key.pem',
    structuredPatch: [],
  })
})

it('[E1] exports a plan, and a refused plan without its items', () => {
  const items = [{ text: 'Look', status: 'in-progress' }]
  expect(call('update_plan', { items })).toMatchObject({
    name: 'TodoWrite',
    input: { todos: [{ content: 'Look', status: 'in_progress' }] },
  })
  expect(call('update_plan', { items: [null] })).toMatchObject({ input: { todos: [] } })
  expect(call('update_plan', null)).toMatchObject({ input: { todos: [] } })
})
