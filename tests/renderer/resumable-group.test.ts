import { describe, expect, it } from 'vitest'
import { resumableGroup } from '../../src/renderer/store/resumable-group.ts'
import { createFakeHost } from './fake-host.ts'

function crew() {
  const host = createFakeHost()
  const project = host.project('/home/ada/projects/harbour', true)
  const root = host.start(project.id, 'Light the harbour', 'lead')
  const [left = root, right = root, done = root] = ['left', 'right', 'done'].map((title) =>
    host.start(project.id, title, 'helper', { parentId: root, callId: null }),
  )
  const stop = (taskId: typeof root) => host.interrupt(taskId)
  const titles = (id: typeof root) => resumableGroup(host.ledger, id).map(({ title }) => title)
  return { host, root, left, right, done, stop, titles }
}

describe('the parallel group of an interrupted agent', () => {
  it('is those of it that can be resumed, whichever of them is asked', () => {
    const { left, right, stop, titles } = crew()
    for (const id of [left, right]) stop(id)
    expect(titles(left)).toEqual(['left', 'right'])
    expect(titles(right)).toEqual(['left', 'right'])
  })

  it('is none for one that is running, that worked alone, or whose others can not be resumed', () => {
    const { root, left, right, done, stop, titles } = crew()
    expect(titles(left)).toEqual([])
    stop(left)
    expect(titles(left)).toEqual([])
    stop(right)
    stop(root)
    expect(titles(root)).toEqual([])
    expect(titles(done)).toEqual([])
  })
})
