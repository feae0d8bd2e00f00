import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRestoreWorkingDir } from '../../../src/main/tasks/drift/index.ts'
import { describeDrift } from '../../../src/shared/records/drift.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import {
  entriesOf,
  type Fixture,
  git as inRepository,
  loseTurnStore,
  openFixture,
  writeFiles,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'
import { driftDependencies, driftOf, interruptedAt, pastIn, taskNow } from './walk.ts'

const files = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' }

const commit = 'git -c user.name=Test -c user.email=test@localhost commit -qam'

/** One commit, and work that is not committed. */
const works = `version: 1
name: works
agents:
  lead:
    turns:
      - steps:
          - call: bash
            with: { command: "echo four >> a.txt && ${commit} four && echo five >> a.txt" }
          - call: write_file
            with: { path: new.txt, content: "new" }
      - wait: 600s
`

const stopped = preparedFixture(
  async (fixture) => ({ task: await interruptedAt(fixture, works) }),
  {
    files,
  },
)

const snapshotsOf = (history: Entry[]) =>
  history.filter((entry) => entry.type === 'workspace-snapshot')

async function restore(fixture: Fixture, task: Task) {
  const ensureWorkingDir = await restorerOf(fixture)
  return ensureWorkingDir(task, pastIn(await entriesOf(fixture.shiplog, task.id)))
}

const restorerOf = async (fixture: Fixture) =>
  createRestoreWorkingDir(await driftDependencies(fixture))

const untouched = { restored: [], recreated: false }
const status = (dir: string) => inRepository(dir, 'status', '--porcelain', '--branch')
const asItWas = (branch: string | null) => `## ${branch}\n M a.txt\n?? new.txt\n`
const tipOf = (dir: string, name: string | null) =>
  inRepository(dir, 'rev-parse', `refs/heads/${name}`).trim()

/** Everything that a failed restore could have changed. */
const account = (dir: string) => [
  inRepository(dir, 'for-each-ref'),
  inRepository(dir, 'worktree', 'list', '--porcelain'),
  status(dir),
]

itInSoak('[S4] does nothing if nothing is missing', async () => {
  const { fixture, task } = await stopped()
  await expect(restore(fixture, task)).resolves.toEqual(untouched)
})

it('[S4] creates a worktree again from its branch, with the uncommitted work', async () => {
  const { fixture, task } = await stopped()
  const { path: dir, branch } = task.workspace
  const tip = tipOf(dir, branch)
  await rm(dir, { recursive: true })
  await expect(restore(fixture, task)).resolves.toEqual({
    restored: [
      `The worktree was missing and was recreated from ${branch}, with the uncommitted work.`,
    ],
    recreated: true,
  })
  expect(status(dir)).toBe(asItWas(branch))
  expect(tipOf(dir, branch)).toBe(tip)
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\nfour\nfive\n')
  expect(await driftOf(fixture, task)).toMatchObject({ dirty: [], conflicts: [], missing: [] })
  inRepository(fixture.project.dir, 'fsck', '--no-dangling')
})

it('[S2] promises no uncommitted files that are kept nowhere', async () => {
  const { fixture, task } = await stopped()
  const { path: dir, branch } = task.workspace
  const tip = tipOf(dir, branch)
  await rm(dir, { recursive: true })
  await loseTurnStore(fixture)
  const drift = await driftOf(fixture, task)
  expect(drift.recreatedFrom).toEqual({ branch, commit: tip, at: null })
  expect(describeDrift(drift)).toContain(
    `It will be recreated from ${branch} at ${tip.slice(0, 7)}. Files that were not committed are lost.`,
  )
  await restore(fixture, task)
  expect(status(dir)).toBe(`## ${branch}\n`)
})

itInSoak(
  '[S4] makes the branch again as well, from what was kept, when both are gone',
  async () => {
    const fixture = await openFixture({ files })
    const { dir: project } = fixture.project
    const task = await interruptedAt(fixture, works)
    const { path: dir, branch } = task.workspace
    const tip = tipOf(dir, branch)
    await rm(dir, { recursive: true })
    inRepository(project, 'worktree', 'prune')
    inRepository(project, 'branch', '-qD', branch ?? '')
    inRepository(project, 'gc', '--quiet', '--prune=now')
    const { restored } = await restore(fixture, task)
    expect(restored).toEqual([
      expect.stringContaining('which had been deleted and was recreated, with the'),
    ])
    expect(status(dir)).toBe(asItWas(branch))
    expect(tipOf(dir, branch)).toBe(tip)
  },
)

