import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { entriesOf, git, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'
import { casesOf, itInSoak } from '../../soak.ts'
import {
  address,
  notices,
  projects,
  startWaitingPrompt,
  talks,
  withRemote,
} from './known-projects.ts'

describe('a project whose folder was moved', () => {
  it('continues in its new place, with its agents, their worktrees and its archive', async () => {
    const fixture = await openFixture()
    const { dir, project, shiplog } = fixture
    const { client } = shiplog
    const archived = await start(fixture, talks)
    await untilQuiet(shiplog)
    await client.workspace.remove({ workspaceId: archived })
    const live = await start(fixture, talks)
    const inPlace = await start(fixture, talks, { isolation: 'in-place' })
    await untilQuiet(shiplog)
    await withRemote(fixture)

    const to = join(dir, 'elsewhere', 'lamps')
    await mkdir(join(dir, 'elsewhere'))
    await rename(project.dir, to)
    const moved = await client.projects.add({ dir: to })
    expect(moved).toMatchObject({ id: project.id, name: 'lamps', dir: to, git: true })
    expect(await projects(fixture)).toEqual([moved])
    expect(await notices(fixture)).toMatchObject([
      {
        tone: 'info',
        text: `project moved from ${project.dir} to ${to}. Its agents and archive continue there.`,
        details: ['1 worktree was reconnected with it.'],
      },
    ])

    // Said once.
    await client.projects.add({ dir: to })
    expect(await notices(fixture)).toHaveLength(1)
    for (const id of [archived, live, inPlace])
      expect(await taskOf(shiplog, id)).toMatchObject({ projectId: project.id, projectDir: to })
    expect((await entriesOf(shiplog, archived)).length).toBeGreaterThan(0)
    expect((await taskOf(shiplog, inPlace)).workspace?.path).toBe(to)

    // Git works in the worktree, and everything that needs the repository does too.
    expect((await client.workspace.diff({ workspaceId: live })).patch).toContain('new.txt')
    await client.tasks.prompt({ taskId: live, prompt: 'Go on' })
    await untilQuiet(shiplog)
    await rm(join(to, 'new.txt'))
    expect(await client.tasks.applyPatch({ taskId: live })).toMatchObject({ kind: 'applied' })
    expect(await readFile(join(to, 'new.txt'), 'utf8')).toBe('new')
    await client.workspace.remove({ workspaceId: live })
    await client.workspace.restore({ workspaceId: archived })
    expect(git(to, 'worktree', 'list')).toContain((await taskOf(shiplog, archived)).workspace?.path)

    const restarted = await fixture.restart()
    expect(await projects(fixture)).toEqual([moved])
    expect(await taskOf(restarted, archived)).toMatchObject({ projectDir: to })
    expect(await notices(fixture)).toEqual([])
  })

  it('is found without a remote, and by its agent’s next start in the new place', async () => {
    const fixture = await openFixture()
    const to = `${fixture.project.dir}-moved`
    await rename(fixture.project.dir, to)
    await expect(start(fixture, talks)).rejects.toThrow(/is missing.*projects add/s)
    const { id } = await fixture.shiplog.client.projects.add({ dir: to })
    expect(id).toBe(fixture.project.id)
    await start(fixture, talks)
    await untilQuiet(fixture.shiplog)
  })

  itInSoak('is found through a link that was left in its old place', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const { id, dir } = fixture.project
    await rename(dir, `${dir}-moved`)
    await symlink(`${dir}-moved`, dir)
    await start(fixture, talks)
    await untilQuiet(fixture.shiplog)
    expect(await projects(fixture)).toMatchObject([{ id, dir: `${dir}-moved` }])
    expect((await client.projects.add({ dir })).id).toBe(id)
    expect(await notices(fixture)).toHaveLength(1)
  })

  it('refuses to resume its agents with advice to add it in its new place, and resumes them there', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await startWaitingPrompt(fixture)
    await client.tasks.stop({ taskId: id })
    const to = `${fixture.project.dir}-moved`
    await rename(fixture.project.dir, to)
    const selector = { by: 'task' as const, taskId: id }
    const [candidate] = (await client.tasks.planResume({ selector })).candidates
    expect(candidate?.obstacle).toMatch(/is missing.*projects add.*put it back/)
    await client.projects.add({ dir: to })
    await writeFile(join(fixture.dir, 'go'), '')
    expect(await client.tasks.resume({ selector, force: false })).toMatchObject({ refused: [] })
    const isDone = (tasks: Task[]) => tasks.some((task) => task.status === 'completed')
    await until(fixture.shiplog, isDone)
    expect((await taskOf(fixture.shiplog, id)).runs).toHaveLength(2)
  })

  it('is the same project if two windows add the new place at the same moment', async () => {
    const fixture = await openFixture()
    const to = `${fixture.project.dir}-moved`
    await cp(fixture.project.dir, `${to}-too`, { recursive: true })
    await rename(fixture.project.dir, to)
    const add = (dir: string) => fixture.shiplog.client.projects.add({ dir })
    const added = await Promise.all([add(to), add(to), add(`${to}-too`)])
    expect(new Set(added.map(({ id }) => id)).size).toBe(2)
    expect(added.filter(({ id }) => id === fixture.project.id).length).toBeGreaterThan(0)
  })

  itInSoak('is a folder of its repository: another folder of it is another project', async () => {
    const fixture = await openFixture({ files: { 'a/one.txt': '1\n', 'b/two.txt': '2\n' } })
    const { client } = fixture.shiplog
    const { dir } = fixture.project
    const [a, b] = [
      await client.projects.add({ dir: join(dir, 'a') }),
      await client.projects.add({ dir: join(dir, 'b') }),
    ]
    const to = `${dir}-moved`
    await rename(dir, to)
    expect((await client.projects.add({ dir: join(to, 'b') })).id).toBe(b.id)
    expect((await client.projects.add({ dir: join(to, 'a') })).id).toBe(a.id)
    expect((await client.projects.add({ dir: to })).id).toBe(fixture.project.id)
  })

  it('stays where it was while its agents run', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const id = await startWaitingPrompt(fixture)
    const to = `${fixture.project.dir}-moved`
    await rename(fixture.project.dir, to)
    await expect(client.projects.add({ dir: to })).rejects.toMatchObject({
      data: { reason: 'running' },
      message: expect.stringContaining('1 agent of it still runs'),
    })
    await client.tasks.stop({ taskId: id })
    await untilQuiet(fixture.shiplog)
    expect((await client.projects.add({ dir: to })).id).toBe(fixture.project.id)
  })
})

