/** The turn store through the whole of Shiplog: what is left where when worktrees, branches and transcripts go. */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import {
  entriesOf,
  type Fixture,
  git,
  inTurnStore,
  openFixture,
  start,
  taskOf,
  untilQuiet,
} from '../harness.ts'
import { itInSoak } from '../soak.ts'

const scenario = `version: 1
name: pair
agents:
  lead:
    turns:
      - call: write_file
        with: { path: uncommitted.txt, content: "of the lead" }
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - say: Done.
  worker:
    turns:
      - call: bash
        with: { command: "echo one > a.txt && git add -A && git commit -qm One && echo two > loose.txt" }
      - report: { title: Worked, markdown: Done. }
`

const treesOf = (entries: Entry[]): string[] =>
  entries.flatMap((entry) => ('tree' in entry && entry.tree ? [entry.tree] : []))

/** Everything that is in the user's repository: references, and objects that none leads to. */
const inProject = ({ project: { dir } }: Fixture) => ({
  refs: git(dir, 'for-each-ref', '--format=%(refname)').split('\n').filter(Boolean).sort(),
  unreachable: git(dir, 'fsck', '--unreachable', '--no-reflogs', '--no-progress'),
})

async function worked() {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
  const root = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const work = await taskOf(fixture.shiplog, 'Work')
  return { fixture, root, work, client: fixture.shiplog.client }
}

it('[H2] leaves a branch and its base in the repository while a worktree exists, and nothing of a sub-agent or of an applied root', async () => {
  const { fixture, root, client } = await worked()
  const { workspace } = await taskOf(fixture.shiplog, root)
  const living = inProject(fixture)
  expect(living.refs).toEqual([
    'refs/heads/main',
    `refs/heads/${workspace?.branch}`,
    `refs/shiplog/base/${root}`,
  ])
  await client.tasks.applyPatch({ taskId: root })
  await client.tasks.undoApply({ taskId: root })
  expect(inProject(fixture)).toEqual(living)
  await client.workspace.remove({ workspaceId: root })
  expect(inProject(fixture).refs).toEqual(['refs/heads/main'])
  git(fixture.project.dir, 'fsck', '--strict')
})

it('[H1] [H3] shows each state of a removed sub-agent after its branch, its commits and the repository are gone', async () => {
  const { fixture, work } = await worked()
  const { dir } = fixture.project
  git(dir, 'reflog', 'expire', '--expire=now', '--all')
  git(dir, 'gc', '-q', '--prune=now')
  const trees = treesOf(await entriesOf(fixture.shiplog, work.id))
  expect(new Set(trees).size).toBe(2)
  const { ok, problems } = await fixture.shiplog.client.doctor.check({ repair: false })
  expect({ ok, problems }).toEqual({ ok: true, problems: [] })
  await rm(dir, { recursive: true })
  const last = trees.at(-1)
  expect(inTurnStore(fixture, 'show', `${last}:a.txt`)).toBe('one\n')
  expect(inTurnStore(fixture, 'show', `${last}:loose.txt`)).toBe('two\n')
  // The lead had not committed it: it is in the state that the worker began from.
  expect(inTurnStore(fixture, 'show', `${trees[0]}:uncommitted.txt`)).toBe('of the lead')
})

it('[H4] deletes the states of a transcript with the transcript, and keeps those that its patch needs', async () => {
  const { fixture, root, work, client } = await worked()
  const treesBefore = treesOf(await entriesOf(fixture.shiplog, work.id))
  const sessions = () =>
    inTurnStore(fixture, 'for-each-ref', '--format=%(refname)', 'refs/sessions', 'refs/commits')
      .split('\n')
      .filter(Boolean)
  expect(sessions().some((name) => name.endsWith(work.id))).toBe(true)
  const { deleted } = await client.retention.deleteTranscripts({ taskIds: [work.id] })
  expect(deleted).toEqual([work.id])
  expect(sessions().some((name) => name.endsWith(work.id))).toBe(true)
  const { entries } = await client.retention.trash({})
  await client.retention.deleteTrashed({ names: entries.map(({ name }) => name) })
  await vi.waitUntil(() => !sessions().some((name) => name.endsWith(work.id)), { timeout: 60_000 })
  expect(inTurnStore(fixture, 'for-each-ref', `refs/shiplog/${work.id}`)).not.toBe('')
  expect((await client.tasks.applyPatch({ taskId: work.id })).kind).toBe('applied')
  expect(treesBefore.length).toBeGreaterThan(0)
  const gone: TaskId[] = []
  expect((await client.doctor.check({ repair: false })).problems).toEqual(gone)
  expect(sessions().every((name) => name.endsWith(root))).toBe(true)
})

it('[H4] records why a state could not be taken, and continues', async () => {
  const fixture = await openFixture()
  vi.stubEnv('HOME', fixture.project.dir)
  onTestFinished(() => void vi.unstubAllEnvs())
  const id = await start(
    fixture,
    `version: 1
name: home
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "a" }
      - say: Done
`,
    { isolation: 'in-place' },
  )
  await untilQuiet(fixture.shiplog)
  const entries = await entriesOf(fixture.shiplog, id)
  const failed = entries.filter((entry) => entry.type === 'snapshot-failed')
  expect(failed.length).toBeGreaterThan(0)
  expect(failed[0]).toMatchObject({ reason: expect.stringContaining('home directory') })
  expect(treesOf(entries)).toEqual([])
  expect((await taskOf(fixture.shiplog, id)).status).toBe('completed')
})

itInSoak('prints the tree of each state as a line of JSON', async () => {
  const { fixture, work } = await worked()
  await fixture.shiplog.close()
  const script = join(import.meta.dirname, '../../src/main/cli.ts')
  const args = ['transcripts', 'show', work.id, '--format', 'jsonl', '--data-dir', fixture.dataDir]
  const out = execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
  const named = lines.flatMap((entry) => ('tree' in entry ? [entry.type] : []))
  expect(named).toEqual(['workspace-snapshot', 'tool-call', 'tool-result', 'workspace-snapshot'])
  for (const tree of treesOf(lines))
    expect(inTurnStore(fixture, 'cat-file', '-t', tree)).toBe('tree\n')
})
