import { describe, expect, it } from 'vitest'
import { namedTask } from '../../../src/main/tasks/sub-agents/named-task.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'

const tasks = [
  { id: 'abcdef01-1111-4111-8111-111111111111', title: 'Tests' },
  { id: 'abcdef02-2222-4222-8222-222222222222', title: 'Docs' },
  { id: '0badcafe-3333-4333-8333-333333333333', title: 'Tests' },
] as Task[]

const named = (text: string) => namedTask(tasks, text, 'below this agent').id

describe('the task that an agent names', () => {
  it('is the newest with the title', () => {
    expect(named('Tests')).toBe(tasks[2]?.id)
    expect(named('Docs')).toBe(tasks[1]?.id)
  })

  it('[S1] is the one with the id, or with an id that begins so, in any case', () => {
    expect(named(tasks[0]?.id ?? '')).toBe(tasks[0]?.id)
    expect(named('0bad')).toBe(tasks[2]?.id)
    expect(named('ABCDEF01')).toBe(tasks[0]?.id)
  })

  it('[S1] is requested again, with the candidates, if an id is ambiguous', () => {
    expect(() => named('abcdef')).toThrow(
      '"abcdef" could be any of "Tests" (abcdef01), "Docs" (abcdef02): give more of the id, or the title.',
    )
  })

  it('is answered with the existing tasks if it is none of them', () => {
    const message = 'There is no task "abc" below this agent. Its tasks: "Tests", "Docs", "Tests".'
    expect(() => named('abc')).toThrow(message)
    expect(() => namedTask([], 'Docs', 'below this agent')).toThrow('Its tasks: none yet.')
  })
})
