import { expect, it } from 'vitest'
import { addCommand, emptyReading } from '../../src/main/checks/ran-commands.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type {
  ToolCallEntry,
  ToolResultEntry,
} from '../../src/shared/records/entry-types/tool-calls.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'

const runId = `${newTaskId()}/1`
let seq = 0
type Fields = Record<string, unknown>

function call(callId: string, fields: Fields): Entry {
  const entry = { type: 'tool-call', seq: ++seq, at: seq, runId, turn: 1, callId, input: {} }
  return { ...entry, ...fields } as unknown as ToolCallEntry
}
function result(callId: string, fields: Fields): Entry {
  const entry = { type: 'tool-result', seq: ++seq, at: seq, runId, turn: 1, callId }
  const known = { name: 'bash', outcome: 'ok', output: '', durationMs: 1 }
  return { ...entry, ...known, ...fields } as unknown as ToolResultEntry
}
const background = (id: string, state: string, exitCode: number | null = null) => ({
  detail: { kind: 'background', id, command: `run ${id}`, state, exitCode },
})

function read(...entries: Entry[]) {
  const reading = emptyReading()
  for (const entry of entries) addCommand(reading, entry)
  return reading.commands
}

it('counts a command in the background by the call that read its end', () => {
  const commands = read(
    call('c1', { name: 'bash' }),
    result('c1', { ...background('b1', 'running'), tree: 'then', output: 'Started.' }),
    call('c2', { name: 'bash' }),
    result('c2', background('b2', 'running')),
    call('c3', { name: 'bash' }),
    result('c3', background('b3', 'running')),
    call('c4', { name: 'bash_output', turn: 2 }),
    result('c4', { ...background('b1', 'ended', 3), tree: 'now', output: '3 failed' }),
    call('c5', { name: 'bash_output', turn: 3 }),
    result('c5', { ...background('b1', 'ended', 3), output: '[nothing new]' }),
    call('c6', { name: 'bash_kill' }),
    result('c6', background('b2', 'ended')),
  )
  expect(commands).toMatchObject([
    { command: 'run b3', end: 'running', exitCode: null, output: '' },
    { command: 'run b1', end: 'known', exitCode: 3, tree: 'then', turn: 2, callIds: ['c1', 'c4'] },
    { command: 'run b2', end: 'killed', exitCode: null },
  ])
  expect(commands[1]?.output).toBe('3 failed\n')
})

it('includes the commands of installed agents, with exit codes from their text', () => {
  const theirs = { by: 'agent', kind: 'execute', name: 'Bash' }
  const commands = read(
    call('a', { ...theirs, input: { command: ['bash', '-lc', 'npm test'] } }),
    result('a', { output: 'bad\n[exit code 2]' }),
    call('b', { ...theirs, input: { command: 'npx tsc' } }),
    result('b', { outcome: 'error', output: 'Exit code 1\nerror TS2345' }),
    call('c', { ...theirs, input: { cmd: ['cargo', 'test'] } }),
    result('c', { output: 'test result: ok' }),
    call('d', { ...theirs, kind: 'read', input: { command: 'npm test' } }),
    result('d', {}),
    call('e', { ...theirs, input: 'npm test' }),
    result('e', {}),
    call('f', { ...theirs, name: 'bash', input: { command: 'npm run lint' } }),
    result('f', { detail: { kind: 'bash', exitCode: 0, timedOut: false, omittedBytes: 0 } }),
  )
  expect(commands.map(({ command, exitCode }) => [command, exitCode])).toEqual([
    ['npm test', 2],
    ['npx tsc', 1],
    ['cargo test', null],
    // An imported one.
    ['npm run lint', 0],
  ])
})
