import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Git } from '../../src/main/git/index.ts'
import { createRunSnapshots } from '../../src/main/runs/changes/snapshots.ts'
import type { Entry, EntryBody } from '../../src/shared/records/entries.ts'
import type { WorkspaceSnapshotEntry } from '../../src/shared/records/entry-types/files.ts'
import { newTaskId, runIdOf } from '../../src/shared/records/ids.ts'
import { entriesOf, inTurnStore, openFixture, start, untilQuiet } from '../harness.ts'
import { interruptedAt, taskNow } from '../tasks/drift/walk.ts'

const snapshotsIn = (history: Entry[]): WorkspaceSnapshotEntry[] =>
  history.filter((entry) => entry.type === 'workspace-snapshot')

const inRepository = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()

it('[S2] finds the changes of every turn with Git, whatever tool made them, and only after turns that may have made some', async () => {
  const fixture = await openFixture({ files: { 'old.txt': 'old\n', 'kept.txt': 'kept\n' } })
  const id = await start(
    fixture,
    `version: 1
name: changes
agents:
  lead:
    turns:
      - say: Nothing yet
      - call: read_file
        with: { path: kept.txt }
      - call: write_file
        with: { path: "notes/plan.md", content: "plan" }
      - call: bash
        with: { command: "git mv old.txt new.txt && git commit -qm moved && echo more > made.txt" }
      - call: bash
        with: { command: "true" }
      - say: Done
`,
  )
  await untilQuiet(fixture.shiplog)
  const history = await entriesOf(fixture.shiplog, id)
  const found = snapshotsIn(history).map(({ turn, changed, changedMore }) => ({
    turn,
    changed,
    changedMore,
  }))
  expect(found).toEqual([
    { turn: null, changed: [], changedMore: 0 },
    { turn: 3, changed: ['notes/plan.md'], changedMore: 0 },
    { turn: 4, changed: ['made.txt', 'new.txt', 'old.txt'], changedMore: 0 },
    { turn: 5, changed: [], changedMore: 0 },
  ])
  const { workspace } = await taskNow(fixture, id)
  const [, before, after] = snapshotsIn(history)
  expect(before?.head).toBe(workspace.baseCommit)
  expect(after).toMatchObject({
    head: inRepository(workspace.path, 'rev-parse', 'HEAD'),
    branch: workspace.branch,
  })
  // J6: a turn, then what it changed, then the next one.
  const at = history.findIndex((entry) => entry.uuid === before?.uuid)
  expect(history[at - 1]).toMatchObject({ type: 'message', turn: 3 })
})

it('[H1] keeps the last state in the turn store, through a prune, and nothing but a branch and its base in the repository', async () => {
  const fixture = await openFixture()
  const task = await interruptedAt(
    fixture,
    `version: 1
name: kept
agents:
  lead:
    turns:
      - call: write_file
        with: { path: work.txt, content: "mine" }
      - wait: 600s
`,
  )
  const last = snapshotsIn(await entriesOf(fixture.shiplog, task.id)).at(-1)
  inRepository(fixture.project.dir, 'gc', '--quiet', '--prune=now')
  expect(inTurnStore(fixture, 'show', `${last?.tree}:work.txt`)).toBe('mine')
  const kept = inTurnStore(fixture, 'rev-parse', `refs/sessions/${task.id}^{tree}`)
  expect(kept.trim()).toBe(last?.tree)
  expect(inRepository(fixture.project.dir, 'for-each-ref', '--format=%(refname)')).toBe(
    ['refs/heads/main', `refs/heads/${task.workspace.branch}`, `refs/shiplog/base/${task.id}`].join(
      '\n',
    ),
  )
  const { notes, ok } = await fixture.shiplog.client.doctor.check({ repair: false })
  expect({ notes, ok }).toEqual({ notes: [], ok: true })
})

