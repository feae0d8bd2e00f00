import { describe, expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { watchRoots } from '../../../../src/renderer/store/attention/root-endings.ts'
import type { LedgerView } from '../../../../src/renderer/store/ledger-store.ts'
import { noUsage } from '../../../../src/shared/records/usage.ts'
import { createFakeHost } from '../../../fake-host/fake-host.ts'

function watched() {
  const host = createFakeHost()
  const project = host.addProject('/home/ada/projects/harbour')
  const store = createStore<LedgerView>(() => ({
    phase: 'ready',
    problem: null,
    progress: null,
    ledger: host.state,
    children: new Map(),
    activity: new Map(),
    usage: new Map(),
  }))
  const told: string[] = []
  const before = host.start({ projectId: project, title: 'Over before' })
  host.complete(before)
  const stop = watchRoots({ store }, ({ title, status }) => told.push(`${title}: ${status}`))
  const heard = () => store.setState({ activity: new Map() })
  return { host, project, told, heard, stop }
}

describe('notifications of ended roots', () => {
  it('reports each run once, including failed and stopped ones', () => {
    const { host, project, told, heard } = watched()
    const root = host.start({ projectId: project, title: 'Light the harbour' })
    const other = host.start({ projectId: project, title: 'Repair the fog horn' })
    heard()
    expect(told).toEqual([])
    host.complete(root)
    host.record({
      type: 'task.failed',
      taskId: other,
      run: 1,
      cause: { kind: 'said', text: 'no fog' },
      usage: noUsage,
    })
    heard()
    heard()
    expect(told).toEqual(['Light the harbour: completed', 'Repair the fog horn: failed'])
  })

  it('omits sub-agents, tasks that the user stopped, and all after it was closed', () => {
    const { host, project, told, heard, stop } = watched()
    const root = host.start({ projectId: project, title: 'Light the harbour' })
    const child = host.start({
      projectId: project,
      title: 'Test the lamps',
      agent: 'tester',
      parentId: root,
    })
    const other = host.start({ projectId: project, title: 'Repair the fog horn' })
    heard()
    host.complete(child)
    const cause = { kind: 'stopped', by: 'person' } as const
    host.record({ type: 'task.interrupted', taskId: root, run: 1, cause, usage: noUsage })
    heard()
    stop()
    host.complete(other)
    heard()
    expect(told).toEqual([])
  })
})
