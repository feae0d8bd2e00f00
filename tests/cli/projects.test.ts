/** The commands about projects: their environment, adding, listing and removing them. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { runToEnd } from './fake-process.ts'
import type { FakeShiplog } from './fake-shiplog.ts'
import { createFamily, jsonOf } from './family.ts'

let fake: FakeShiplog
let lead: TaskId

beforeEach(() => {
  ;({ fake, lead } = createFamily())
})

const run = (...argv: string[]) => runToEnd(argv, { fake })
const document = (...argv: string[]) => jsonOf(fake, argv)

describe('[K2] projects environment', () => {
  const ofApi = (...argv: string[]) =>
    document('projects', 'environment', '--project', '/code/api', ...argv)
  const environment = (allowed: string[], only: string[] | null) => ({
    environment: { allowed, only },
  })

  it('prints what is set, and an option replaces its list and leaves the other', async () => {
    expect(await ofApi()).toMatchObject(environment([], null))
    expect(await ofApi('--pass', 'NPM_TOKEN', '--pass', 'STRIPE_KEY')).toMatchObject(
      environment(['NPM_TOKEN', 'STRIPE_KEY'], null),
    )
    expect(await ofApi('--only', 'JAVA_HOME')).toMatchObject(
      environment(['NPM_TOKEN', 'STRIPE_KEY'], ['JAVA_HOME']),
    )
    expect(await ofApi('--pass', 'A')).toMatchObject(environment(['A'], ['JAVA_HOME']))
    expect(await ofApi()).toMatchObject(environment(['A'], ['JAVA_HOME']))
    const { stdout } = await run('projects', 'environment', '--project', '/code/api')
    expect(stdout).toMatch(/such as PATH and HOME, and only: JAVA_HOME, A$/m)
    expect(await ofApi('--reset')).toMatchObject(environment([], null))
  })

  it('lists variables that are no longer passed on, until something is set again', async () => {
    await ofApi('--pass', 'NPM_TOKEN')
    fake.moveProject('/code/api')
    const { stdout, stderr } = await run('projects', 'environment', '--project', '/code/api')
    expect(stdout).toBe('Agents of api get your environment variables except secrets.\n')
    expect(stderr).toContain('they no longer get what you allowed before: NPM_TOKEN.')
    expect(await ofApi()).toMatchObject({ revoked: ['NPM_TOKEN'] })
    expect(await ofApi('--pass', 'A')).toMatchObject({ revoked: [] })
    expect(await ofApi()).toMatchObject({ revoked: [] })
  })

  it('3 for a folder that is no project', async () => {
    const { code, stderr } = await run('projects', 'environment', '--project', '/code/none')
    expect(code).toBe(3)
    expect(stderr).toContain('/code/none is not a project of Shiplog.')
  })

  it('projects remove: by a prefix of its id or its folder, and states what is kept', async () => {
    const web = fake.addProject('/code/web')
    const { code, stderr } = await run('projects', 'remove', web.slice(0, 8))
    expect(code).toBe(0)
    expect(stderr).toMatch(/^Removed web \(\/code\/web\) .*folder.* archive are kept\.\n$/)
    const inUse = await run('projects', 'remove', '/code/api')
    expect(inUse).toMatchObject({ code: 5, stderr: expect.stringContaining('Fix the parser') })
    await run('workspaces', 'remove', lead)
    expect(await document('projects', 'remove', '/code/api')).toMatchObject({
      removed: { name: 'api', dir: '/code/api' },
    })
    expect(fake.state.projects.size).toBe(0)
    const none = await run('projects', 'remove', '/code/none')
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('/code/none is not a') })
  })

  it('projects add: a folder once, and what it is when it is a second clone', async () => {
    const added = await run('projects', 'add', '/code/web')
    expect(added).toMatchObject({ code: 0, stdout: '', stderr: 'Added web (/code/web).\n' })
    const again = await run('projects', 'add', '/code/web')
    expect(again.stderr).toBe('web (/code/web) is a project already.\n')
    expect(await document('projects', 'add', '/code/api')).toMatchObject({
      project: { dir: '/code/api' },
    })
    const missing = await run('projects', 'add', '/code/missing')
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') })
  })

  it('projects list: each with its folder', async () => {
    expect((await run('projects', 'list')).stdout).toMatch(/api +\/code\/api/)
  })
})