describe('permissions of a folder', () => {
  it('are requested again after a move: set-up, Git configuration and variables', async () => {
    const fixture = await openFixture({
      files: {
        '.gitattributes': '*.txt filter=own\n',
        '.shiplog/project.yaml': 'setup: echo hi\n',
      },
    })
    const { client } = fixture.shiplog
    const { id: projectId, dir } = fixture.project
    git(dir, 'config', 'filter.own.clean', 'cat')
    const { configSha256 } = await client.projects.setup({ projectId })
    await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
    const environment = { allowed: ['NPM_TOKEN'], only: null }
    await client.projects.setEnvironment({ projectId, environment })
    expect(await client.projects.setup({ projectId })).toMatchObject({ trusted: true, git: null })

    const to = `${dir}-moved`
    await rename(dir, to)
    const moved = await client.projects.add({ dir: to })
    expect(moved.id).toBe(projectId)
    expect(await client.projects.setup({ projectId })).toMatchObject({
      trusted: false,
      setup: 'echo hi',
      git: { commands: 'filter.own.clean = cat' },
    })
    await expect(start(fixture, talks)).rejects.toThrow('have not allowed yet')
    expect(moved.environment).toBeUndefined()
    expect(moved.revokedVariables).toEqual(['NPM_TOKEN'])
    const [{ details } = { details: [] }] = await notices(fixture)
    expect(details).toEqual([
      expect.stringContaining('asked again'),
      expect.stringMatching(/no longer get NPM_TOKEN.*projects environment/),
    ])
    await client.projects.setEnvironment({ projectId, environment })
    expect((await projects(fixture))[0]).not.toHaveProperty('revokedVariables')
  })

  it('are not restored with the folder', async () => {
    const fixture = await openFixture({ files: { '.shiplog/project.yaml': 'setup: echo hi\n' } })
    const { client } = fixture.shiplog
    const { id: projectId, dir } = fixture.project
    const { configSha256 } = await client.projects.setup({ projectId })
    await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
    await rename(dir, `${dir}-moved`)
    await client.projects.add({ dir: `${dir}-moved` })
    await rename(`${dir}-moved`, dir)
    expect((await client.projects.add({ dir })).id).toBe(projectId)
    expect(await client.projects.setup({ projectId })).toMatchObject({ trusted: false })
  })
})

