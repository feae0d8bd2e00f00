/** Who wrote a file, as agents that really ran, stopped and went on have it in their records. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import {
  entriesOf,
  type Fixture,
  git,
  openFixture,
  start,
  taskOf,
  until,
  untilQuiet,
} from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

type Counts = [agentChars: number, otherChars: number]

/** What the entries say of each file, in order. */
async function attributions(fixture: Fixture, id: TaskId): Promise<Record<string, Counts>[]> {
  const entries = await entriesOf(fixture.shiplog, id)
  return entries.flatMap((entry) =>
    entry.type === 'attribution-snapshot'
      ? [
          Object.fromEntries(
            Object.entries(entry.files).map(([path, { agentChars, otherChars }]) => [
              path,
              [agentChars, otherChars] satisfies Counts,
            ]),
          ),
        ]
      : [],
  )
}

const scenario = (...turns: string[]) => `version: 1
name: attribution
agents:
  lead:
    turns:
${turns.map((turn) => `      - ${turn}`).join('\n')}
`
/** Is under way until it is stopped; no resume runs it again. */
const hold = '{ call: bash, with: { command: "sleep 600" } }'
const isHeld = (entries: Entry[]) =>
  entries.some((entry) => entry.type === 'tool-call' && JSON.stringify(entry.input).includes('600'))

/** Stops the agent at its `hold`, has `meanwhile` done in its directory, and resumes it to its end. */
async function resumed(
  fixture: Fixture,
  turns: string[],
  {
    meanwhile,
    isolation = 'worktree',
  }: { meanwhile?: (dir: string) => Promise<void>; isolation?: 'worktree' | 'in-place' } = {},
): Promise<Record<string, Counts>[]> {
  const { client } = fixture.shiplog
  const id = await start(fixture, scenario(...turns), { isolation })
  await until(
    fixture.shiplog,
    async (tasks) =>
      tasks.some((task) => task.status === 'spawned') &&
      isHeld(await entriesOf(fixture.shiplog, id).catch(() => [])),
  )
  await client.tasks.stop({ taskId: id })
  const { workspace } = await taskOf(fixture.shiplog, id)
  await meanwhile?.(workspace?.path ?? '')
  const { accepted } = await client.tasks.resume({
    selector: { by: 'task', taskId: id },
    force: true,
  })
  await client.tasks.resumeEnded({ taskIds: accepted.map(({ taskId }) => taskId) })
  expect((await taskOf(fixture.shiplog, id)).status).toBe('completed')
  return attributions(fixture, id)
}

const write = '{ call: write_file, with: { path: a.txt, content: "by the agent alone." } }'
const edit = '{ call: edit_file, with: { path: a.txt, oldText: "alone", newText: "still" } }'

describe('authors of lines after a resume', () => {
  it('still attribute the agent’s changes to the agent', async () => {
    const said = await resumed(await openFixture(), [write, hold, edit])
    expect(said).toEqual([{ 'a.txt': [19, 0] }, { 'a.txt': [19, 0] }])
  })

  itInSoak('attribute to others only what they changed meanwhile', async () => {
    const said = await resumed(await openFixture(), [write, hold, edit], {
      meanwhile: (dir) => writeFile(join(dir, 'a.txt'), 'by MY agent alone.'),
    })
    expect(said).toEqual([{ 'a.txt': [19, 0] }, { 'a.txt': [16, 2] }])
  })

  it('do the same in a folder without Git', async () => {
    const fixture = await openFixture()
    const plain = join(fixture.dir, 'plain')
    await mkdir(plain)
    fixture.project = await fixture.shiplog.client.projects.add({ dir: plain })
    const said = await resumed(fixture, [write, hold, edit], {
      meanwhile: (dir) => writeFile(join(dir, 'a.txt'), 'by MY agent alone.'),
      isolation: 'in-place',
    })
    expect(said).toEqual([{ 'a.txt': [19, 0] }, { 'a.txt': [16, 2] }])
  })

  it('know what a command wrote in the previous run, even if the user changed it meanwhile', async () => {
    const said = await resumed(
      await openFixture(),
      ['{ call: bash, with: { command: "printf \'by the agent alone.\' > a.txt" } }', hold, edit],
      { meanwhile: (dir) => writeFile(join(dir, 'a.txt'), 'by MY agent alone.') },
    )
    expect(said).toEqual([{ 'a.txt': [19, 0] }, { 'a.txt': [16, 2] }])
  })
})

