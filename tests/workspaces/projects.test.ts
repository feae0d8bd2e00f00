import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitProject, openFixture } from '../harness.ts'

it('is one project when two windows add its folder in the same moment', async () => {
  const { dir, shiplog } = await openFixture()
  const other = await gitProject(join(dir, 'other'))
  const added = await Promise.all([1, 2, 3].map(() => shiplog.client.projects.add({ dir: other })))
  expect(new Set(added.map((project) => project.id)).size).toBe(1)
  expect((await shiplog.client.projects.list()).projects).toHaveLength(2)
})
