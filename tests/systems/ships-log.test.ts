/** The log of a session, a list of typed entries, walked step by step on real services. */
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { type Entry, entrySchema } from '../../src/shared/records/entries.ts'
import {
  newTaskId,
  type ProjectId,
  parseTaskId,
  runIdOf,
  type SessionId,
  type TaskId,
} from '../../src/shared/records/ids.ts'
import { hold, runHost } from '../crash/resume-kills/held.ts'
import {
  entriesOf,
  git,
  gitProject,
  openFixture,
  start,
  taskOf,
  temporaryDir,
  untilQuiet,
} from '../harness.ts'
import { isSoak } from '../soak.ts'

/** Processes and Git on a machine that is busy with other tests. */
const timeout = 120_000

const ofType = <Type extends Entry['type']>(entries: Entry[], type: Type) =>
  entries.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type)

describe("the ship's log", { timeout }, () => {
  it('[J2] holds typed entries; a message carries where, when, on which branch and in which session', async () => {
    const fixture = await openFixture()
    const begunAt = Date.now()
    const id = await start(
      fixture,
      `
version: 1
name: typed
agents:
  lead:
    turns:
      - steps:
          - think: The log first.
          - say: I write it.
          - call: write_file
            with: { path: log.txt, content: "day one" }
      - call: bash
        with: { command: "echo https://example.com/ship/log/pull/7" }
      - report: { title: Written, markdown: One file. }
`,
    )
    await untilQuiet(fixture.shiplog)
    const entries = await entriesOf(fixture.shiplog, id)
    const { workspace } = await taskOf(fixture.shiplog, id)
    const types = new Set(entries.map(({ type }) => type))
    expect([...types].sort()).toEqual([
      'attribution-snapshot',
      'file-history-snapshot',
      'message',
      'pr-link',
      'run-end',
      'run-start',
      'summary',
      'title',
      'tool-call',
      'tool-result',
      'workspace-snapshot',
      'worktree-state',
    ])
    for (const [index, entry] of entries.entries()) {
      expect(entrySchema.parse(entry)).toEqual(entry)
      expect(entry.seq).toBe(index + 1)
      expect(entry.parentUuid).toBe(entries[index - 1]?.uuid ?? null)
    }
    for (const message of ofType(entries, 'message')) {
      expect(message).toMatchObject({
        cwd: workspace?.path,
        gitBranch: workspace?.branch,
        sessionId: id,
        runId: runIdOf(id, 1),
      })
      expect(Date.parse(message.timestamp)).toBeGreaterThanOrEqual(begunAt)
      expect(Date.parse(message.timestamp)).toBeLessThanOrEqual(Date.now())
    }
    expect(ofType(entries, 'worktree-state')).toMatchObject([
      {
        worktreeSession: {
          originalCwd: fixture.project.dir,
          worktreePath: workspace?.path,
          worktreeBranch: workspace?.branch,
        },
      },
    ])
    const [call] = ofType(entries, 'tool-call')
    expect(ofType(entries, 'file-history-snapshot')).toMatchObject([
      { path: 'log.txt', before: null, callId: call?.callId, messageUuid: call?.messageUuid },
    ])
    expect(ofType(entries, 'attribution-snapshot')).toMatchObject([
      { files: { 'log.txt': { agentChars: 'day one'.length, otherChars: 0 } } },
    ])
    expect(ofType(entries, 'summary')).toMatchObject([{ text: 'Written\n\nOne file.' }])
    expect(entries.at(-1)?.type).toBe('run-end')
    expect(ofType(entries, 'pr-link')).toMatchObject([
      { url: 'https://example.com/ship/log/pull/7', source: 'tool-output' },
    ])
  })

  it('rejects ids of the wrong kind, and texts, before anything runs', () => {
    const taskId: TaskId = newTaskId()
    const sessionId: SessionId = taskId
    expect(parseTaskId(sessionId)).toBe(taskId)
    // @ts-expect-error: plain text is no id
    const fromText: TaskId = 'fd0f3a9e-6d0d-4c8f-9d59-6f9d0c5f0a11'
    // @ts-expect-error: the id of a task names no project
    const ofProject: ProjectId = taskId
    expect([fromText, ofProject].map(parseTaskId)).toEqual([fromText, taskId])
    for (const text of ['', '../etc', taskId.slice(0, 8), `${taskId}/1`, 'x'.repeat(36)])
      expect(parseTaskId(text), text).toBeNull()
  })

  it.each([
    ...(isSoak ? [{ what: 'as it was left', removed: false }] : []),
    { what: 'made again where it is gone', removed: true },
  ])(
    '[S4][S7] a resume from another directory goes back to the recorded one: the worktree $what, its branch, shell and variables',
    async ({ removed }) => {
      const dir = await realpath(await temporaryDir())
      const projectDir = await gitProject(join(dir, 'project'))
      const dataDir = join(dir, 'data')
      const elsewhere = join(dir, 'elsewhere')
      await mkdir(elsewhere)
      const scenario = `
version: 1
name: back
agents:
  lead:
    turns:
      - call: bash
        with: { command: "mkdir -p deep/er && cd deep/er && echo here > note.txt && export COURSE='north by west' && git checkout -q -b own" }
      - call: bash
        with: ${hold(dir, 'lead')}
      - call: bash
        with: { command: "{ pwd; echo \\"$COURSE\\"; git branch --show-current; cat note.txt; } > '${dir}/found'" }
      - report: { title: Back, markdown: Back. }
`
      const work = { kind: 'start', projectDir, scenario } as const
      await runHost({ dataDir, agentsAtOnce: 3, work }, { dir, cwd: dir, killWhenHeld: ['lead'] })
      const [worktree = ''] = git(projectDir, 'worktree', 'list', '--porcelain')
        .split('\n')
        .filter((line) => line.startsWith('worktree ') && line.includes(dataDir))
        .map((line) => line.slice('worktree '.length))
      if (removed) git(projectDir, 'worktree', 'remove', '--force', worktree)

      const selector = { by: 'most-recent' } as const
      await runHost(
        { dataDir, agentsAtOnce: 3, work: { kind: 'resume', selector } },
        { dir, cwd: elsewhere },
      )
      const found = (await readFile(join(dir, 'found'), 'utf8')).trim().split('\n')
      expect(found).toEqual([join(worktree, 'deep', 'er'), 'north by west', 'own', 'here'])

      const shiplog = await openShiplog({ dataDir, host: 'cli' })
      onTestFinished(() => shiplog.close())
      const { id } = await taskOf(shiplog, 'Begin')
      const entries = await entriesOf(shiplog, id)
      const messages = ofType(entries, 'message')
      // Where the shell stood as each message began.
      const [first, ...later] = messages.map(({ cwd }) => cwd)
      expect(first).toBe(worktree)
      expect(later.at(-1)).toBe(join(worktree, 'deep', 'er'))
      expect(messages.at(-1)).toMatchObject({ runId: runIdOf(id, 2), gitBranch: 'own' })
      const [resume] = ofType(entries, 'resume')
      expect(resume?.runId).toBe(runIdOf(id, 2))
      expect(resume?.drift.join('\n')).toContain('` was running when it stopped')
      expect(resume?.drift.includes('The working directory is gone.')).toBe(removed)
    },
  )
})