describe('commands', () => {
  async function ran(files: Record<string, string>, ...turns: string[]) {
    const fixture = await openFixture({ files })
    const id = await start(fixture, scenario(...turns))
    await untilQuiet(fixture.shiplog)
    return { fixture, id, said: await attributions(fixture, id) }
  }
  const bash = (command: string) => `{ call: bash, with: { command: ${JSON.stringify(command)} } }`

  itInSoak(
    'have an entry for what they wrote, moved and deleted, which names the message',
    async () => {
      const { fixture, id, said } = await ran(
        { 'theirs.txt': 'one\ntwo\nthree\n', 'gone.txt': 'gone\n' },
        bash('sed -i.bak s/two/twelve/ theirs.txt && rm *.bak && printf made > made.txt'),
        bash('mv made.txt "moved to.txt" && rm gone.txt'),
        bash('rm "moved to.txt"'),
      )
      expect(said).toEqual([
        { 'made.txt': [4, 0], 'theirs.txt': [4, 13] },
        { 'moved to.txt': [4, 0], 'made.txt': [0, 0] },
        { 'moved to.txt': [0, 0] },
      ])
      const entries = await entriesOf(fixture.shiplog, id)
      const messages = entries.flatMap((entry) =>
        entry.type === 'message' && entry.role === 'assistant' ? [entry.uuid] : [],
      )
      const named = entries.flatMap((entry) =>
        entry.type === 'attribution-snapshot' ? [entry.messageUuid] : [],
      )
      expect(named).toEqual(messages.slice(0, 3))
    },
  )

  it('and tools in one turn: each character is counted once', async () => {
    const { said } = await ran(
      { 'theirs.txt': 'theirs\n' },
      `steps:
          - call: write_file
            with: { path: "made.txt", content: "made" }
          - call: bash
            with: { command: "printf ' more' >> made.txt; printf ours >> theirs.txt; printf new > new.txt" }
          - call: edit_file
            with: { path: "new.txt", oldText: "new", newText: "newer" }`,
    )
    expect(said).toEqual([
      { 'made.txt': [4, 0] },
      // Nothing tells yet whether the command made it or somebody else.
      { 'new.txt': [2, 3] },
      { 'made.txt': [9, 0], 'new.txt': [5, 0], 'theirs.txt': [4, 7] },
    ])
  })

  it('have none for a file that is not text, too long, a link, or beyond the limit', async () => {
    const { said } = await ran(
      { 'b.txt': 'b' },
      bash(
        "printf 'a\\0b' > binary; head -c 1100000 /dev/zero | tr '\\0' x > long; ln -s README.md link; mkdir many; for n in $(seq 150); do echo $n > many/$n; done; printf 1 > a",
      ),
    )
    const [files = {}] = said
    expect(files.a).toEqual([1, 0])
    expect(Object.keys(files)).not.toContain('binary')
    expect(Object.keys(files)).not.toContain('long')
    expect(Object.keys(files)).not.toContain('link')
    expect(Object.keys(files).length).toBeLessThanOrEqual(100)
  })

  it('have one for a patch that was applied', async () => {
    const fixture = await openFixture({ files: { 'theirs.txt': 'one\ntwo\n' } })
    const id = await start(
      fixture,
      `version: 1
name: patch
agents:
  lead:
    turns:
      - { call: task, with: { agent: worker, title: Worker, prompt: Go } }
      - { call: task_apply_patch, with: { task: Worker } }
  worker:
    turns:
      - { call: edit_file, with: { path: theirs.txt, oldText: two, newText: three } }
      - report: { title: Done, markdown: Done. }
`,
    )
    await untilQuiet(fixture.shiplog)
    const { workspace } = await taskOf(fixture.shiplog, id)
    expect(await readFile(join(workspace?.path ?? '', 'theirs.txt'), 'utf8')).toBe('one\nthree\n')
    expect(git(workspace?.path ?? '', 'status', '--porcelain')).toContain('theirs.txt')
    // "t" was there before.
    expect(await attributions(fixture, id)).toEqual([{ 'theirs.txt': [4, 6] }])
  })
})
