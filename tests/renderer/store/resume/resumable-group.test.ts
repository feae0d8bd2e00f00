import { describe, expect, it } from 'vitest'
import { resumableGroup } from '../../../../src/renderer/store/resume/resumable-group.ts'
import { createFakeHost } from '../../../fake-host/fake-host.ts'

function crew() {
  const host = createFakeHost()
  const project = host.addProject('/home/ada/projects/harbour')
  const root = host.start({ projectId: project, title: 'Light the harbour' })
  const [left = root, right = root, done = root] = ['left', 'right', 'done'].map((title) =>
    host.start({ projectId: project, title, agent: 'helper', parentId: root }),
  )
  const stop = (taskId: typeof root) => host.interrupt(taskId)
  const titles = (id: typeof root) => resumableGroup(host.state, id).map(({ title }) => title)
  return { host, root, left, right, done, stop, titles }
}

describe('the parallel group of an interrupted agent', () => {
  it('contains its resumable members, requested for any of them', () => {
    const { left, right, stop, titles } = crew()
    for (const id of [left, right]) stop(id)
    expect(titles(left)).toEqual(['left', 'right'])
    expect(titles(right)).toEqual(['left', 'right'])
  })

  it('is empty for a running task, one that worked alone, and one whose other members can’t be resumed', () => {
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
