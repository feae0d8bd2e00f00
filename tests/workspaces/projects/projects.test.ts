import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf, gitProject, openFixture, start, untilQuiet } from '../../harness.ts'

it('is one project if two windows add its folder at the same moment', async () => {
  const { dir, shiplog } = await openFixture()
  const other = await gitProject(join(dir, 'other'))
  const added = await Promise.all([1, 2, 3].map(() => shiplog.client.projects.add({ dir: other })))
  expect(new Set(added.map((project) => project.id)).size).toBe(1)
  expect((await shiplog.client.projects.list()).projects).toHaveLength(2)
})

it('[K2] does not save an environment over one that was set since it was shown', async () => {
  const { project, shiplog } = await openFixture()
  const { client } = shiplog
  const projectId = project.id
  const shown = { allowed: [], only: null }
  const save = (allowed: string[]) =>
    client.projects.setEnvironment({ projectId, environment: { allowed, only: null }, shown })
  // Two windows at once: the first to come is the one that saved.
  const saved = await Promise.allSettled([save(['NPM_TOKEN']), save(['STRIPE_KEY'])])
  expect(saved.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  await expect(save(['OTHER'])).rejects.toMatchObject({
    code: 'REFUSED',
    data: { reason: 'settings-changed' },
    message: expect.stringContaining('changed elsewhere'),
  })
  const { projects } = await client.projects.list()
  expect(projects[0]?.environment).toEqual({ allowed: ['NPM_TOKEN'], only: null })
})

const talk =
  'version: 1\nname: talk\nagents:\n  lead:\n    turns:\n      - say: One.\n      - say: Two.\n'

it('is not removed while a workspace of it is in use, and its removal keeps its folder and the archive', async () => {
  const fixture = await openFixture()
  const { project, shiplog } = fixture
  const { client } = shiplog
  const root = await start(fixture, talk)
  await untilQuiet(shiplog)
  const remove = () => client.projects.remove({ projectId: project.id })
  // It has completed, and its worktree is still there.
  await expect(remove()).rejects.toMatchObject({
    code: 'REFUSED',
    data: { reason: 'in-use' },
    message: expect.stringContaining(`1 workspace in use: "Do it" (${root.slice(0, 8)})`),
  })
  await client.workspace.remove({ workspaceId: root })
  await remove()
  expect((await client.projects.list()).projects).toEqual([])
  expect(existsSync(join(project.dir, 'README.md'))).toBe(true)
  expect((await entriesOf(shiplog, root)).length).toBeGreaterThan(0)
})
