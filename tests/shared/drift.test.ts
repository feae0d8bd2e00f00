import { expect, it } from 'vitest'
import { describeDrift } from '../../src/shared/records/drift.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { noDrift } from '../fixtures/no-drift.ts'

it('[S2] names the tool of a call that was no command: a file alone does not run', () => {
  const calls = [
    { tool: 'bash', subject: 'npm test' },
    { tool: 'edit_file', subject: 'src/a.ts' },
    { tool: 'task_list', subject: 'task_list' },
  ]
  const startedAt = '2026-01-01T10:00:00.000Z'
  const unknownCalls = calls.map((call) => ({ ...call, startedAt }))
  const [sentence] = describeDrift({ ...noDrift(newTaskId()), unknownCalls })
  expect(sentence).toContain('`npm test`, `edit_file src/a.ts`, `task_list` were running')
})
