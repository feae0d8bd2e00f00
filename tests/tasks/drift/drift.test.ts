import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDrift, createFindObstacle } from '../../../src/main/tasks/drift/index.ts'
import { describeDrift, thePerson } from '../../../src/shared/records/drift.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import {
  entriesOf,
  git as inRepository,
  loseTurnStore,
  openFixture,
  writeFiles,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'
import { driftDependencies, driftOf, interruptedAt, pastIn, taskNow, waits } from './walk.ts'

const files = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\n',
  'b.txt': 'one\ntwo\nthree\nfour\nfive\n',
  'other.txt': 'other\n',
}

const edits = `version: 1
name: edits
agents:
  lead:
    turns:
      - steps:
          - call: bash
            with: { command: "echo six >> a.txt; echo six >> b.txt" }
          - call: write_file
            with: { path: mine.txt, content: "mine" }
      - wait: 600s
`

/** An agent that was stopped after these edits. */
const stopped = preparedFixture(
  async (fixture) => ({ task: await interruptedAt(fixture, edits) }),
  {
    files,
  },
)

const head = (dir: string) => inRepository(dir, 'rev-parse', 'HEAD').trim()

const agent = ({ id, title }: { id: TaskId; title: string }) => ({
  kind: 'agent',
  taskId: id,
  name: title,
})

it('[S2] finds no drift if nothing changed, and changes nothing itself', async () => {
  const { fixture, task } = await stopped()
  const dir = task.workspace.path
  const account = () => [
    inRepository(dir, 'status', '--porcelain=v2', '--branch'),
    inRepository(dir, 'for-each-ref'),
    inRepository(fixture.project.dir, 'status', '--porcelain=v2', '--branch'),
  ]
  const before = account()
  const drift = await driftOf(fixture, task)
  expect(drift).toEqual({
    taskId: task.id,
    spawnCommit: head(fixture.project.dir),
    conflicts: [],
    headMoved: null,
    ownHeadMoved: null,
    branchChanged: null,
    missing: [],
    dirty: [],
    modelChanged: null,
    unknownCalls: [],
    notCompared: null,
  })
  expect(describeDrift(drift)).toEqual([])
  expect(account()).toEqual(before)
})

it('[S2] lists the user’s changes in the worktree, renames included', async () => {
  const { fixture, task } = await stopped()
  const dir = task.workspace.path
  await rename(join(dir, 'a.txt'), join(dir, 'renamed.txt'))
  await rm(join(dir, 'mine.txt'))
  await writeFiles(dir, { 'b.txt': 'mine now\n', 'other.txt': 'changed\n', 'new.txt': 'new\n' })
  const drift = await driftOf(fixture, task)
  expect(drift.conflicts).toEqual([
    { path: 'b.txt', oldPath: null, change: 'modified', changedBy: thePerson },
    { path: 'mine.txt', oldPath: null, change: 'deleted', changedBy: thePerson },
    { path: 'renamed.txt', oldPath: 'a.txt', change: 'renamed', changedBy: thePerson },
  ])
  expect(drift.dirty).toEqual(['b.txt', 'mine.txt', 'new.txt', 'other.txt', 'renamed.txt'])
  expect(describeDrift(drift)).toEqual([
    'You changed 3 files that it worked on: b.txt, mine.txt (deleted), renamed.txt (was a.txt).',
    '2 other files changed in the working directory since it stopped: new.txt, other.txt.',
  ])
})

it('[S2] lists commits on the branch that it started from, with their authors', async () => {
  const { fixture, task } = await stopped()
  const { dir } = fixture.project
  const from = head(dir)
  inRepository(dir, 'mv', 'a.txt', 'moved.txt')
  await writeFiles(dir, { 'other.txt': 'theirs\n' })
  inRepository(dir, 'commit', '-qam', 'Move', '--author', 'Grace Example <grace@example.org>')
  await writeFiles(dir, { 'b.txt': 'not committed\n' })
  const drift = await driftOf(fixture, task)
  expect(drift.headMoved).toEqual({ branch: 'main', from, to: head(dir), commits: 1 })
  expect(drift.conflicts).toEqual([
    { path: 'b.txt', oldPath: null, change: 'modified', changedBy: thePerson },
    {
      path: 'moved.txt',
      oldPath: 'a.txt',
      change: 'renamed',
      changedBy: { ...thePerson, name: 'Grace Example' },
    },
  ])
  expect(drift.dirty).toEqual([])
})