itInSoak('[S4] puts uncommitted work on top of a branch that has moved on', async () => {
  const fixture = await openFixture({ files })
  const { dir: project } = fixture.project
  const task = await interruptedAt(fixture, works)
  const { path: dir, branch } = task.workspace
  await rm(dir, { recursive: true })
  inRepository(project, 'worktree', 'prune')
  inRepository(project, 'checkout', '-q', branch ?? '')
  await writeFiles(project, { 'b.txt': 'theirs\n' })
  inRepository(project, 'commit', '-qam', 'Theirs')
  inRepository(project, 'checkout', '-q', 'main')
  const { restored } = await restore(fixture, task)
  expect(restored).toEqual([
    expect.stringContaining('which has moved on, with the uncommitted work'),
  ])
  expect(status(dir)).toBe(asItWas(branch))
  expect(await readFile(join(dir, 'b.txt'), 'utf8')).toBe('theirs\n')
})

it('[S5] refuses a branch that conflicts with the uncommitted work, or is in use, and changes nothing', async () => {
  const fixture = await openFixture({ files })
  const { dir: project } = fixture.project
  const task = await interruptedAt(fixture, works)
  const { path: dir, branch } = task.workspace
  await rm(dir, { recursive: true })
  inRepository(project, 'checkout', '-q', '--ignore-other-worktrees', branch ?? '')
  const inUse = account(project)
  await expect(restore(fixture, task)).rejects.toThrow(`is checked out in ${project}`)
  expect(account(project)).toEqual(inUse)

  await writeFiles(project, { 'a.txt': 'all new\n' })
  inRepository(project, 'commit', '-qam', 'Conflicts')
  inRepository(project, 'checkout', '-q', 'main')
  const before = account(project)
  await expect(restore(fixture, task)).rejects.toThrow('conflicts with it in a.txt')
  expect(account(project)).toEqual(before)
  await expect(readFile(join(dir, 'a.txt'))).rejects.toThrow('ENOENT')
})

it('[S5] a restore that fails midway leaves refs, worktrees and disk unchanged', async () => {
  const fixture = await openFixture({ files })
  const { dir: project } = fixture.project
  const task = await interruptedAt(fixture, works)
  const { path: dir, branch } = task.workspace
  await rm(dir, { recursive: true })
  inRepository(project, 'update-ref', '-d', `refs/heads/${branch}`)
  // Git fails while it writes the files, after worktree and branch were made.
  inRepository(project, 'config', 'filter.broken.smudge', 'false')
  inRepository(project, 'config', 'filter.broken.clean', 'cat')
  inRepository(project, 'config', 'filter.broken.required', 'true')
  await writeFiles(project, { '.git/info/attributes': '*.txt filter=broken\n' })
  const before = account(project)
  await expect(restore(fixture, task)).rejects.toThrow('smudge')
  expect(account(project)).toEqual(before)
  await expect(readFile(join(dir, '.git'))).rejects.toThrow('ENOENT')
  // And can be repeated.
  await rm(join(project, '.git/info/attributes'))
  await expect(restore(fixture, task)).resolves.toMatchObject({ recreated: true })
})

it('[S4] ends a restore that was killed', async () => {
  const fixture = await openFixture({ files })
  const { dir: project } = fixture.project
  const task = await interruptedAt(fixture, works)
  const { path: dir, branch } = task.workspace
  await rm(dir, { recursive: true })
  inRepository(project, 'worktree', 'prune')
  inRepository(project, 'worktree', 'add', '-q', '--no-checkout', dir, branch ?? '')
  inRepository(project, 'worktree', 'lock', '--reason', 'initializing', dir)
  await expect(restore(fixture, task)).resolves.toMatchObject({ recreated: true })
  expect(status(dir)).toBe(asItWas(branch))
})

it('[S4] keeps a worktree that its agent has locked as if it were only being made', async () => {
  const fixture = await openFixture({ files })
  const task = await interruptedAt(fixture, works)
  const { path: dir, branch } = task.workspace
  await writeFiles(dir, { 'theirs.txt': 'not committed\n' })
  inRepository(dir, 'worktree', 'lock', '--reason', 'initializing', dir)
  await expect(restore(fixture, task)).resolves.toMatchObject({ recreated: false })
  expect(await readFile(join(dir, 'theirs.txt'), 'utf8')).toBe('not committed\n')
  expect(inRepository(dir, 'branch', '--show-current').trim()).toBe(branch)
})

it('[S4] checks the branch out again unless that would lose something', async () => {
  const fixture = await openFixture({ files })
  const task = await interruptedAt(
    fixture,
    `version: 1
name: clean
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo four >> a.txt && ${commit} four" }
      - wait: 600s
`,
  )
  const { path: dir, branch } = task.workspace
  inRepository(dir, 'checkout', '-q', '-b', 'elsewhere')
  await writeFiles(dir, { 'theirs.txt': 'not committed\n' })
  await expect(restore(fixture, task)).resolves.toEqual(untouched)
  expect(await driftOf(fixture, task)).toMatchObject({ branchChanged: { to: 'elsewhere' } })
  await rm(join(dir, 'theirs.txt'))
  await expect(restore(fixture, task)).resolves.toEqual({
    restored: [`${branch} was checked out again in place of elsewhere.`],
    recreated: false,
  })
  expect(status(dir)).toBe(`## ${branch}\n`)

  // Commits that are on no branch.
  inRepository(dir, 'checkout', '-q', '--detach')
  inRepository(dir, 'commit', '-q', '--allow-empty', '-m', 'On no branch')
  await expect(restore(fixture, task)).resolves.toEqual(untouched)
})