describe('a project that was removed from the list', () => {
  async function removed() {
    const fixture = await openFixture({ files: { '.shiplog/project.yaml': 'setup: echo hi\n' } })
    const { client } = fixture.shiplog
    const { id: projectId, dir } = fixture.project
    const { configSha256 } = await client.projects.setup({ projectId })
    await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
    const archived = await start(fixture, talks)
    await untilQuiet(fixture.shiplog)
    await client.workspace.remove({ workspaceId: archived })
    const environment = { allowed: ['NPM_TOKEN'], only: null }
    await client.projects.setEnvironment({ projectId, environment })
    await client.projects.remove({ projectId })
    expect(await projects(fixture)).toEqual([])
    return { fixture, client, projectId, dir, archived }
  }

  it.each(casesOf(['where it was', 'in another place'], (place) => place === 'where it was'))(
    'is the same one when it is added again %s, without settings and approvals',
    async (place) => {
      const { fixture, projectId, dir, archived } = await removed()
      const to = place === 'where it was' ? dir : `${dir}-moved`
      await rename(dir, to)
      const { client } = await fixture.restart()
      const added = await client.projects.add({ dir: to })
      expect(added).toMatchObject({ id: projectId, dir: to })
      expect(added).not.toHaveProperty('environment')
      expect(await projects(fixture)).toEqual([added])
      expect(await client.projects.setup({ projectId })).toMatchObject({ trusted: false })
      await client.workspace.restore({ workspaceId: archived })
      expect(await taskOf(fixture.shiplog, archived)).toMatchObject({ projectId, projectDir: to })
    },
  )

  itInSoak('is listed again when an agent of it is restored', async () => {
    const { fixture, client, projectId, dir, archived } = await removed()
    await client.workspace.restore({ workspaceId: archived })
    expect(await projects(fixture)).toMatchObject([{ id: projectId, dir }])
    const { workspace } = await taskOf(fixture.shiplog, archived)
    expect(await readFile(join(workspace?.path ?? '', 'new.txt'), 'utf8')).toBe('new')
    await fixture.restart()
    expect(await projects(fixture)).toMatchObject([{ id: projectId, dir }])
  })

  it('is not confused with another repository in its folder', async () => {
    const { client, projectId, dir } = await removed()
    await rm(join(dir, '.git'), { recursive: true })
    git(dir, 'init', '-q', '-b', 'main')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '-m', 'Unrelated')
    expect((await client.projects.add({ dir })).id).not.toBe(projectId)
  })

  itInSoak('stays removed while a clone of it is added', async () => {
    const { fixture, client, projectId, dir } = await removed()
    await cp(dir, `${dir}-too`, { recursive: true })
    expect((await client.projects.add({ dir: `${dir}-too` })).id).not.toBe(projectId)
    expect(await projects(fixture)).toHaveLength(1)
    expect((await client.projects.add({ dir })).id).toBe(projectId)
  })
})

it('refreshes the identities of its projects when the app starts', async () => {
  const fixture = await openFixture({ host: 'web' })
  const { project } = fixture
  git(project.dir, 'remote', 'add', 'origin', address)
  await fixture.restart()
  await fixture.restart()
  expect((await projects(fixture))[0]?.identity?.remote).toBe('git.example.org/harbour/lights')
})
