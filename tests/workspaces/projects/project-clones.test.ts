/** A project is identified by its repository: clones, other repositories in its folder, folders without Git. */
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  entriesOf,
  git,
  gitProject,
  openFixture,
  start,
  taskOf,
  untilQuiet,
  writeFiles,
} from '../../harness.ts'
import { address, notices, projects, talks, withRemote } from './known-projects.ts'

describe('a second clone', () => {
  it('is a separate project as long as the first one’s folder exists', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const first = await withRemote(fixture)
    const beside = `${fixture.project.dir}-too`
    await cp(fixture.project.dir, beside, { recursive: true })
    const second = await client.projects.add({ dir: beside })
    expect(second.id).not.toBe(first.id)
    expect(second.identity).toEqual(first.identity)
    expect(await projects(fixture)).toEqual([first, second])
    expect(await notices(fixture)).toEqual([])
    // Also while there is something else in the first one's place.
    await rm(first.dir, { recursive: true })
    await mkdir(first.dir)
    const third = `${fixture.project.dir}-three`
    await cp(beside, third, { recursive: true })
    expect((await client.projects.add({ dir: third })).id).not.toBe(first.id)
  })

  it('replaces the missing one whose worktrees the repository knows, otherwise the one of that name', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const { dir } = fixture
    const first = await gitProject(join(dir, 'one', 'lights'), { 'a.txt': 'a\n' })
    const second = join(dir, 'two', 'lamps')
    await cp(first, second, { recursive: true })
    const one = await client.projects.add({ dir: first })
    const two = await client.projects.add({ dir: second })
    await start({ ...fixture, project: two }, talks)
    await untilQuiet(fixture.shiplog)
    await mkdir(join(dir, 'three'))
    // Named like the first one, and it knows the worktree of the second one's agent.
    await rename(second, join(dir, 'three', 'lights'))
    await rename(first, join(dir, 'three', 'other'))
    expect((await client.projects.add({ dir: join(dir, 'three', 'lights') })).id).toBe(two.id)
    expect((await client.projects.add({ dir: join(dir, 'three', 'other') })).id).toBe(one.id)
  })

  it('with another remote is another project, even if the first one is missing', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const first = await withRemote(fixture)
    const beside = `${first.dir}-fork`
    await rename(first.dir, beside)
    git(beside, 'remote', 'set-url', 'origin', 'https://git.example.org/fork/lights')
    expect((await client.projects.add({ dir: beside })).id).not.toBe(first.id)
    // Reached in another way it is the same.
    await rename(beside, `${first.dir}-ssh`)
    git(`${first.dir}-ssh`, 'remote', 'set-url', 'origin', 'git@GIT.example.org:harbour/lights')
    expect((await client.projects.add({ dir: `${first.dir}-ssh` })).id).toBe(first.id)
  })

  it('keeps no secret of an address, in no file', async () => {
    const fixture = await openFixture()
    const { identity } = await withRemote(fixture)
    expect(identity?.remote).toBe('git.example.org/harbour/lights')
    const token = `ghp_${'a1'.repeat(18)}`
    git(fixture.project.dir, 'remote', 'set-url', 'origin', `https://git.example.org/${token}/x`)
    const again = await fixture.shiplog.client.projects.add({ dir: fixture.project.dir })
    expect(again.identity?.remote).toMatch(/^sha256:/)
    const ledger = await readFile(join(fixture.dataDir, 'ledger.jsonl'), 'utf8')
    expect(ledger).toContain('project.identified')
    expect(ledger).not.toMatch(/s3cretw0rd|ada:|ghp_/)
  })
})

describe('a new clone in place of a folder that is gone', () => {
  it('continues with the record, and lists what can’t continue', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const first = await withRemote(fixture)
    const id = await start(fixture, talks)
    await untilQuiet(fixture.shiplog)
    const { workspace } = await taskOf(fixture.shiplog, id)
    const to = join(fixture.dir, 'fresh')
    git(fixture.dir, 'clone', '-q', first.dir, to)
    git(to, 'remote', 'set-url', 'origin', address)
    await rm(first.dir, { recursive: true })
    expect((await client.projects.add({ dir: to })).id).toBe(first.id)
    expect(await notices(fixture)).toMatchObject([
      {
        tone: 'warning',
        details: [
          expect.stringMatching(
            `"Do it".*the repository in ${to} does not list its worktree.*${workspace?.path}.*--discard-unknown-worktree`,
          ),
        ],
      },
    ])
    expect(await readFile(join(workspace?.path ?? '', 'new.txt'), 'utf8')).toBe('new')
    expect((await entriesOf(fixture.shiplog, id)).length).toBeGreaterThan(0)
  })

  it('that is shallow is known by its remote', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const first = await withRemote(fixture)
    const to = join(fixture.dir, 'shallow')
    git(fixture.dir, 'clone', '-q', '--depth', '1', `file://${first.dir}`, to)
    git(to, 'remote', 'set-url', 'origin', address)
    await rm(first.dir, { recursive: true })
    const moved = await client.projects.add({ dir: to })
    expect(moved).toMatchObject({ id: first.id, identity: { rootCommits: [] } })
  })

  it('writes to no other folder, whatever the new repository’s files name', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const own = await gitProject(join(fixture.dir, 'own'))
    const beside = join(fixture.dir, 'beside')
    git(own, 'worktree', 'add', '-q', '-b', 'beside', beside)
    const before = await readFile(join(beside, '.git'), 'utf8')
    await start(fixture, talks)
    await untilQuiet(fixture.shiplog)
    const to = `${fixture.project.dir}-moved`
    await rename(fixture.project.dir, to)
    await writeFiles(join(to, '.git/worktrees/evil'), {
      gitdir: `${join(beside, '.git')}\n`,
      HEAD: 'ref: refs/heads/main\n',
      commondir: '../..\n',
    })
    await client.projects.add({ dir: to })
    expect((await notices(fixture))[0]?.details).toEqual(['1 worktree was reconnected with it.'])
    expect(await readFile(join(beside, '.git'), 'utf8')).toBe(before)
  })
})

