/** Files as of a moment: which entry states them, and what is said where none does. */
import { describe, expect, it } from 'vitest'
import { createTurnFiles } from '../../src/main/archive/turn-files.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newProjectId, newTaskId } from '../../src/shared/records/ids.ts'
import { session } from '../fixtures/entries/builder.ts'
import { entriesOf, git, openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const taskId = newTaskId()
const projectId = newProjectId()

const treeId = (digit: string) => digit.repeat(40)
const snapshot = (turn: number | null, digit: string) =>
  ({
    type: 'workspace-snapshot',
    runId: 'r',
    turn,
    head: null,
    branch: 'main',
    tree: treeId(digit),
    changed: [],
    changedMore: 0,
  }) as never
const call = (type: string, digit: string) =>
  ({
    type,
    messageUuid: 'm',
    runId: 'r',
    turn: 2,
    callId: 'c',
    name: 'bash',
    input: {},
    outcome: 'ok',
    output: '',
    durationMs: 1,
    tree: treeId(digit),
  }) as never
const failed = (reason: string) =>
  ({ type: 'snapshot-failed', runId: 'r', turn: 1, reason }) as never

/** The files of a transcript whose trees have one text each: their digit. */
function filesOf(
  entries: Entry[],
  { isGit = true, expired = false, lost = [] as string[], differing = [] as string[] } = {},
) {
  let entriesRead = 0
  const files = createTurnFiles({
    state: {
      projects: new Map([[projectId, { id: projectId, git: isGit }]]),
      removedProjects: new Map(),
      tasks: new Map([
        [
          taskId,
          {
            projectId,
            workspace: null,
            transcriptExpired: expired ? { at: '2026-11-01T10:00:00.000Z' } : null,
          },
        ],
      ]),
    } as never,
    archive: {
      async transcriptPage(
        _: unknown,
        query: Record<'throughSeq' | 'limit' | 'last' | 'fromSeq', number | undefined>,
      ) {
        const { throughSeq = entries.length, limit = 500, last, fromSeq = 1 } = query
        const until = entries.filter(({ seq }) => seq <= throughSeq)
        const page =
          last === undefined ? until.slice(fromSeq - 1, fromSeq - 1 + limit) : until.slice(-last)
        entriesRead += page.length
        const end = page.at(-1)?.seq ?? 0
        return { entries: page, nextSeq: end < entries.length ? end + 1 : null }
      },
      sessionState: async () => ({ tree: null }),
    } as never,
    turnStore: {
      open: () => ({
        missing: async (trees: string[]) => trees.filter((tree) => lost.includes(tree)),
        readFolder: async ({ tree }: { tree: string }) => [
          { name: `${tree[0]}.txt`, mode: '100644', kind: 'file', id: treeId('0'), bytes: 1 },
        ],
        diff: async ({ from, to }: { from: string; to: string }) => ({
          files: differing.map((path) => ({ path })),
          truncated: false,
          patch: `${from[0]}→${to[0]}`,
        }),
      }),
    } as never,
    git: { snapshot: async () => Promise.reject(new Error('not asked')) } as never,
    filesDirOf: async () => null,
  })
  return {
    read: () => entriesRead,
    async folder(seq: number) {
      const answer = await files.folder(taskId, { seq, path: '' })
      return answer.kind === 'missing'
        ? answer.reason
        : { file: answer.names[0]?.name, seq: answer.stated.seq, failed: answer.stated.failed }
    },
    async changed(seq: number) {
      const answer = await files.diff(taskId, { seq, against: 'now', patch: true })
      return answer.kind === 'missing' ? answer.reason : answer.files.map(({ path }) => path)
    },
    async notStored(seq: number) {
      const answer = await files.folder(taskId, { seq, path: '' })
      return answer.kind === 'missing' ? answer.reason : answer.stated.notStored
    },
    async file(seq: number, path: string) {
      const answer = await files.file(taskId, { seq, path, as: 'shown', bytesMax: 1 })
      return answer.kind === 'missing' ? answer.message : answer.kind
    },
    async diff(seq: number, against: 'turn-before' | 'start' | 'now') {
      const answer = await files.diff(taskId, { seq, against, patch: true })
      return answer.kind === 'missing' ? answer.reason : answer.patch || answer.other.kind
    },
  }
}

/** Entries 2 (start), 4 and 6 (after turns 1 and 2), 8 (end) state files. */
const { entries } = session(taskId)
  .runStart()
  .add(snapshot(null, 'a'))
  .turn([{ say: 'One.' }])
  .add(snapshot(1, 'b'))
  .turn([{ say: 'Two.' }])
  .add(snapshot(2, 'c'))
  .turn([{ say: 'Three.' }])
  .add(snapshot(null, 'd'))

describe('[V5] files as of a moment', () => {
  it('are those of the last entry that states them', async () => {
    const files = filesOf(entries)
    expect(await files.folder(1)).toBe('before')
    expect(await files.folder(2)).toEqual({ file: 'a.txt', seq: 2, failed: null })
    expect(await files.folder(5)).toEqual({ file: 'b.txt', seq: 4, failed: null })
    expect(await files.folder(99)).toEqual({ file: 'd.txt', seq: 8, failed: null })
  })

  it('are compared with the turn before, the start and the end', async () => {
    const files = filesOf(entries)
    expect(await files.diff(6, 'turn-before')).toBe('b→c')
    expect(await files.diff(6, 'start')).toBe('a→c')
    expect(await files.diff(6, 'now')).toBe('c→d')
    expect(await files.diff(2, 'turn-before')).toBe('same')
    expect(await files.diff(2, 'start')).toBe('entry')
    expect(await files.diff(8, 'now')).toBe('entry')
  })

  it('are compared, within a turn, with the end of the turn before and not with another call', async () => {
    const { entries } = session(taskId)
      .turn([{ say: 'One.' }])
      .add(snapshot(1, 'a'))
      .add(call('tool-call', 'a'))
      .add(call('tool-result', 'b'))
      .add(call('tool-call', 'b'))
      .add(call('tool-result', 'c'))
    const files = filesOf(entries)
    expect(await files.diff(6, 'turn-before')).toBe('a→c')
    expect(await files.diff(4, 'turn-before')).toBe('a→b')
    expect(await files.folder(4)).toMatchObject({ file: 'b.txt' })
  })

  it('name what was left out of them, as of a call too, whose states list none', async () => {
    const dump = { path: 'dump.bin', why: 'file-bytes', bytes: 40_000_000 } as const
    const nested = { path: 'nested', why: 'repository', bytes: null } as const
    const { entries } = session(taskId)
      .add({ ...(snapshot(1, 'a') as object), notStored: [dump, nested] } as never)
      .add(call('tool-call', 'a'))
      .add(call('tool-result', 'b'))
      .add(snapshot(2, 'c'))
    const files = filesOf(entries, { differing: ['a.ts', 'dump.bin', 'nested/b.ts'] })
    expect(await files.changed(3)).toEqual(['a.ts'])
    expect(await files.notStored(3)).toEqual([dump, nested])
    expect(await files.notStored(4)).toEqual([])
    expect(await files.file(3, 'dump.bin')).toBe('Not recorded: new and larger than 32 MiB.')
    expect(await files.file(3, 'nested/a.ts')).toBe('Not recorded: a Git repository of its own.')
    await expect(files.file(4, 'dump.bin')).rejects.toThrow()
  })

  it('are looked for no further back than the last statement', async () => {
    const builder = session(taskId).add(snapshot(null, 'a'))
    for (let n = 0; n < 3_000; n++) builder.turn([{ say: '' }])
    builder.add(snapshot(null, 'b'))
    const files = filesOf(builder.entries)
    expect(await files.folder(builder.entries.length)).toMatchObject({ file: 'b.txt' })
    expect(files.read()).toBe(1)
  })

  it('say why there are none', async () => {
    expect(await filesOf(entries, { isGit: false }).folder(8)).toBe('no-git')
    expect(await filesOf(entries, { expired: true }).folder(8)).toBe('expired')
    expect(await filesOf(entries, { lost: [treeId('c')] }).folder(6)).toBe('lost')
    expect(await filesOf(entries, { lost: [treeId('b')] }).diff(6, 'turn-before')).toBe('lost')
    const never = session(taskId).runStart().add(failed('a home directory')).entries
    expect(await filesOf(never).folder(2)).toBe('failed')
    const later = session(taskId).add(snapshot(1, 'a')).add(failed('timed out')).entries
    expect(await filesOf(later).folder(2)).toEqual({ file: 'a.txt', seq: 1, failed: 'timed out' })
  })
})

it('[V5] [H1] [A5] shows a folder, a file and its changes as of a call, of a command as well, after the worktree is gone', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' } })
  const { client } = fixture.shiplog
  const root = await start(
    fixture,
    `version: 1
name: pair
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - say: Done.
  worker:
    turns:
      - call: bash
        with: { command: "echo one > a.txt && ln -s a.txt link && printf 'x\\\\0y' > raw" }
      - call: bash
        with: { command: "echo two > deep/b.txt && git rm -q --cached a.txt && rm a.txt" }
      - report: { title: Worked, markdown: Done. }
`,
  )
  await untilQuiet(fixture.shiplog)
  const work = await taskOf(fixture.shiplog, 'Work')
  const results = (await entriesOf(fixture.shiplog, work.id)).filter(
    (entry) => entry.type === 'tool-result' && entry.name === 'bash',
  )
  const [first = 0, second = 0] = results.map(({ seq }) => seq)
  const at = (seq: number) => ({ taskId: work.id, seq })
  const names = async (seq: number, path = '') => {
    const answer = await client.turnFiles.folder({ ...at(seq), path })
    return answer.kind === 'folder' ? answer.names.map(({ name }) => name) : answer.reason
  }
  const content = async (seq: number, path: string) => {
    const answer = await client.turnFiles.file({ ...at(seq), path })
    return answer.kind === 'file' ? answer.content : answer.reason
  }
  expect(await names(first)).toEqual(['deep', 'a.txt', 'link', 'raw'])
  expect(await names(second)).toEqual(['deep', 'link', 'raw'])
  expect(await names(first, 'deep')).toEqual(['b.txt'])
  expect(await content(first, 'a.txt')).toEqual({ kind: 'text', text: 'one\n' })
  expect(await content(first, 'deep/b.txt')).toEqual({ kind: 'text', text: 'b\n' })
  expect(await content(second, 'deep/b.txt')).toEqual({ kind: 'text', text: 'two\n' })
  expect(await content(first, 'link')).toEqual({ kind: 'link', target: 'a.txt' })
  expect(await content(first, 'raw')).toEqual({ kind: 'binary' })
  const raw = await client.turnFiles.file({ ...at(first), path: 'raw', as: 'bytes' })
  expect(raw).toMatchObject({ bytes: 3, content: { base64: btoa('x\0y') } })
  const cut = await client.turnFiles.file({ ...at(first), path: 'a.txt', bytesMax: 2 })
  expect(cut).toMatchObject({ bytes: 4, truncated: true, content: { text: 'on' } })
  for (const path of ['a.txt', 'none.txt', 'deep', '../a.txt'])
    await expect(client.turnFiles.file({ ...at(second), path }), path).rejects.toMatchObject({
      code: 'NOT_FOUND',
      data: { what: 'file' },
    })
  await expect(client.turnFiles.folder({ ...at(first), path: 'a.txt' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    data: { what: 'folder' },
  })
  const changes = async (seq: number, against: 'turn-before' | 'start' | 'now') => {
    const answer = await client.turnFiles.diff({ ...at(seq), against })
    if (answer.kind === 'missing') return answer.reason
    return answer.files.map(({ change, path }) => `${change} ${path}`)
  }
  expect(await changes(second, 'turn-before')).toEqual(['deleted a.txt', 'modified deep/b.txt'])
  expect(await changes(first, 'start')).toEqual(['modified a.txt', 'added link', 'added raw'])
  expect(await changes(first, 'now')).toEqual(['deleted a.txt', 'modified deep/b.txt'])
  await expect(
    client.turnFiles.folder({ taskId: root, seq: 1, requestingWorkspaceId: work.id }),
  ).rejects.toMatchObject({ code: 'OUT_OF_SCOPE' })
  expect(git(fixture.project.dir, 'status', '--porcelain')).toBe('')

  // The folder of a root in use is compared as it is, a user's own change included.
  const { workspace } = await taskOf(fixture.shiplog, root)
  git(workspace?.path ?? '', 'mv', 'a.txt', 'moved.txt')
  const last = (await entriesOf(fixture.shiplog, root)).findLast((entry) => 'tree' in entry)
  const now = await client.turnFiles.diff({ taskId: root, seq: last?.seq ?? 0, against: 'now' })
  // Its end, for a reader that has no entries.
  const end = { taskId: root, seq: Number.MAX_SAFE_INTEGER, against: 'now' } as const
  expect(await client.turnFiles.diff(end)).toEqual(now)
  expect(now).toMatchObject({
    other: { kind: 'folder' },
    files: [{ path: 'moved.txt', oldPath: 'a.txt', change: 'renamed' }],
  })
})