it('[S2] reports a moved HEAD of its worktree: commits added, rewritten or removed', async () => {
  const fixture = await openFixture({ files })
  const commits = edits.replace('echo six >> b.txt', 'git add -A && git commit -qm Mine')
  const task = await interruptedAt(fixture, commits)
  const { path: dir, branch } = task.workspace
  const from = head(dir)
  inRepository(dir, 'commit', '-q', '--allow-empty', '-m', 'On top')
  const onTop = await driftOf(fixture, task)
  expect(onTop).toMatchObject({
    headMoved: null,
    ownHeadMoved: { branch, from, to: head(dir), commits: 1 },
  })
  expect(describeDrift(onTop)).toEqual([
    `Its own branch, ${branch}, has 1 new commit since ${from.slice(0, 7)}.`,
  ])
  inRepository(dir, 'reset', '-q', '--soft', 'HEAD~2')
  const takenBack = await driftOf(fixture, task)
  expect(takenBack.ownHeadMoved).toEqual({ branch, from, to: head(dir), commits: null })
  inRepository(dir, 'commit', '-qam', 'Mine, in other words')
  const rewritten = await driftOf(fixture, task)
  expect(rewritten).toMatchObject({ conflicts: [], ownHeadMoved: { from, commits: null } })
  expect(describeDrift(rewritten)[0]).toContain('which does not descend from it')
})

it('[S2] does not call its own work, merged by the user, a conflict', async () => {
  const { fixture, task } = await stopped()
  await fixture.shiplog.client.tasks.applyPatch({ taskId: task.id })
  const { dir } = fixture.project
  inRepository(dir, 'add', '-A')
  inRepository(dir, 'commit', '-qm', 'What the agent did')
  const drift = await driftOf(fixture, task)
  expect(drift.headMoved).toMatchObject({ commits: 1 })
  expect(drift.conflicts).toEqual([])
})

itInSoak('[S2] names the agent whose branch brought the commits', async () => {
  const { fixture, task } = await stopped()
  const other = await interruptedAt(
    fixture,
    `version: 1
name: other
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo theirs > a.txt && git -c user.name=Test -c user.email=test@localhost commit -qam theirs" }
      - wait: 600s
`,
  )
  inRepository(fixture.project.dir, 'merge', '-q', '--ff-only', other.workspace.branch ?? '')
  const drift = await driftOf(fixture, task)
  expect(drift.conflicts).toEqual([
    { path: 'a.txt', oldPath: null, change: 'modified', changedBy: agent(other) },
  ])
})

it('[S2] names the parent whose uncommitted work conflicts with a sub-agent’s', async () => {
  const fixture = await openFixture({ files })
  const root = await interruptedAt(
    fixture,
    `version: 1
name: family
agents:
  lead:
    turns:
      - call: write_file
        with: { path: early.txt, content: "before the child" }
      - call: task
        with: { agent: child, title: Child, prompt: go, background: true }
      - call: write_file
        with: { path: a.txt, content: "the parent's" }
      - wait: 600s
  child:
    turns:
      - wait: 200ms
      - call: write_file
        with: { path: a.txt, content: "the child's" }
      - wait: 600s
`,
    {
      when: (history) =>
        history.some((entry) => entry.type === 'workspace-snapshot' && entry.turn === 3),
      // The parent is done first: without this the child is stopped before it has worked on the file.
      others: { Child: waits },
    },
  )
  const child = await taskNow(fixture, 'Child')
  const drift = await driftOf(fixture, child)
  expect(drift.conflicts).toEqual([
    { path: 'a.txt', oldPath: null, change: 'modified', changedBy: agent(root) },
  ])
  // Its base is a commit of Shiplog's own, on top of the branch: the branch itself did not move.
  expect(drift.headMoved).toBeNull()
  expect(drift.missing).toEqual([])
})

itInSoak(
  '[S2] tells a sub-agent of commits on the project’s branch to a file that it changed, and of no others',
  async () => {
    const fixture = await openFixture({ files })
    await interruptedAt(
      fixture,
      `version: 1
name: family
agents:
  lead:
    turns:
      - call: write_file
        with: { path: b.txt, content: "the parent's" }
      - call: task
        with: { agent: child, title: Child, prompt: go, background: true }
      - wait: 600s
  child:
    turns:
      - steps:
          - call: write_file
            with: { path: a.txt, content: "the child's" }
          - call: write_file
            with: { path: mine.txt, content: "mine" }
      - wait: 600s
`,
      { when: () => true, others: { Child: waits } },
    )
    const child = await taskNow(fixture, 'Child')
    const { dir } = fixture.project
    expect((await driftOf(fixture, child)).conflicts).toEqual([])
    // What the agent left is committed there as it is: nobody else's change.
    await writeFiles(dir, { 'mine.txt': 'mine', 'b.txt': 'theirs too\n', 'a.txt': 'theirs\n' })
    inRepository(dir, 'add', '--all')
    inRepository(dir, 'commit', '-qm', 'Theirs', '--author', 'Grace Example <grace@example.org>')
    await writeFiles(dir, { 'other.txt': 'not committed\n' })
    expect((await driftOf(fixture, child)).conflicts).toEqual([
      {
        path: 'a.txt',
        oldPath: null,
        change: 'modified',
        changedBy: { ...thePerson, name: 'Grace Example' },
      },
    ])
  },
)

