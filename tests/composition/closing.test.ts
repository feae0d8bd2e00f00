import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { gitProject, openFixture, temporaryDir } from '../harness.ts'

it.skipIf(process.platform === 'win32')(
  'ends a call of Git that does not finish while it closes, and begins no other',
  async () => {
    const dir = await temporaryDir()
    await gitProject(dir)
    // Git waits for the pipe, for a second before it is ended for that.
    const borrowed = await temporaryDir()
    await mkdir(path.join(borrowed, 'info'))
    execFileSync('mkfifo', [path.join(borrowed, 'info/alternates')])
    const missing = Array.from({ length: 1500 }, (_, at) => `/missing/${at}\n`).join('')
    await writeFile(path.join(dir, '.git/objects/info/alternates'), `${missing}${borrowed}\n`)
    const { shiplog } = await openFixture({ gitMsMaxAtClose: 200 })
    const adding = expect(shiplog.client.projects.add({ dir })).rejects.toMatchObject({
      data: { reason: 'closing' },
    })
    await shiplog.close()
    await adding
  },
)
