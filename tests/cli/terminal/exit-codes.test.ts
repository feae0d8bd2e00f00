import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { failureOf } from '../../../src/main/hosts/cli/exit-codes.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { runToEnd } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

const known = '3f2a0000-0000-4000-8000-000000000001' as TaskId
const sibling = '3f2a0000-0000-4000-8000-000000000002' as TaskId

function fakeOfTwo() {
  const fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  fake.createTask({ projectId, taskId: known, title: 'One' })
  fake.createTask({ projectId, taskId: sibling, title: 'Two' })
  return fake
}

describe('exit codes', () => {
  it.each([
    ['tasks', 'report'],
    ['tasks', 'stop'],
    ['tasks', 'apply'],
    ['transcripts', 'show'],
    ['workspaces', 'diff'],
    ['workspaces', 'remove'],
  ])('%s %s: 3 for an unknown id, 4 for an ambiguous one with its candidates', async (...argv) => {
    const fake = fakeOfTwo()
    const unknown = await runToEnd([...argv, 'dead'], { fake })
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    expect(unknown.stderr).toContain('dead')
    const ambiguous = await runToEnd([...argv, '3f2a'], { fake })
    expect(ambiguous).toMatchObject({ code: 4, stdout: '' })
    expect(ambiguous.stderr).toContain(known)
    expect(ambiguous.stderr).toContain(sibling)
  })

  it('6 when another process holds the data directory, and who', async () => {
    const held = Object.assign(new Error('the data directory is in use by process 42 (web)'), {
      kind: 'lease-held',
    })
    const { code, stderr } = await runToEnd(['tasks', 'list'], {
      openShiplog: async () => {
        throw held
      },
    })
    expect(code).toBe(6)
    expect(stderr).toContain('process 42')
  })

  it('6 when the holder is of another version, without a word about waiting', async () => {
    const holder = { pid: 42, host: 'desktop' as const, hostName: 'here', endpoint: 'x' }
    const other = Object.assign(new Error('process 42 is Shiplog 2.0.0; this is 1.2.3'), {
      kind: 'holder-other-version',
    })
    let knocks = 0
    const { code, stdout, stderr } = await runToEnd(['tasks', 'list'], {
      openShiplog: async () => {
        throw Object.assign(new Error('held'), { kind: 'lease-held', holder })
      },
      connectToHolder: async () => {
        knocks++
        throw other
      },
    })
    expect({ code, stdout, knocks }).toEqual({ code: 6, stdout: '', knocks: 1 })
    expect(stderr).toBe(`Error: ${other.message}\n`)
  })

  it('6 when the data directory is held on another machine, with what the lease says', async () => {
    const holder = { pid: 42, host: 'web' as const, hostName: 'there', endpoint: null }
    const { code, stderr } = await runToEnd(['tasks', 'list'], {
      openShiplog: async () => {
        throw Object.assign(new Error('delete lease.json'), { kind: 'lease-held', holder })
      },
      connectToHolder: async () => {
        throw Object.assign(new Error('elsewhere'), { kind: 'holder-elsewhere' })
      },
    })
    expect({ code, stderr }).toEqual({ code: 6, stderr: 'Error: delete lease.json\n' })
  })

  it('5 for a conflict, which names the files', async () => {
    const fake = fakeOfTwo()
    fake.given.apply = { kind: 'conflict', paths: ['src/a.ts'], message: 'It does not apply.' }
    const { code, stderr } = await runToEnd(['tasks', 'apply', known], { fake })
    expect(code).toBe(5)
    expect(stderr).toContain('It does not apply.\n  src/a.ts')
  })

  it('7 when a transcript is damaged, with all that can be read', async () => {
    const fake = fakeOfTwo()
    fake.say(known, 'still here')
    fake
      .sessionOf(known)
      .damage.push({ file: 'chat.jsonl', line: 118, bytes: 40, reason: 'bad checksum' })
    const { code, stdout, stderr } = await runToEnd(['transcripts', 'show', known], { fake })
    expect(code).toBe(7)
    expect(stdout).toContain('still here')
    expect(stderr).toContain('chat.jsonl:118 damaged (bad checksum)')
  })

  it.each([
    [new ORPCError('OUT_OF_SCOPE', { defined: true, data: {} }), 5],
    [new ORPCError('REFUSED', { defined: true, data: {} }), 5],
    [new ORPCError('INVALID', { defined: true, data: {} }), 2],
    [new ORPCError('DAMAGED', { defined: true, data: {} }), 7],
    [new ORPCError('STORAGE', { defined: true, data: {} }), 1],
    [new ORPCError('BAD_REQUEST', { data: { issues: [{ message: 'too long' }] } }), 2],
    [Object.assign(new Error('no'), { kind: 'data-dir' }), 2],
    [Object.assign(new Error('no'), { kind: 'port-in-use' }), 2],
    [new Error('a bug'), 1],
  ])('%s -> %i', (error, exitCode) => {
    expect(failureOf(error).exitCode).toBe(exitCode)
  })

  it('closes what it opened, whatever happens', async () => {
    const fake = fakeOfTwo()
    await runToEnd(['tasks', 'list'], { fake })
    await runToEnd(['tasks', 'report', 'dead'], { fake })
    expect(fake.closedHow).toHaveLength(2)
  })
})
