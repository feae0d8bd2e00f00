import { describe, expect, it } from 'vitest'
import { currentAgent } from '../../../src/main/tasks/agent-history/entries.ts'
import { nextPointer } from '../../../src/main/tasks/agent-history/pointer.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { testLedger } from './ledger-of.ts'

describe('the pointer', () => {
  const ours = newTaskId()
  const isOurs = (id: string) => id === ours

  it('names the running agent, is removed when none runs, and is kept if another tool wrote it', () => {
    expect(nextPointer(null, ours, isOurs).change).toEqual({ kind: 'write', text: `${ours}\n` })
    expect(nextPointer(`${ours}\n`, ours, isOurs).change).toEqual({ kind: 'none' })
    expect(nextPointer(`${ours}\n`, null, isOurs).change).toEqual({ kind: 'remove' })
    for (const text of [null, '', ' \n'])
      expect(nextPointer(text, null, isOurs)).toEqual({ change: { kind: 'none' }, foreign: null })
    expect(nextPointer('agent_01', null, isOurs)).toEqual({
      change: { kind: 'none' },
      foreign: 'agent_01',
    })
    expect(nextPointer('agent_01', ours, isOurs)).toMatchObject({
      change: { kind: 'write' },
      foreign: 'agent_01',
    })
  })

  it('names the newest of the running agents', () => {
    const ledger = testLedger()
    const [a, b] = [ledger.ask(), ledger.ask()]
    const current = () => currentAgent(ledger.state, ledger.projectId)
    expect(current()).toBeNull()
    ledger.spawn(b)
    ledger.spawn(a)
    expect(current()).toBe(a)
    ledger.interrupt(a)
    expect(current()).toBe(b)
    ledger.resume(a)
    expect(current()).toBe(a)
    ledger.complete(a)
    ledger.complete(b)
    expect(current()).toBeNull()
  })
})