it('[S2] in place: names the agent that last changed a file, and distinguishes agents from the user, and own commits from drift', async () => {
  const fixture = await openFixture({ files })
  const first = await interruptedAt(
    fixture,
    `version: 1
name: in place
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo six >> a.txt && echo six >> b.txt && git -c user.name=Test -c user.email=test@localhost commit -qam own" }
      - wait: 600s
`,
    { isolation: 'in-place' },
  )
  expect(await driftOf(fixture, first)).toMatchObject({ headMoved: null, conflicts: [], dirty: [] })
  const second = await interruptedAt(
    fixture,
    `version: 1
name: second
agents:
  lead:
    turns:
      - call: write_file
        with: { path: b.txt, content: "second" }
      - wait: 600s
`,
    { isolation: 'in-place' },
  )
  expect((await driftOf(fixture, first)).conflicts).toMatchObject([{ changedBy: agent(second) }])
  const third = await interruptedAt(
    fixture,
    `version: 1
name: third
agents:
  lead:
    turns:
      - call: write_file
        with: { path: b.txt, content: "third" }
      - wait: 600s
`,
    { isolation: 'in-place' },
  )
  await writeFiles(fixture.project.dir, { 'a.txt': 'the user\n' })
  const drift = await driftOf(fixture, first)
  expect(drift.conflicts).toEqual([
    { path: 'a.txt', oldPath: null, change: 'modified', changedBy: thePerson },
    { path: 'b.txt', oldPath: null, change: 'modified', changedBy: agent(third) },
  ])
  inRepository(fixture.project.dir, 'commit', '-qam', 'Both')
  expect((await driftOf(fixture, first)).headMoved).toMatchObject({ branch: 'main', commits: 1 })
})

it('[S2] says that another branch is checked out, and that its own is gone', async () => {
  const { fixture, task } = await stopped()
  inRepository(task.workspace.path, 'checkout', '-q', '-b', 'elsewhere')
  inRepository(fixture.project.dir, 'branch', '-D', task.workspace.branch ?? '')
  const drift = await driftOf(fixture, task)
  expect(drift.branchChanged).toEqual({ from: task.workspace.branch, to: 'elsewhere' })
  expect(drift.missing).toEqual(['branch'])
  expect(drift.conflicts).toEqual([])
})

it('[S2] says that its worktree is gone, and still compares the branch', async () => {
  const { fixture, task } = await stopped()
  await rm(task.workspace.path, { recursive: true })
  await writeFiles(fixture.project.dir, { 'a.txt': 'x\n' })
  inRepository(fixture.project.dir, 'commit', '-qam', 'x')
  const drift = await driftOf(fixture, task)
  expect(drift).toMatchObject({ missing: ['working-directory'], dirty: [], notCompared: null })
  expect(drift.recreatedFrom).toMatchObject({
    branch: task.workspace.branch,
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
  })
  expect(describeDrift(drift)[1]).toMatch(
    /^It will be recreated from \S+ at [0-9a-f]{7}, .+ files that Git ignores, are lost\.$/,
  )
  expect(drift.conflicts).toMatchObject([
    { path: 'a.txt', changedBy: { ...thePerson, name: 'Test' } },
  ])
})

itInSoak('[S2] survives a spawn commit that was rewritten, and then collected', async () => {
  const fixture = await openFixture({ files })
  const { dir } = fixture.project
  const task = await interruptedAt(fixture, edits)
  const from = head(dir)
  inRepository(dir, 'commit', '-q', '--amend', '-m', 'Rewritten')
  const rewritten = await driftOf(fixture, task)
  expect(rewritten.headMoved).toEqual({ branch: 'main', from, to: head(dir), commits: null })
  expect(rewritten.missing).toEqual([])

  await rm(task.workspace.path, { recursive: true })
  inRepository(dir, 'worktree', 'prune')
  inRepository(dir, 'branch', '-D', task.workspace.branch ?? '')
  inRepository(dir, 'update-ref', '-d', `refs/shiplog/base/${task.id}`)
  await loseTurnStore(fixture)
  inRepository(dir, 'reflog', 'expire', '--expire=now', '--all')
  inRepository(dir, 'gc', '--quiet', '--prune=now')
  expect(() => inRepository(dir, 'cat-file', '-e', from)).toThrow()
  const gone = await driftOf(fixture, task)
  expect(gone.missing).toEqual(['working-directory', 'spawn-commit', 'branch'])
  expect(gone.headMoved).toEqual({ branch: 'main', from, to: head(dir), commits: null })
  // Nothing is left that it could be recreated from, and nothing says that it will be.
  expect(describeDrift(gone)).toHaveLength(4)
  const obstacleOf = createFindObstacle(await driftDependencies(fixture))
  const past = pastIn(await entriesOf(fixture.shiplog, task.id))
  expect(await obstacleOf(task, past)).toContain('no longer has its commits')
})

