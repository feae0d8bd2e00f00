import { expect, it } from 'vitest'
import { isRecordTool } from '../../src/shared/agents/record-tools.ts'
import { isRepeatedAfterCrash, toolTraits, traitsOf } from '../../src/shared/agents/tool-traits.ts'
import { toolNames } from '../../src/shared/agents/tools.ts'
import {
  activityOf,
  describeToolCall,
} from '../../src/shared/projections/tool-calls/describe-tool-call.ts'

it('grants a read-only call no permission to change files', () => {
  const looking = toolNames.filter((name) => toolTraits[name].isReadOnly)
  const ofRecord = toolNames.filter(isRecordTool)
  expect(looking).toEqual(['read_file', 'list_files', 'search_files', 'task_list', ...ofRecord])
  for (const name of looking) expect(toolTraits[name].changes).toBe('no-files')
})

it('[S3] lets only the services answer for a call whose result was lost', () => {
  const answered = toolNames.filter((name) => toolTraits[name].afterCrash === 'ledger')
  expect(answered).toEqual(['task', 'task_await', 'task_list', 'agent_report'])
  expect(toolNames.filter(isRepeatedAfterCrash)).toEqual([
    ...answered.slice(0, 3),
    'ask_person',
    ...answered.slice(3),
  ])
})

it('knows no names that are not tools, inherited properties included', () => {
  for (const name of ['constructor', 'toString', 'mcp__other']) expect(traitsOf(name)).toBeNull()
})

it.each([
  ['bash', { command: 'npm test\nexit' }, 'Running npm test'],
  ['search_files', { pattern: 'TODO' }, 'Searching for TODO'],
  ['task_await', { tasks: ['A', 'B'] }, 'Waiting for A, B'],
  ['task_list', {}, 'Listing its tasks'],
  ['task_apply_patch', { task: 'A' }, 'Applying changes of A'],
  ['mcp__other', { path: 'x' }, 'mcp__other'],
  ['read_file', 'no object', 'Reading'],
])('names what %s is doing in one line', (name, input, line) => {
  expect(activityOf(name, input, 120)).toBe(line)
})

it('shortens text that is too long for a row', () => {
  expect(activityOf('bash', { command: 'x'.repeat(500) }, 20)).toBe('Running xxxxxxxxxxxx')
  expect(describeToolCall('list_files', { path: 'src', glob: '*.ts' })).toBe('list_files *.ts')
})
