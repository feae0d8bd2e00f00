import { describe, expect, it } from 'vitest'
import { createResumes } from '../../../../src/renderer/store/resume/resumes.ts'
import type { ShiplogClient } from '../../../../src/shared/contract/index.ts'
import type { TaskId } from '../../../../src/shared/records/ids.ts'
import type { ResumeEnd } from '../../../../src/shared/records/resume.ts'
import { taskId } from '../../../fixtures/entries/ids.ts'

const [one, two, three] = [taskId('one'), taskId('two'), taskId('three')]

/** Tells how a task ended when the test says so. */
function followed() {
  const ends = new Map<TaskId, PromiseWithResolvers<ResumeEnd>>()
  const stopped: TaskId[] = []
  const endOf = (id: TaskId) => {
    const end = ends.get(id) ?? Promise.withResolvers<ResumeEnd>()
    ends.set(id, end)
    return end
  }
  const tasks = {
    resumeEnded: async ({ taskIds }: { taskIds: TaskId[] }) => ({
      ended: await Promise.all(taskIds.map((id) => endOf(id).promise)),
    }),
    stop: async ({ taskId: id }: { taskId: TaskId }) => {
      stopped.push(id)
      if (id === two) throw new Error('it has ended')
      return { stopped: [id], cancelled: [] }
    },
  }
  const client = { tasks } as unknown as Pick<ShiplogClient, 'tasks'>
  const end = (id: TaskId, status: ResumeEnd['status']) =>
    endOf(id).resolve({
      taskId: id,
      run: 2,
      status,
      cause: status === 'completed' ? null : { kind: 'said', text: 'why' },
    })
  return { resumes: createResumes({ client }), end, endOf, stopped }
}

describe('several that were resumed together', () => {
  it('[T6] are followed to the last, even if one fails', async () => {
    const { resumes, end } = followed()
    const ended = resumes.follow([one, two])
    expect([...(resumes.store.getState().batch ?? [])]).toEqual([
      [one, null],
      [two, null],
    ])
    end(one, 'failed')
    end(two, 'completed')
    const followedTo = await ended
    expect(followedTo?.ends.map(({ status }) => status)).toEqual(['failed', 'completed'])
    expect([followedTo?.stopped, followedTo?.cancelled.size]).toEqual([false, 0])
    expect(resumes.store.getState().batch).toBeNull()
  })

  it('can be joined by others, and are reported once', async () => {
    const { resumes, end } = followed()
    const first = resumes.follow([one])
    const second = resumes.follow([two])
    end(one, 'completed')
    expect(await first).toBeNull()
    expect(resumes.store.getState().batch?.size).toBe(2)
    end(two, 'completed')
    expect((await second)?.ends).toHaveLength(2)
  })

  it('are forgotten when the connection is lost, because their state is unknown', async () => {
    const { resumes, endOf } = followed()
    const ended = resumes.follow([one])
    endOf(one).reject(new Error('closed'))
    expect(await ended).toBeNull()
    expect(resumes.store.getState().batch).toBeNull()
  })

  it('are stopped, waiting ones first, even if one has ended', async () => {
    const { resumes, end, stopped } = followed()
    const ended = resumes.follow([one, two, three])
    await resumes.stop((id) => id === three)
    expect(stopped).toEqual([three, one, two])
    for (const id of [one, two, three]) end(id, 'interrupted')
    // One that had not gone on did not fail by what ended its run before.
    expect(await ended).toMatchObject({ stopped: true, cancelled: new Set([three]) })
    await resumes.stop(() => false)
    expect(stopped).toHaveLength(3)

    const next = resumes.follow([one])
    expect(await next).toMatchObject({ stopped: false, cancelled: new Set() })
  })
})

describe('checking for changes', () => {
  it('is marked while it lasts, and not started twice', async () => {
    const { resumes } = followed()
    const found = Promise.withResolvers<string>()
    const checking = resumes.check(one, () => found.promise)
    expect(resumes.store.getState().checking.has(one)).toBe(true)
    expect(await resumes.check(one, async () => 'again')).toBeNull()
    found.resolve('something')
    expect(await checking).toBe('something')
    expect(resumes.store.getState().checking.size).toBe(0)
  })
})