describe('another repository in the same folder', () => {
  it('is reported, keeps the record, and has no permissions', async () => {
    const fixture = await openFixture({ files: { '.shiplog/project.yaml': 'setup: echo hi\n' } })
    const { client } = fixture.shiplog
    const { id: projectId, dir } = fixture.project
    const { configSha256 } = await client.projects.setup({ projectId })
    await client.projects.trustSetup({ projectId, configSha256: configSha256 ?? '' })
    const id = await start(fixture, talks)
    await untilQuiet(fixture.shiplog)
    await rm(join(dir, '.git'), { recursive: true })
    git(dir, 'init', '-q', '-b', 'main')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '-m', 'Second')
    await expect(start(fixture, talks)).rejects.toThrow('have not allowed yet')
    expect(await notices(fixture)).toMatchObject([
      {
        tone: 'warning',
        text: expect.stringContaining(`${dir} holds another repository than before`),
        details: [
          expect.stringContaining('asked again'),
          expect.stringContaining('does not list its worktree'),
        ],
      },
    ])
    const [project] = await projects(fixture)
    expect(project?.id).toBe(projectId)
    expect(project?.identity).not.toEqual(fixture.project.identity)
    expect((await entriesOf(fixture.shiplog, id)).length).toBeGreaterThan(0)
    await client.projects.add({ dir })
    expect(await notices(fixture)).toHaveLength(1)
  })
})

describe('a folder that is known by its path', () => {
  it('without Git is a separate project in any place', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const plain = join(fixture.dir, 'plain')
    await writeFiles(plain, { 'a.txt': 'a\n' })
    const first = await client.projects.add({ dir: plain })
    expect(first).not.toHaveProperty('identity')
    await rename(plain, `${plain}-moved`)
    await expect(
      start({ ...fixture, project: first }, talks, { isolation: 'in-place' }),
    ).rejects.toThrow('identified by its path alone')
    expect((await client.projects.add({ dir: `${plain}-moved` })).id).not.toBe(first.id)
  })

  it('is identified by its first commit, even an agent’s', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const plain = join(fixture.dir, 'plain')
    await writeFiles(plain, { 'a.txt': 'a\n' })
    const first = await client.projects.add({ dir: plain })
    expect(first).toMatchObject({ git: false })
    const command =
      'git init -q -b main . && git add -A && git -c user.name=A -c user.email=a@b.c commit -q -m First'
    const commits = talks
      .replace('call: write_file', 'call: bash')
      .replace(/with: .*/, `with: { command: ${JSON.stringify(command)} }`)
    await start({ ...fixture, project: first }, commits, { isolation: 'in-place' })
    await untilQuiet(fixture.shiplog)
    // The commit is looked for after the run: closing waits for that.
    await fixture.restart()
    const [, now] = await projects(fixture)
    expect(now).toMatchObject({ id: first.id, git: true })
    expect(now?.identity?.rootCommits).toEqual([git(plain, 'rev-parse', 'HEAD').trim()])
    await rename(plain, `${plain}-moved`)
    const moved = await fixture.shiplog.client.projects.add({ dir: `${plain}-moved` })
    expect(moved.id).toBe(first.id)
  })

  it('keeps its identity while Git is missing, and is distinguished from another repository', async () => {
    const fixture = await openFixture()
    const { client } = fixture.shiplog
    const { dir, identity } = fixture.project
    await rename(join(dir, '.git'), join(fixture.dir, 'git'))
    expect(await client.projects.add({ dir })).toMatchObject({ git: false, identity })
    await rename(join(fixture.dir, 'git'), join(dir, '.git'))
    expect(await client.projects.add({ dir })).toMatchObject({ git: true, identity })
    expect(await notices(fixture)).toEqual([])
    expect(existsSync(join(dir, '.git'))).toBe(true)
  })
})