it('[S2] a moved project is missing, and so is one that is no longer a repository', async () => {
  const { fixture, task } = await stopped()
  const { dir } = fixture.project
  await rename(join(dir, '.git'), join(fixture.dir, 'taken'))
  expect((await driftOf(fixture, task)).notCompared).toContain('no longer a Git repository')
  await rename(join(fixture.dir, 'taken'), join(dir, '.git'))
  await rename(dir, `${dir}-moved`)
  const drift = await driftOf(fixture, task)
  expect(drift.missing).toEqual(['project'])
  expect(describeDrift(drift)).toEqual(["The project's folder is not where it was."])
})

it('[S2] a worktree that Git does not know is not taken for another repository', async () => {
  const { fixture, task } = await stopped()
  const find = createDrift(await driftDependencies(fixture))
  const past = pastIn(await entriesOf(fixture.shiplog, task.id))
  // Shiplog writes the file again wherever it runs Git there.
  await fixture.shiplog.close()
  await rm(join(task.workspace.path, '.git'))
  expect((await find(task, past)).notCompared).toContain('git worktree repair')
})

it('[S2] outside Git, compares the files of edit tools only, and states that limit', async () => {
  const fixture = await openFixture()
  const dir = join(fixture.dir, 'plain')
  await mkdir(dir)
  await writeFiles(dir, files)
  fixture.project = await fixture.shiplog.client.projects.add({ dir })
  const task = await interruptedAt(
    fixture,
    `version: 1
name: plain
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "mine" }
      - call: write_file
        with: { path: b.txt, content: "mine" }
      - wait: 600s
`,
    {
      isolation: 'in-place',
      when: (history) => history.some((entry) => entry.type === 'message' && entry.turn === 2),
    },
  )
  await writeFiles(dir, { 'a.txt': 'yours', 'other.txt': 'yours' })
  expect(await driftOf(fixture, task)).toMatchObject({
    conflicts: [{ path: 'a.txt', oldPath: null, change: 'modified', changedBy: thePerson }],
    dirty: ['a.txt'],
    notCompared: expect.stringContaining('not in Git'),
    headMoved: null,
    missing: [],
  })
})

itInSoak(
  '[S2] knows a project by a symbolic link, and a project that is a folder of its repository',
  async () => {
    const fixture = await openFixture({
      files: { 'app/a.txt': 'a\n', 'app/b.txt': 'b\n', 'lib.txt': 'l\n' },
    })
    await symlink(join(fixture.project.dir, 'app'), join(fixture.dir, 'link'))
    fixture.project = await fixture.shiplog.client.projects.add({ dir: join(fixture.dir, 'link') })
    const task = await interruptedAt(fixture, edits)
    await writeFiles(task.workspace.path, { 'a.txt': 'yours\n', '../lib.txt': 'yours\n' })
    await writeFiles(fixture.project.dir, { 'b.txt': 'yours\n' })
    const drift = await driftOf(fixture, task)
    expect(drift.conflicts.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
    expect(drift.dirty).toEqual(['a.txt', '../lib.txt'])
  },
)

itInSoak('[S2] stays bounded with 2,000 dirty files', async () => {
  const { fixture, task } = await stopped()
  const many = Object.fromEntries(
    Array.from({ length: 2000 }, (_, n) => [`many/${String(n).padStart(4, '0')}.txt`, `${n}`]),
  )
  await writeFiles(task.workspace.path, { ...many, 'mine.txt': 'yours' })
  const drift = await driftOf(fixture, task)
  expect(drift).toMatchObject({ dirtyMore: 1501, conflicts: [{ path: 'mine.txt' }] })
  expect(drift.dirty).toHaveLength(500)
  const said = describeDrift(drift)
  expect(said).toHaveLength(2)
  expect(said[1]).toContain('and 1996 more')
})

it('[S2] reports a changed model', async () => {
  const { fixture, task } = await stopped()
  const drift = await driftOf(fixture, { ...task, model: 'new-model' })
  expect(describeDrift(drift)).toEqual(['The model is new-model now; it was none.'])
})
