/** What a repository's own Git configuration asks for is shown and allowed as its set-up is (K8). */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, gitProject, openFixture, start, taskOf, untilQuiet } from '../../harness.ts'
import { isSoak } from '../../soak.ts'

const scenario = `
version: 1
name: works
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "small" }
      - say: Done
`

it('[K8] starts no agent if a filter was not allowed, and runs it once it was', async () => {
  const fixture = await openFixture({ files: { '.gitattributes': '*.txt filter=own\n' } })
  const { client } = fixture.shiplog
  const { id: projectId, dir } = fixture.project
  const marker = join(fixture.dir, 'sprung')
  git(dir, 'config', 'filter.own.clean', `touch '${marker}'; tr a-z A-Z`)
  await expect(start(fixture, scenario)).rejects.toThrow('filter.own.clean')
  expect(existsSync(marker)).toBe(false)

  const asked = await client.projects.setup({ projectId })
  expect(asked).toMatchObject({ setup: null, trusted: false, git: { fetches: [] } })
  expect(asked.git?.commands).toBe(`filter.own.clean = touch '${marker}'; tr a-z A-Z`)
  const configSha256 = asked.configSha256 ?? ''
  await client.projects.trustSetup({ projectId, configSha256 })
  expect(await client.projects.setup({ projectId })).toMatchObject({ trusted: true, git: null })
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const { patch } = await client.workspace.diff({ workspaceId: id })
  expect(patch).toContain('+SMALL')

  await fixture.restart()
  git(dir, 'config', 'filter.own.clean', `touch '${marker}2'; cat`)
  const again = fixture.shiplog.client
  expect(await again.projects.setup({ projectId })).toMatchObject({ trusted: false })
  await expect(again.projects.trustSetup({ projectId, configSha256 })).rejects.toThrow('changed')
  // What is there can still be looked at, applied and removed, without the filter.
  expect((await again.workspace.diff({ workspaceId: id })).patch).toContain('+small')
  await again.tasks.applyPatch({ taskId: id })
  await again.workspace.remove({ workspaceId: id })
  expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: true })
  expect(existsSync(`${marker}2`)).toBe(false)
})

it('[K8] runs a script of the repository as a filter only as it was when it was allowed', async () => {
  const files = { '.gitattributes': '*.txt filter=own\n', 'tools/clean': 'tr a-z A-Z\n' }
  const fixture = await openFixture({ files })
  const { client } = fixture.shiplog
  const { id: projectId, dir } = fixture.project
  const marker = join(fixture.dir, 'sprung')
  git(dir, 'config', 'filter.own.clean', 'sh tools/clean')
  const asked = await client.projects.setup({ projectId })
  expect(asked.git?.commands).toBe('filter.own.clean = sh tools/clean\n\ntools/clean:\ntr a-z A-Z')
  await client.projects.trustSetup({ projectId, configSha256: asked.configSha256 ?? '' })
  const agents = (text: string) => `
version: 1
name: works
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "small" }
      - call: write_file
        with: { path: tools/clean, content: "${text}" }
      - call: write_file
        with: { path: b.txt, content: "little" }
      - say: Done
`
  const id = await start(fixture, agents(`touch ${marker}; cat`))
  await untilQuiet(fixture.shiplog)
  const { patch } = await client.workspace.diff({ workspaceId: id })
  expect(existsSync(marker)).toBe(false)
  expect(patch).toContain('+little')
  await client.tasks.applyPatch({ taskId: id })
  expect(existsSync(marker)).toBe(false)
  // The project's own script is another one now, and the worktree's was never allowed.
  await expect(start(fixture, agents('cat'))).rejects.toThrow('filter.own.clean')
  const changed = await client.projects.setup({ projectId })
  expect(changed).toMatchObject({ trusted: false })
  await client.projects.trustSetup({ projectId, configSha256: changed.configSha256 ?? '' })
  await expect(start(fixture, agents('cat'))).rejects.toThrow('tools/clean, whose text is another')
})

