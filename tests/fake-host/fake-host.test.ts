/** That the fake answers as the app does where a test of a screen or a command would not notice. */
import { safe } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { newProjectId } from '../../src/shared/records/ids.ts'
import { createFakeHost } from './fake-host.ts'

function harbour() {
  const host = createFakeHost()
  const projectId = host.addProject('/code/harbour')
  const lead = host.start({ projectId, title: 'Light the harbour' })
  const tester = host.start({ projectId, parentId: lead, title: 'Test the lamps' })
  return { host, projectId, lead, tester }
}

/** The typed error of the contract, in short. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const { error, isDefined } = await safe(call as Promise<never>)
  if (!isDefined) throw error ?? new Error('it was answered')
  const { code, data } = error as unknown as { code: string; data: Record<string, unknown> }
  return `${code} ${data.reason ?? data.field ?? data.what}`
}

describe('the fake host refuses what the app refuses', () => {
  it('for one that runs', async () => {
    const { host, projectId, lead, tester } = harbour()
    const { tasks, projects, workspace, doctor } = host.client
    const selector = { by: 'task', taskId: lead } as const
    expect(await refusal(tasks.planResume({ selector }))).toBe('REFUSED running')
    expect(await refusal(tasks.applyPatch({ taskId: lead }))).toBe('REFUSED running')
    expect(await refusal(tasks.abandon({ taskId: lead }))).toBe('REFUSED running')
    expect(await refusal(tasks.continueFrom({ taskId: lead }))).toBe('REFUSED running')
    expect(await refusal(tasks.restart({ taskId: lead }))).toBe('REFUSED not-interrupted')
    expect(await refusal(tasks.retry({ taskId: lead }))).toBe('REFUSED not-failed')
    expect(await refusal(tasks.undoApply({ taskId: lead }))).toBe('REFUSED nothing-to-undo')
    expect(await refusal(tasks.rename({ taskId: tester, title: 'No' }))).toBe('REFUSED not-a-root')
    expect(await refusal(tasks.report({ taskId: lead }))).toBe('NOT_FOUND report')
    expect(await refusal(workspace.restore({ workspaceId: lead }))).toBe('REFUSED not-archived')
    expect(await refusal(workspace.trash({ workspaceId: lead }))).toBe('REFUSED not-archived')
    expect(await refusal(projects.remove({ projectId }))).toBe('REFUSED in-use')
    expect(await refusal(doctor.check({ repair: true }))).toBe('REFUSED running')
  })

  it('for one that is not there, not whole, or seen by somebody else only', async () => {
    const { host, lead, tester } = harbour()
    const { tasks, projects, transcripts } = host.client
    const noProject = { projectId: newProjectId() }
    expect(await refusal(tasks.stop({ taskId: 'dead' }))).toBe('NOT_FOUND task')
    expect(await refusal(projects.setup(noProject))).toBe('NOT_FOUND project')
    expect(await refusal(projects.add({ dir: 'harbour' }))).toBe('INVALID dir')
    const page = { taskId: lead, requestingWorkspaceId: tester, at: 'end' } as const
    expect(await refusal(transcripts.page(page))).toBe('OUT_OF_SCOPE task')
    const url = 'javascript:alert(1)'
    expect(await refusal(tasks.linkPullRequest({ taskId: lead, url }))).toBe('INVALID url')
  })

  it('for one that is archived or in the trash', async () => {
    const { host, lead } = harbour()
    const { tasks, transcripts, workspace } = host.client
    await workspace.remove({ workspaceId: lead })
    expect(await refusal(workspace.openFolder({ workspaceId: lead, with: 'editor' }))).toBe(
      'REFUSED removed',
    )
    await workspace.trash({ workspaceId: lead })
    expect(await refusal(transcripts.page({ taskId: lead, at: 'end' }))).toBe('REFUSED removed')
    expect((await tasks.list({ all: true })).tasks).toEqual([])
    await workspace.restore({ workspaceId: lead })
    expect((await transcripts.page({ taskId: lead, at: 'end' })).source).toBe('live')
  })
})

it('the fake host resumes a tree with what never began in it', async () => {
  const { host, projectId, lead, tester } = harbour()
  const queued = host.createTask({ projectId, parentId: lead, title: 'Paint the lamps' })
  for (const id of [tester, lead]) host.interrupt(id)
  const selector = { by: 'tree', taskId: lead } as const
  const { accepted } = await host.client.tasks.resume({ selector })
  expect(new Set(accepted.map(({ taskId }) => taskId))).toEqual(new Set([tester, queued, lead]))
  expect(host.state.tasks.get(queued)?.status).toBe('spawned')
})

it('the fake host ends the feed of a session that is archived, and gives its last state first', async () => {
  const { host, tester } = harbour()
  host.partial(tester, [{ type: 'text', text: 'half ' }])
  host.delta(tester, 0, 'a word')
  host.archive(tester)
  const events = []
  for await (const event of await host.client.feed.session({ workspaceId: tester }))
    events.push(event)
  expect(events).toMatchObject([
    { type: 'snapshot', partial: { parts: [{ text: 'half a word' }] } },
    { type: 'running', calls: [] },
    { type: 'ended' },
  ])
  expect(host.listeners().sessions).toBe(0)
})