it('[S2] records nothing outside Git, and continues where Git fails', async () => {
  const fixture = await openFixture()
  const scenario = `version: 1
name: broken
agents:
  lead:
    turns:
      - call: bash
        with: { command: "rm .git && git init -q" }
      - call: write_file
        with: { path: a.txt, content: "a" }
      - say: Done
`
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  expect((await taskNow(fixture, id)).status).toBe('completed')
  expect(snapshotsIn(await entriesOf(fixture.shiplog, id))).toHaveLength(1)
  const { notices } = await fixture.shiplog.client.app.info()
  expect(JSON.stringify(notices)).toContain('could not be determined from Git')

  const plain = join(fixture.dir, 'plain')
  await mkdir(plain)
  await writeFile(join(plain, 'a.txt'), 'old')
  fixture.project = await fixture.shiplog.client.projects.add({ dir: plain })
  const outside = await start(fixture, scenario.replace('.git', 'b.txt'), { isolation: 'in-place' })
  await untilQuiet(fixture.shiplog)
  expect(snapshotsIn(await entriesOf(fixture.shiplog, outside))).toEqual([])
})

it('[H2] leaves nothing of an agent that works in place in the repository', async () => {
  const fixture = await openFixture()
  const task = await interruptedAt(
    fixture,
    `version: 1
name: in place
agents:
  lead:
    turns:
      - call: write_file
        with: { path: work.txt, content: "mine" }
      - wait: 600s
`,
    { isolation: 'in-place' },
  )
  const [last] = snapshotsIn(await entriesOf(fixture.shiplog, task.id)).slice(-1)
  expect(inTurnStore(fixture, 'show', `${last?.tree}:work.txt`)).toBe('mine')
  const everything = () => [
    inRepository(fixture.project.dir, 'for-each-ref', '--format=%(refname)'),
    inRepository(fixture.project.dir, 'fsck', '--unreachable'),
  ]
  expect(everything()).toEqual(['refs/heads/main', ''])
  await fixture.shiplog.client.workspace.remove({ workspaceId: task.id })
  expect(everything()).toEqual(['refs/heads/main', ''])
})

it('[H1] names the trees before and after each call that may change files, and the same where it changed none', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n' } })
  const id = await start(
    fixture,
    `version: 1
name: calls
agents:
  lead:
    turns:
      - steps:
          - call: read_file
            with: { path: a.txt }
          - call: write_file
            with: { path: a.txt, content: "b" }
          - call: bash
            with: { command: "true" }
          - call: bash
            with: { command: "echo c > a.txt && git commit -qam c" }
      - say: Done
`,
  )
  await untilQuiet(fixture.shiplog)
  const history = await entriesOf(fixture.shiplog, id)
  const treesOf = (type: 'tool-call' | 'tool-result') =>
    history.flatMap((entry) => (entry.type === type ? [entry.tree ?? null] : []))
  const [, first, ...others] = treesOf('tool-call')
  const after = treesOf('tool-result')
  const { tree } = snapshotsIn(history)[0] ?? {}
  expect([treesOf('tool-call')[0], after[0]]).toEqual([null, null])
  expect(first).toBe(tree)
  expect(others).toEqual([after[1], after[1]])
  expect(after[2]).toBe(after[1])
  const texts = [after[1], after[3]].map((one) => inTurnStore(fixture, 'show', `${one}:a.txt`))
  expect(texts).toEqual(['b', 'c\n'])
  expect(snapshotsIn(history).at(-1)?.tree).toBe(after[3])
})

it('[S2] continues recording states where texts can’t be read, and says so once', async () => {
  const recorded: EntryBody[] = []
  const problems: string[] = []
  const turns = {
    snapshot: async () => ({
      tree: `tree ${recorded.length}`,
      head: 'head',
      commit: 'commit',
      notStored: [],
    }),
  }
  const fakeGit = {
    currentBranch: async () => 'main',
    treeDifferences: async () => [],
    readTexts: () => Promise.reject(new Error('no answer in time')),
  }
  const id = newTaskId()
  const snapshots = createRunSnapshots({
    git: fakeGit as unknown as Git,
    turns,
    session: { append: async (...bodies: EntryBody[]) => recorded.push(...bodies) } as never,
    task: { id, title: 'T', parentId: null, workspace: { baseCommit: 'base' } } as never,
    runId: runIdOf(id, 1),
    lastTree: null,
    workingDir: '/w',
    onChanged: async () => [],
    onProblem: (text) => problems.push(text),
  })
  for (let n = 0; n < 4; n++) expect((await snapshots?.readTexts(['a']))?.size).toBe(0)
  await snapshots?.beforeTool({ name: 'bash' })
  await snapshots?.afterTurn(1)
  expect(recorded.map(({ type }) => type)).toEqual(['workspace-snapshot', 'workspace-snapshot'])
  expect(problems).toEqual([expect.stringContaining('The authors of the changes')])
})
