/** What a user is shown before they resume, through the services: who changed what the agent had worked on. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import { thePerson } from '../../src/shared/records/drift.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, type Fixture, git, openFixture, start, taskOf } from '../harness.ts'
import { holdFor, holdsFor, untilTranscript } from './held-scenarios.ts'

/** Git on a machine that is busy with other tests. */
const timeout = 120_000

const lines = 'one\ntwo\nthree\nfour\nfive\n'
const files = { 'a.txt': lines, 'b.txt': lines.toUpperCase(), 'other.txt': 'other\n' }

/** Changes three files, renames one of them, and holds. */
const worker = (gate: string) => `
version: 1
name: worker
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo six >> a.txt; echo SIX >> b.txt; git mv b.txt moved.txt" }
      - call: write_file
        with: { path: mine.txt, content: "mine\\nalone\\n" }
      - ${holdFor(gate)}
      - report: { title: Done, markdown: Done. }
`

async function interrupted(
  isolation: 'worktree' | 'in-place',
): Promise<{ fixture: Fixture; shiplog: Shiplog; id: TaskId; path: string }> {
  const fixture = await openFixture({ files })
  const gate = join(fixture.dir, 'go')
  const id = await start(fixture, worker(gate), { isolation })
  await untilTranscript(fixture.shiplog, id, holdsFor(gate))
  const shiplog = await fixture.restart()
  await writeFile(gate, '')
  const { workspace } = await taskOf(shiplog, id)
  return { fixture, shiplog, id, path: workspace?.path ?? '' }
}

async function driftOf(shiplog: Shiplog, taskId: TaskId) {
  const { candidates } = await shiplog.client.tasks.planResume({ selector: { by: 'task', taskId } })
  expect(candidates.map((candidate) => [candidate.taskId, candidate.obstacle])).toEqual([
    [taskId, null],
  ])
  if (!candidates[0]) throw new Error('nobody is meant')
  return candidates[0].drift
}

/** Asked without force it begins nothing, however often; with it the agent goes on, and its record says what it met. */
async function refusedThenForced(shiplog: Shiplog, taskId: TaskId, said: string[]): Promise<void> {
  const before = await entriesOf(shiplog, taskId)
  const selector = { by: 'task', taskId } as const
  for (let n = 0; n < 2; n++) {
    const { accepted, refused } = await shiplog.client.tasks.resume({ selector })
    expect([accepted.length, refused.map(({ reason }) => reason)]).toEqual([0, ['conflicts']])
  }
  expect(await entriesOf(shiplog, taskId)).toEqual(before)
  expect((await taskOf(shiplog, taskId)).status).toBe('interrupted')
  await shiplog.client.tasks.resume({ selector, force: true })
  const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds: [taskId] })
  expect(ended).toMatchObject([{ status: 'completed' }])
  const entry = (await entriesOf(shiplog, taskId)).find(({ type }) => type === 'resume')
  for (const text of said) expect(JSON.stringify(entry)).toContain(text)
}

describe('conflicts before a resume', { timeout }, () => {
  it('[S2][S5][S7] in a worktree: what its branch point was changed to, what was renamed on either side, and by whom', async () => {
    const { fixture, shiplog, id, path } = await interrupted('worktree')
    const { dir } = fixture.project
    git(dir, 'mv', 'a.txt', 'theirs.txt')
    git(dir, 'commit', '-qm', 'Rename', '--author', 'Ada Example <ada@example.com>')
    await writeFile(join(dir, 'b.txt'), `${files['b.txt']}SEVEN\n`)
    await rename(join(path, 'mine.txt'), join(path, 'yours.txt'))
    const drift = await driftOf(shiplog, id)
    const conflicts = drift.conflicts.map(
      (one) => `${one.change} ${one.oldPath ?? ''}>${one.path} by ${one.changedBy.name}`,
    )
    expect(conflicts.sort()).toEqual([
      'modified >b.txt by you',
      'renamed a.txt>theirs.txt by Ada Example',
      'renamed mine.txt>yours.txt by you',
    ])
    expect(drift).toMatchObject({
      headMoved: { branch: 'main', commits: 1 },
      missing: [],
      dirty: ['yours.txt'],
    })
    expect(drift.unknownCalls).toHaveLength(1)
    await refusedThenForced(shiplog, id, ['theirs.txt (was a.txt)', 'yours.txt (was mine.txt)'])
  })

  it('[S2][S5][S7] in place: renames by the user and by another agent, and a spawn commit that no longer exists', async () => {
    const { fixture, shiplog, id, path } = await interrupted('in-place')
    const { dir } = fixture.project
    expect(path).toBe(dir)
    const spawned = (await taskOf(shiplog, id)).spawnCommit ?? ''
    const other = await start(
      fixture,
      `
version: 1
name: other
agents:
  lead:
    turns:
      - call: bash
        with: { command: "mv mine.txt taken.txt" }
      - report: { title: Taken, markdown: Taken. }
`,
      { isolation: 'in-place', prompt: 'Take it' },
    )
    await shiplog.client.tasks.resumeEnded({ taskIds: [other] })
    await rename(join(dir, 'a.txt'), join(dir, 'renamed.txt'))
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '--amend', '-m', 'Rewritten')
    const collect = () => {
      git(dir, 'reflog', 'expire', '--expire=now', '--all')
      git(dir, 'gc', '--quiet', '--prune=now')
    }
    collect()
    const drift = await driftOf(shiplog, id)
    expect(drift.headMoved).toMatchObject({ branch: 'main', from: spawned, commits: null })
    expect(drift.conflicts).toEqual([
      {
        path: 'renamed.txt',
        oldPath: 'a.txt',
        change: 'renamed',
        changedBy: { ...thePerson, name: 'Test' },
      },
      {
        path: 'taken.txt',
        oldPath: 'mine.txt',
        change: 'renamed',
        changedBy: { kind: 'agent', taskId: other, name: 'Take it' },
      },
    ])
    const selector = { by: 'task', taskId: id } as const
    expect((await shiplog.client.tasks.resume({ selector })).refused).toMatchObject([
      { taskId: id, reason: 'conflicts', drift },
    ])

    // What Shiplog keeps for itself goes as well: then nobody can tell, and that is said.
    for (const ref of git(dir, 'for-each-ref', '--format=%(refname)', 'refs/shiplog').split('\n'))
      if (ref) git(dir, 'update-ref', '-d', ref)
    await rm(join(shiplog.dataDir, 'turn-store'), { recursive: true })
    collect()
    expect(() => git(dir, 'cat-file', '-e', spawned)).toThrow()
    const blind = await driftOf(shiplog, id)
    expect(blind).toMatchObject({ spawnCommit: spawned, missing: ['spawn-commit'] })
    expect(blind.notCompared).toContain('no longer in the repository')
    await shiplog.client.tasks.resume({ selector })
    const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds: [id] })
    expect(ended).toMatchObject([{ status: 'completed' }])
    const entry = (await entriesOf(shiplog, id)).find(({ type }) => type === 'resume')
    expect(JSON.stringify(entry)).toContain('could not be compared')
    expect(JSON.stringify(entry)).toContain('The commit that it started from is no longer')
  })
})
