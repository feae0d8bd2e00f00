/** Folders that hold more than one project are none. */
import { homedir } from 'node:os'
import { expect, it } from 'vitest'
import { openFixture } from '../../harness.ts'

it.each(['/', homedir()])('does not take %s for a project', async (dir) => {
  const { client } = (await openFixture()).shiplog
  await expect(client.projects.add({ dir })).rejects.toThrow(
    'Give the folder that holds the project',
  )
})
