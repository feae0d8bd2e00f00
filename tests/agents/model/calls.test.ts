import { describe, expect, it } from 'vitest'
import { makeCalls } from '../../../src/main/agents/model/calls.ts'
import type { ToolResult } from '../../../src/shared/agents/driver/tool-result.ts'

describe('the calls of a turn', () => {
  /** Calls that end when the test says so; `log` has their beginnings and ends. */
  function stage(names: string[]) {
    const log: string[] = []
    const open = new Map<string, PromiseWithResolvers<ToolResult>>()
    const results = makeCalls(
      names.map((name, index) => ({ name, input: index })),
      async ({ name, input }) => {
        log.push(`${name} ${input}`)
        const ended = Promise.withResolvers<ToolResult>()
        open.set(`${name} ${input}`, ended)
        return ended.promise.finally(() => log.push(`end ${input}`))
      },
    )
    results.catch(() => undefined)
    const settle = async (call: string, how: Partial<ToolResult> | Error = {}) => {
      await expect.poll(() => open.has(call), { interval: 1 }).toBe(true)
      if (how instanceof Error) open.get(call)?.reject(how)
      else open.get(call)?.resolve({ outcome: 'ok', output: call, ...how })
    }
    return { log, results, settle }
  }

  it('run in parallel if they do not change files, otherwise alone and in order', async () => {
    const { log, results, settle } = stage(['read_file', 'task', 'edit_file', 'bash', 'list_files'])
    await settle('task 1')
    await settle('read_file 0')
    for (const next of ['edit_file 2', 'bash 3', 'list_files 4']) await settle(next)
    expect((await results).map((result) => result?.output)).toEqual([
      'read_file 0',
      'task 1',
      'edit_file 2',
      'bash 3',
      'list_files 4',
    ])
    expect(log).toEqual([
      'read_file 0',
      'task 1',
      'end 1',
      'end 0',
      'edit_file 2',
      'end 2',
      'bash 3',
      'end 3',
      'list_files 4',
      'end 4',
    ])
  })

  it('end with the call that ends the run', async () => {
    const { log, results, settle } = stage(['read_file', 'agent_report', 'read_file'])
    await settle('read_file 0')
    await settle('agent_report 1', { endsRun: true })
    expect(await results).toEqual([expect.anything(), expect.anything(), null])
    expect(log).not.toContain('read_file 2')
  })

  it('all end before a failure of one is reported', async () => {
    const { log, results, settle } = stage(['read_file', 'read_file', 'bash'])
    await settle('read_file 0', new Error('The record can’t be written.'))
    await settle('read_file 1')
    await expect(results).rejects.toThrow('can’t be written')
    expect(log).toEqual(['read_file 0', 'read_file 1', 'end 0', 'end 1'])
  })
})