it.each(['gitdir:**/worktrees/**', ...(isSoak ? ['onbranch:shiplog/**'] : [])])(
  '[K8] makes no worktree where a filter is included for it only (%s), and gives advice',
  async (condition) => {
    const fixture = await openFixture({ files: { '.gitattributes': '*.txt filter=own\n' } })
    const { client } = fixture.shiplog
    const { id: projectId, dir } = fixture.project
    const marker = join(fixture.dir, 'sprung')
    const filter = `[filter "own"]\n\tclean = "touch '${marker}'; tr a-z A-Z"\n`
    await writeFile(join(dir, '.git/more'), filter)
    git(dir, 'config', `includeIf.${condition}.path`, 'more')
    expect(await client.projects.setup({ projectId })).toMatchObject({ trusted: true })
    const branches = git(dir, 'branch')
    await expect(start(fixture, scenario)).rejects.toThrow(
      /filter\.own\.clean = .*\.git\/config without a condition/s,
    )
    expect(existsSync(marker)).toBe(false)
    expect(git(dir, 'branch')).toBe(branches)
    expect(git(dir, 'worktree', 'list').trim().split('\n')).toHaveLength(1)

    // As the message says: then the user is asked, and it runs.
    git(dir, 'config', 'include.path', 'more')
    const { configSha256 } = await client.projects.setup({ projectId })
    await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
    const id = await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    expect((await client.workspace.diff({ workspaceId: id })).patch).toContain('+SMALL')
  },
)

it('[K8] adds a partial clone without fetching, and asks if an object is missing', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const clone = join(fixture.dir, 'clone')
  const url = `file://${fixture.project.dir}`
  git(fixture.project.dir, 'config', 'uploadpack.allowFilter', 'true')
  git(fixture.dir, 'clone', '-q', '--filter=blob:none', url, clone)
  const whole = await client.projects.add({ dir: clone })
  expect(await client.projects.setup({ projectId: whole.id })).toMatchObject({ trusted: true })

  const bare = join(fixture.dir, 'without-files')
  git(fixture.dir, 'clone', '-q', '--no-checkout', '--filter=blob:none', url, bare)
  const { id: projectId } = await client.projects.add({ dir: bare })
  const asked = await client.projects.setup({ projectId })
  expect(asked).toMatchObject({ trusted: false, git: { commands: '', fetches: [{ url }] } })
  const request = { projectId, agent: { kind: 'scripted' as const, scenario, source: 'a.yaml' } }
  await expect(client.tasks.start({ ...request, prompt: 'Do it' })).rejects.toThrow(url)
  await client.projects.trustSetup({ projectId, configSha256: asked.configSha256 ?? '' })
  const { taskId } = await client.tasks.start({ ...request, prompt: 'Do it' })
  await untilQuiet(fixture.shiplog)
  const { workspace } = await taskOf(fixture.shiplog, taskId)
  expect(existsSync(join(workspace?.path ?? '', 'README.md'))).toBe(true)
})

it('[K8] adds a project whose remote names a command without running it', async () => {
  const fixture = await openFixture()
  const marker = join(fixture.dir, 'sprung')
  const dir = await gitProject(join(fixture.dir, 'hostile'))
  const id = git(dir, 'rev-parse', 'HEAD').trim()
  git(dir, 'config', 'remote.origin.promisor', 'true')
  git(dir, 'config', 'remote.origin.url', '.')
  git(dir, 'config', 'remote.origin.uploadpack', `touch '${marker}'; git-upload-pack`)
  git(dir, 'config', 'extensions.partialClone', 'origin')
  git(dir, 'config', 'core.repositoryFormatVersion', '1')
  await rm(join(dir, '.git/objects', id.slice(0, 2), id.slice(2)))
  await expect(fixture.shiplog.client.projects.add({ dir })).rejects.toThrow()
  expect(existsSync(marker)).toBe(false)
})
