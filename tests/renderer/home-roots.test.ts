import { describe, expect, it } from 'vitest'
import { homeRoots, latestProject } from '../../src/renderer/store/home/roots.ts'
import { childrenByParent } from '../../src/shared/projections/ledger/ledger-state.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'

function harbour() {
  const host = createFakeHost()
  const projectId = host.addProject('/home/ada/harbour')
  const start = (title: string) => host.start({ projectId, title })
  const ended = (title: string) => {
    const id = start(title)
    host.complete(id)
    return id
  }
  const roots = () => childrenByParent(host.state.tasks.values()).get(null) ?? []
  return { host, projectId, start, ended, roots }
}
const titles = (tasks: { title: string }[]) => tasks.map(({ title }) => title)

describe('the roots of the home screen', () => {
  it('are the active ones, and those that ended last', () => {
    const { host, start, ended, roots } = harbour()
    start('Runs')
    const archived = ended('Archived')
    host.archive(archived)
    ended('Ended')
    const late = start('Ended last')
    host.createTask({ projectId: host.addProject('/home/ada/other'), title: 'Queued' })
    host.fail(late, 'No network.')
    const { running, recent, older } = homeRoots(roots(), new Set(), 2)
    expect(titles(running)).toEqual(['Queued', 'Runs'])
    expect(titles(recent)).toEqual(['Ended last', 'Ended'])
    expect(older).toBe(1)
  })

  it('omit those in the trash and those that are listed elsewhere', () => {
    const { host, ended, roots } = harbour()
    const deleted = ended('Deleted')
    host.archive(deleted)
    host.record({ type: 'workspace.trashed', workspaceId: deleted })
    const listed = ended('Listed')
    ended('Shown')
    const { recent, older } = homeRoots(roots(), new Set([listed]), 8)
    expect(titles(recent)).toEqual(['Shown'])
    expect(older).toBe(0)
  })

  it('name the project of the newest one, unless it was removed', () => {
    const { host, projectId, start, roots } = harbour()
    start('First')
    const other = host.addProject('/home/ada/other')
    host.start({ projectId: other, title: 'Second' })
    expect(latestProject(roots(), host.state.projects)).toBe(other)
    host.state.projects.delete(other)
    expect(latestProject(roots(), host.state.projects)).toBe(projectId)
    expect(latestProject([], host.state.projects)).toBeNull()
  })
})