itInSoak('[S4] in place, the branch is the user’s', async () => {
  const fixture = await openFixture({ files })
  const task = await interruptedAt(fixture, works, { isolation: 'in-place' })
  inRepository(fixture.project.dir, 'checkout', '-q', '-b', 'elsewhere')
  await expect(restore(fixture, task)).resolves.toEqual(untouched)
  expect(status(fixture.project.dir)).toContain('## elsewhere')
})

itInSoak(
  '[S4] makes a shared worktree again once, when both who work in it ask for it',
  async () => {
    const fixture = await openFixture({ files })
    const root = await interruptedAt(
      fixture,
      `version: 1
name: shared
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "the parent's" }
      - call: task
        with: { agent: child, title: Child, prompt: go, isolation: in-place, background: true }
      - wait: 600s
  child:
    turns:
      - call: write_file
        with: { path: b.txt, content: "the child's" }
      - wait: 600s
`,
      { of: 'Child' },
    )
    const child = await taskNow(fixture, 'Child')
    expect(child.workspace.path).toBe(root.workspace.path)
    const dir = root.workspace.path
    await rm(dir, { recursive: true })
    const ensureWorkingDir = await restorerOf(fixture)
    const both = await Promise.all(
      [root, child].map(async (task) =>
        ensureWorkingDir(task, pastIn(await entriesOf(fixture.shiplog, task.id))),
      ),
    )
    expect(both.filter(({ recreated }) => recreated)).toHaveLength(1)
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe("the parent's")
    expect(await readFile(join(dir, 'b.txt'), 'utf8')).toBe("the child's")
    await expect(restore(fixture, root)).resolves.toEqual(untouched)
  },
)

it('[S4] restores the newest state of a shared worktree, not that of a sub-agent which ended earlier', async () => {
  const fixture = await openFixture({ files })
  const root = await interruptedAt(
    fixture,
    `version: 1
name: shared
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "the parent's" }
      - call: task
        with: { agent: child, title: Child, prompt: go, isolation: in-place }
      - call: write_file
        with: { path: c.txt, content: "the parent's, later" }
      - wait: 600s
  child:
    turns:
      - call: write_file
        with: { path: b.txt, content: "the child's" }
      - report: { title: Done, markdown: Done. }
`,
    { when: (history) => snapshotsOf(history).some(({ changed }) => changed.includes('c.txt')) },
  )
  const child = await taskNow(fixture, 'Child')
  expect(child.workspace.path).toBe(root.workspace.path)
  const [older, newer] = await Promise.all(
    [child, root].map(async ({ id }) => snapshotsOf(await entriesOf(fixture.shiplog, id)).at(-1)),
  )
  // Else either would do.
  expect(older?.tree).not.toBe(newer?.tree)
  const dir = root.workspace.path
  await rm(dir, { recursive: true })
  await restore(fixture, root)
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe("the parent's")
  expect(await readFile(join(dir, 'b.txt'), 'utf8')).toBe("the child's")
  expect(await readFile(join(dir, 'c.txt'), 'utf8')).toBe("the parent's, later")
})

it('[S5] refuses a moved project, or a worktree unknown to Git, with advice', async () => {
  const { fixture, task } = await stopped()
  const { dir: project } = fixture.project
  await rename(project, `${project}-moved`)
  await expect(restore(fixture, task)).rejects.toThrow(/is missing.*projects add/)
  await rename(`${project}-moved`, project)
  await writeFile(join(task.workspace.path, '.git'), 'nonsense')
  await expect(restore(fixture, task)).rejects.toThrow('git worktree repair')
})

it('[S4] removes the index lock of a killed Git, and keeps one that is held', async () => {
  const { fixture, task } = await stopped()
  const dir = task.workspace.path
  const absolute = ['--path-format=absolute', '--git-path', 'index.lock']
  const file = inRepository(dir, 'rev-parse', ...absolute).trim()
  await writeFile(file, '')
  expect(await restore(fixture, task)).toEqual(untouched)
  expect((await stat(file)).size).toBe(0)

  await utimes(file, 1, 1)
  const { restored } = await restore(fixture, task)
  expect(restored).toEqual([expect.stringContaining('lock')])
  await expect(stat(file)).rejects.toThrow('ENOENT')
})
