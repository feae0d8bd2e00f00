/** What the reading commands print: for people, and as the documents of CLI.md. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApplyOutcome, UndoOutcome } from '../../../src/shared/agents/tools.ts'
import { newEntryId, newToolCallId, runIdOf, type TaskId } from '../../../src/shared/records/ids.ts'
import { jsonLines, runToEnd } from '../fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from '../fake-shiplog.ts'
import { createFamily, jsonOf } from '../family.ts'

let fake: FakeShiplog
let lead: TaskId
let tester: TaskId

beforeEach(() => {
  ;({ fake, lead, tester } = createFamily())
})

const run = (...argv: string[]) => runToEnd(argv, { fake })
const document = (...argv: string[]) => jsonOf(fake, argv)

describe('tasks', () => {
  it('list: a tree with states in words', async () => {
    const { code, stdout } = await run('tasks', 'list')
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('/code/api')
    expect(lines[2]).toMatch(new RegExp(`^◐ running {2}Fix the parser +lead +${lead.slice(0, 8)}`))
    expect(lines[3]).toMatch(/^✓ completed {2}└─ Add tests {2}tester/)
  })

  it('list --json: roots with nested children', async () => {
    const { tasks } = await document('tasks', 'list')
    expect(tasks).toMatchObject([
      {
        id: lead,
        parentId: null,
        status: 'spawned',
        projectDir: '/code/api',
        children: [{ id: tester, archived: true, hasReport: true, children: [] }],
      },
    ])
  })

  it('list: filters go to the service, the project as an absolute path', async () => {
    await run('tasks', 'list', '--project', 'api', '--status', 'completed', '--all')
    expect(fake.asked('tasks.list')).toEqual([
      { projectDir: '/code/api', status: 'completed', all: true },
    ])
  })

  it('list: of one source, the archived ones as well if it is another tool', async () => {
    await run('tasks', 'list', '--source', 'codex')
    await run('tasks', 'list', '--source', 'here')
    expect(fake.asked('tasks.list')).toEqual([
      { source: 'codex', all: true },
      { source: 'here', all: false },
    ])
  })

  it('list: running selects every task that is shown as running', async () => {
    await run('tasks', 'list', '--status', 'running')
    expect(fake.asked('tasks.list')).toEqual([{ status: 'running', all: false }])
    const { code, stderr } = await run('tasks', 'list', '--status', 'asleep')
    expect(code).toBe(2)
    expect(stderr).toContain('abandoned, running.')
  })

  it('checks: those that it ran, whether they still apply, and those that never ran', async () => {
    fake.given.checks = {
      [tester]: {
        checks: [
          {
            kind: 'tests',
            command: 'npm test',
            seq: 3,
            callId: newToolCallId(),
            turn: 2,
            at: Date.parse('2026-11-21T09:58:00Z'),
            durationMs: 5,
            outcome: 'passed',
            exitCode: 0,
            times: 2,
            state: 'stale',
            changed: ['a.ts'],
            changedMore: 4,
            end: 'known',
            cited: false,
          },
        ],
        more: 0,
        neverRan: [{ kind: 'lint', command: 'npm run lint' }],
        citedMore: 0,
        cited: [
          {
            callId: newToolCallId(),
            seq: 3,
            turn: 2,
            name: 'bash',
            title: 'npm test',
            outcome: 'ok',
          },
        ],
      },
    }
    const { code, stdout } = await run('tasks', 'checks', tester)
    expect(code).toBe(0)
    expect(stdout).toMatch(/✓ passed +tests +npm test +turn 2 +2m ago/)
    expect(stdout).toContain('5 files changed since: a.ts, … · ran 2 times')
    expect(stdout).toMatch(/! never ran +lint +npm run lint/)
    expect(stdout).toContain('The report cites turn 2: bash npm test, ok.')
    expect(await document('tasks', 'checks', tester)).toMatchObject({
      checks: [{ state: 'stale' }],
    })
    const none = await run('tasks', 'checks', lead)
    expect(none).toMatchObject({ code: 0, stdout: '' })
  })

  it.each([[['tasks', 'list']], [['transcripts', 'list']]])(
    '%j refuses a folder that is no project with 3',
    async (argv) => {
      const empty = createFakeShiplog()
      empty.addProject('/code/api')
      const of = (dir: string) => runToEnd([...argv, '--project', dir], { fake: empty })
      expect((await of('/code/api')).code).toBe(0)
      const { code, stdout, stderr } = await of('/code/apo')
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toBe(
        'Error: /code/apo is not a project of Shiplog.\n  shiplog projects list      lists the projects\n  shiplog projects add DIR   adds one, or finds one that was moved\n',
      )
    },
  )

  it('report: Markdown alone on standard output, by a prefix of the id', async () => {
    const { code, stdout } = await run('tasks', 'report', tester.slice(0, 8))
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'One file.\n' })
    expect(await document('tasks', 'report', tester)).toMatchObject({
      taskId: tester,
      run: 1,
      title: 'Tests added',
      reportMarkdown: 'One file.\n',
      ancestorIds: [lead],
    })
  })

  it('stop and apply report what they did', async () => {
    expect(await document('tasks', 'stop', lead)).toEqual({ stopped: [lead], cancelled: [] })
    const applied: ApplyOutcome = {
      kind: 'applied',
      files: [
        { path: 'a.txt', change: 'modified', oldPath: null },
        { path: 'c.txt', change: 'renamed', oldPath: 'b.txt' },
      ],
      converted: ['a.txt'],
    }
    fake.given.apply = applied
    expect(await document('tasks', 'apply', tester)).toEqual(applied)
    const { stderr } = await run('tasks', 'apply', tester)
    expect(stderr).toContain(
      'Applied: 2 files changed, not committed.\n  a.txt\n  b.txt -> c.txt\n',
    )
    expect(stderr).toContain('line endings')
    expect((await run('tasks', 'apply', '--help')).stdout).toContain('not committed')
  })

  it('apply --file and --hunk apply these changes, and list the paths if one is unknown', async () => {
    const only = (...argv: string[]) => run('tasks', 'apply', tester, ...argv)
    expect((await only('--file', './a.txt')).stderr).toContain('Applied: 1 file changed')
    expect((await only('--hunk', 'a.txt:1')).stderr).toContain('Applied: 1 file changed')
    expect((await only('--file', '.')).code).toBe(0)
    expect(fake.state.tasks.get(tester as TaskId)?.patch).not.toBe('applied')
    expect(await only('--file', 'b.txt')).toMatchObject({
      code: 3,
      stderr: 'Error: b.txt is not among the changed files.\n  a.txt\n',
    })
    expect(await only('--hunk', 'a.txt:1,2')).toMatchObject({
      code: 3,
      stderr: 'Error: a.txt has one hunk, which is number 1.\n',
    })
    expect((await only('--hunk', 'a.txt')).code).toBe(2)
    expect((await only('--undo', '--file', 'a.txt')).code).toBe(2)
  })

  it('link-pr names the task and the address', async () => {
    const url = 'https://forge.example/log/pull/7'
    expect(await document('tasks', 'link-pr', lead, url)).toEqual({ linked: true })
    const again = await run('tasks', 'link-pr', lead, url)
    expect(again).toMatchObject({ code: 0, stderr: 'It was linked already.\n' })
    expect((await run('tasks', 'link-pr', lead, `${url}0`)).stderr).toBe('Linked.\n')
    expect((await run('tasks', 'link-pr', lead)).code).toBe(2)
  })

  it('apply --undo reports what it did, and refuses with 5 if something was changed since', async () => {
    const undone: UndoOutcome = { kind: 'undone', files: 2, paths: ['a.txt', 'b.txt', 'c.txt'] }
    fake.given.undo = undone
    await run('tasks', 'apply', tester)
    expect(await document('tasks', 'apply', tester, '--undo')).toEqual(undone)
    await run('tasks', 'apply', tester)
    const { code, stderr } = await run('tasks', 'apply', tester, '--undo')
    expect(code).toBe(0)
    expect(stderr).toContain('Undone: 2 files are as before the changes were applied.')
    await run('tasks', 'apply', tester)
    const message = 'a.txt changed since the changes were applied. Nothing was undone.'
    fake.given.undo = { kind: 'changed-since', paths: ['a.txt'], message }
    const refusal = await run('tasks', 'apply', tester, '--undo')
    expect(refusal.code).toBe(5)
    expect(refusal.stderr).toContain(`${message}\n  a.txt`)
  })
})

describe('transcripts', () => {
  it('list', async () => {
    const { stdout } = await run('transcripts', 'list')
    expect(stdout).toMatch(
      /Add tests +\w{8} .*\n +tester · 1 run · 5 entries · 1\.\d+ kB · archived · api/,
    )
    const { transcripts } = await document('transcripts', 'list')
    expect(transcripts).toHaveLength(2)
    expect(transcripts[1]).toMatchObject({
      taskId: tester,
      parentId: lead,
      runs: 1,
      archived: true,
    })
  })

  it('show --json: the whole transcript as one page, read by pages', async () => {
    const page = await document('transcripts', 'show', tester)
    expect(page).toMatchObject({ taskId: tester, total: 5, nextSeq: null, damage: [] })
    expect(page.entries).toEqual(fake.sessionOf(tester).entries)
  })

  it('show --raw: prints an output whole', async () => {
    fake.append(tester, {
      type: 'tool-result',
      name: 'bash',
      outcome: 'ok',
      output: 'short',
      durationMs: 1,
      messageUuid: newEntryId(),
      runId: runIdOf(tester, 1),
      turn: 9,
      callId: newToolCallId(),
      detail: {
        kind: 'bash',
        exitCode: 0,
        timedOut: false,
        omittedBytes: 9,
        whole: { sha256: 'f'.repeat(64), bytes: 1e5, leftOutBytes: 0 },
      },
    })
    const lines = (text: string) => text.match(/line \d+$/gm)?.length ?? 0
    expect(lines((await run('transcripts', 'show', tester)).stdout)).toBe(0)
    expect(lines((await run('transcripts', 'show', tester, '--raw')).stdout)).toBe(4000)
    const { stdout } = await run('transcripts', 'show', tester, '--raw', '--format', 'jsonl')
    expect(stdout).toContain('line 4000')
  })

  it('show: leaves the colours of an output out, and --raw prints them', async () => {
    fake.append(tester, {
      type: 'tool-result',
      name: 'bash',
      outcome: 'ok',
      durationMs: 1,
      messageUuid: newEntryId(),
      runId: runIdOf(tester, 1),
      turn: 9,
      callId: newToolCallId(),
      output: '\u001B[32m4 passed\u001B[0m',
      detail: { kind: 'bash', exitCode: 0, timedOut: false, omittedBytes: 0 },
    })
    expect((await run('transcripts', 'show', tester)).stdout).toContain('\n4 passed\n')
    const { stdout } = await run('transcripts', 'show', tester, '--raw')
    expect(stdout).toContain('\u001B[32m4 passed\u001B[0m')
  })

  it('show --from and --limit', async () => {
    const page = await document('transcripts', 'show', tester, '--from', '2', '--limit', '3')
    expect(page.entries.map((entry: { seq: number }) => entry.seq)).toEqual([2, 3, 4])
    expect(page.nextSeq).toBe(5)
  })

  it.each(['md', 'jsonl'])(
    'show --format %s: says what of how many it showed, and how to read on',
    async (format) => {
      const show = (...argv: string[]) =>
        run('transcripts', 'show', tester, '--format', format, ...argv)
      expect((await show('--limit', '3')).stderr).toBe(
        'Entries 1 to 3 of 5; `--from 4` reads on.\n',
      )
      expect((await show('--from', '4')).stderr).toBe('Entries 4 to 5 of 5.\n')
      expect((await show('--from', '2', '--limit', '1')).stderr).toBe(
        'Entry 2 of 5; `--from 3` reads on.\n',
      )
      expect((await show('--from', '9')).stderr).toBe('No entries from 9 on; there are 5.\n')
      expect((await show()).stderr).toBe('')
    },
  )

  it('show --limit counts entries, some of which the Markdown does not show', async () => {
    const taskId = fake.createTask({ projectId: fake.projectOf(lead), title: 'Renamed' })
    fake.spawn(taskId)
    fake.append(taskId, { type: 'title', title: 'Renamed' })
    for (const text of ['one', 'two', 'three']) fake.say(taskId, text)
    const show = (...argv: string[]) => run('transcripts', 'show', taskId, '--limit', '4', ...argv)
    const { stdout, stderr } = await show()
    expect(stdout.match(/^## /gm)).toHaveLength(3)
    expect(stderr).toBe('Entries 1 to 4 of 5; `--from 5` reads on.\n')
    expect(jsonLines((await show('--format', 'jsonl')).stdout)).toHaveLength(4)
  })

  it('show --format jsonl: the entries as they are, one a line', async () => {
    const { stdout } = await run('transcripts', 'show', tester, '--format', 'jsonl')
    expect(jsonLines(stdout)).toEqual(fake.sessionOf(tester).entries)
  })

  it('show: Markdown with a heading', async () => {
    const { stdout } = await run('transcripts', 'show', tester)
    expect(stdout).toMatch(
      new RegExp(
        `^# Add tests\n\nTask ${tester} · agent tester · completed · 5 entries · archived\n`,
      ),
    )
    for (const text of ['one', 'two', 'three']) expect(stdout).toContain(`\n${text}\n`)
    expect(stdout).toContain('## Run 1 completed')
  })
})

describe('workspaces', () => {
  it('list', async () => {
    const { stdout } = await run('workspaces', 'list')
    expect(stdout).toContain('Fix the parser')
    expect(stdout).not.toContain('Add tests')
    const { workspaces } = await document('workspaces', 'list', '--archived')
    expect(workspaces).toMatchObject([
      {
        id: tester,
        kind: 'task',
        archived: true,
        bytes: JSON.stringify(fake.sessionOf(tester).entries).length,
      },
    ])
  })

  it('diff: the patch alone on standard output', async () => {
    const { stdout, stderr } = await run('workspaces', 'diff', lead)
    expect(stdout).toBe('diff --git a/a.txt b/a.txt\n@@ -1 +1 @@\n-old\n+new\n')
    expect(stderr).toContain('1 file changed, +1 −1')
  })

  it('remove: prints how to undo it, and which sub-agents can be resumed only after that', async () => {
    const worker = fake.createTask({
      projectId: fake.addProject('/code/web'),
      parentId: lead,
      title: 'Work',
    })
    fake.spawn(worker)
    fake.interrupt(worker, { kind: 'crashed' })
    expect((await run('workspaces', 'remove', worker)).stderr).toBe(
      `Archived and removed 1 workspace: ${worker.slice(0, 8)}. Reports and transcripts are kept.\n` +
        `Interrupted, and can be resumed only once they are restored: Work (${worker.slice(0, 8)}).\n` +
        `  shiplog workspaces restore ${worker.slice(0, 8)}   restores it\n`,
    )
    expect((await run('workspaces', 'remove', lead)).stderr).toBe(
      `Archived and removed 1 workspace: ${lead.slice(0, 8)}. Reports and transcripts are kept.\n` +
        `  shiplog workspaces restore ${lead.slice(0, 8)}   restores it\n`,
    )
  })

  it('restore: lists the tasks that can be resumed again, and those that stay in the archive', async () => {
    const projectId = fake.addProject('/code/web')
    const [worker, other] = ['Work', 'Other'].map((title) =>
      fake.createTask({ projectId, parentId: lead, title }),
    ) as [TaskId, TaskId]
    for (const id of [worker, other]) {
      fake.spawn(id)
      fake.interrupt(id, { kind: 'crashed' })
      fake.archive(id)
    }
    fake.archive(lead)
    fake.keepsArchived(other)
    const { stderr } = await run('workspaces', 'restore', lead)
    expect(stderr).toContain(`shiplog tasks resume ${worker.slice(0, 8)}   resumes "Work"`)
    expect(stderr).toContain(
      'Other could not be restored, and is still in the archive. Its commits are gone.\n' +
        `  shiplog workspaces restore ${other.slice(0, 8)}   tries it again\n`,
    )
    fake.archive(lead)
    expect(await document('workspaces', 'restore', lead)).toMatchObject({
      restored: { id: lead },
      left: [{ taskId: other, title: 'Other', why: 'Its commits are gone.' }],
    })
  })

  it('remove', async () => {
    expect(await document('workspaces', 'remove', lead)).toEqual({ removed: [lead], leftovers: [] })
    expect((await run('workspaces', 'list')).stderr).toContain('no workspaces')
  })

  it('remove: reports that one is already in the archive, or in the trash', async () => {
    const name = `Add tests (${tester.slice(0, 8)})`
    expect(await run('workspaces', 'remove', tester.slice(0, 8))).toEqual({
      code: 0,
      stdout: '',
      stderr: `${name} is in the archive already; nothing was removed.\n`,
    })
    expect(await document('workspaces', 'remove', tester)).toEqual({ removed: [], leftovers: [] })
    await run('workspaces', 'remove', lead)
    await run('workspaces', 'delete', lead, '--yes')
    const { stderr } = await run('workspaces', 'remove', tester)
    expect(stderr).toContain(`${name} is in the trash already`)
  })
})
