/** The built command line in processes of its own: one command's record is read by the next. */
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TranscriptPage, WorkspaceSummary } from '../../../src/shared/contract/workspace.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { Project } from '../../../src/shared/records/projects/projects.ts'
import type { Report } from '../../../src/shared/records/tasks/reports.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import { isSoak } from '../../crash/effort.ts'
import { itInSoak } from '../../soak.ts'
import { jsonLines } from '../fake-process.ts'
import { createSandbox, type Sandbox } from './shiplog-process.ts'

/** A whole tree of agents on a busy machine with two cores. */
const runTimeoutMs = 240_000

const scenario = `
version: 1
name: lead-and-tester
agents:
  lead:
    turns:
      - say: "On it: {{prompt}}"
      - steps:
          - call: task
            with: { agent: tester, title: Add tests, prompt: Cover it, background: true }
          - call: write_file
            with: { path: notes/plan.md, content: "# Plan\\n" }
      - call: task_await
        with: { tasks: all }
      - call: task_apply_patch
        with: { task: Add tests }
      - report: { title: Fixed, markdown: "All green." }
  tester:
    turns:
      - call: write_file
        with: { path: tests/one.test.txt, content: "ok\\n" }
      - call: task
        with: { agent: writer, title: Describe the tests, prompt: Describe them }
      - report: { title: Tests added, markdown: One file. }
  writer:
    turns:
      - say: I have nothing to add.
      - report: { title: Described, markdown: Nothing to add. }
`

type RunEvent =
  | { type: 'task'; task: TaskTree }
  | { type: 'entry'; taskId: string; entry: Entry }
  | { type: 'result'; taskId: string; status: string; report: Report | null }

const flat = (tasks: TaskTree[]): TaskTree[] =>
  tasks.flatMap((task) => [task, ...flat(task.children)])

describe('a run and its record', () => {
  let box: Sandbox
  let project: string
  let events: RunEvent[]
  let rootId: string

  beforeAll(async () => {
    box = await createSandbox()
    project = await box.repository('Prüf stück/日本 repo')
    const file = await box.file('play.yaml', scenario)
    const argv = ['agent', 'run', 'Fix it', '--project', project, '--scenario', file, '--json']
    const { code, stdout, stderr } = await box.run(...argv)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    events = jsonLines(stdout) as RunEvent[]
    rootId = events.at(-1)?.type === 'result' ? (events.at(-1) as { taskId: string }).taskId : ''
  }, runTimeoutMs)
  afterAll(() => box.remove())

  it('ends with the result, and tells each task to its clean-up', () => {
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      status: 'completed',
      report: { title: 'Fixed', reportMarkdown: 'All green.', run: 1, ancestorIds: [] },
    })
    const last = new Map(events.flatMap((one) => (one.type === 'task' ? [[one.task.id, one]] : [])))
    const states = [...last.values()].map(({ task }) => [task.title, task.status, task.archived])
    expect(states).toEqual([
      ['Fix it', 'completed', false],
      ['Add tests', 'completed', true],
      ['Describe the tests', 'completed', true],
    ])
  })

  it('tasks list, in a later process, agrees with the events', async () => {
    const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list', '--project', project)
    const root = events.findLast((one) => one.type === 'task' && one.task.id === rootId)
    expect(tasks).toHaveLength(1)
    expect(flat(tasks).map((task) => task.title)).toEqual([
      'Fix it',
      'Add tests',
      'Describe the tests',
    ])
    const { children: _, ...own } = tasks[0] as TaskTree
    expect(root).toMatchObject({ task: own })
  })

  it('[A7] reports and transcripts of cleaned-up agents are read as they were written', async () => {
    const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
    const reports: Record<string, string> = {}
    // The root, and the deepest, which was cleaned up first.
    for (const task of [tasks[0], flat(tasks).at(-1)] as TaskTree[]) {
      const page = await box.json<TranscriptPage>('transcripts', 'show', task.id.slice(0, 8))
      const told = events.flatMap((one) =>
        one.type === 'entry' && one.taskId === task.id ? [one.entry] : [],
      )
      expect(page).toMatchObject({ taskId: task.id, total: told.length, nextSeq: null, damage: [] })
      expect(page.entries).toEqual(told)
      const report = await box.json<Report>('tasks', 'report', task.id)
      reports[task.title] = report.reportMarkdown
    }
    expect(reports).toEqual({
      'Fix it': 'All green.',
      'Describe the tests': 'Nothing to add.',
    })
  })

  it('transcripts show renders Markdown, and a closed pipe is no failure', async () => {
    const { code, stdout } = await box.run('transcripts', 'show', rootId)
    expect(code).toBe(0)
    expect(stdout).toContain('# Fix it')
    expect(stdout).toContain('On it: Fix it')
    expect(stdout).toContain('task_apply_patch Add tests')
    const cut = box.start(['transcripts', 'show', rootId])
    cut.closeStdout()
    expect(await cut.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('its changes can be applied: diff, apply, and a second apply', async () => {
    const shown = await box.run('workspaces', 'diff', rootId)
    expect(shown.stdout).toContain('tests/one.test.txt')
    expect(existsSync(path.join(project, 'tests/one.test.txt'))).toBe(false)
    expect(await box.json('tasks', 'apply', rootId)).toMatchObject({ kind: 'applied' })
    expect(await readFile(path.join(project, 'tests/one.test.txt'), 'utf8')).toBe('ok\n')
    expect((await box.run('tasks', 'apply', rootId)).code).toBe(0)
  })

  it('workspaces remove archives it; everything is still there', async () => {
    const before = await box.json<{ workspaces: WorkspaceSummary[] }>('workspaces', 'list')
    expect(before.workspaces.map((one) => one.id)).toEqual([rootId])
    const worktree = before.workspaces[0]?.path ?? ''
    expect(existsSync(worktree)).toBe(true)
    expect(await box.json('workspaces', 'remove', rootId)).toEqual({
      removed: [rootId],
      leftovers: [],
    })
    expect(existsSync(worktree)).toBe(false)
    expect(await box.json('workspaces', 'list')).toEqual({ workspaces: [] })
    expect(await box.json('tasks', 'list')).toEqual({ tasks: [] })
    const all = await box.json<{ tasks: TaskTree[] }>('tasks', 'list', '--all')
    const everybody = flat(all.tasks)
    for (const { id } of [everybody.at(-1)] as TaskTree[]) {
      expect((await box.run('tasks', 'report', id)).code).toBe(0)
      const page = await box.json<TranscriptPage>('transcripts', 'show', id)
      expect(page).toMatchObject({ source: 'archived', status: 'complete' })
    }
  })
})

// In `npm test` a window plays it to its end (`tests/app/demo.spec.ts`), and the command is tried on a fake (`lists.test.ts`).
if (isSoak)
  describe('the demo', () => {
    let box: Sandbox
    beforeEach(async () => {
      box = await createSandbox()
    })
    afterEach(() => box.remove())

    it(
      'runs at least three sub-agents, one with its own, and its record outlives them',
      async () => {
        const dir = path.join(box.dir, 'demo project')
        const result = await box.json<{
          status: string
          taskId: string
          report: Report
          task: TaskTree
        }>(...['demo', '--dir', dir])
        expect(result).toMatchObject({ type: 'result', status: 'completed', project: { dir } })
        expect(result.task.children.length).toBeGreaterThanOrEqual(3)
        expect(result.task.children.some((child) => child.children.length > 0)).toBe(true)

        const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
        expect(tasks).toEqual([result.task])
        expect(await box.json<Report>('tasks', 'report', result.taskId)).toEqual(result.report)
        const below = flat(result.task.children)
        expect(below.filter((task) => task.status === 'completed' && !task.archived)).toEqual([])
        const nested = result.task.children.find(({ children }) => children.length > 0)
        for (const { id } of [nested, nested?.children[0]] as TaskTree[]) {
          const page = await box.json<TranscriptPage>('transcripts', 'show', id)
          expect(page.entries.length).toBe(page.total)
          expect(page.entries.slice(-3)).toMatchObject([
            { type: 'summary' },
            { type: 'run-end', status: 'completed' },
            { type: 'worktree-state', worktreeSession: null },
          ])
        }
        expect(await box.git(dir, 'status', '--porcelain')).toBe('')
      },
      runTimeoutMs,
    )
  })

describe('interruption', () => {
  let box: Sandbox
  let argv: string[]
  beforeEach(async () => {
    box = await createSandbox()
    const project = await box.repository('project')
    const file = await box.file(
      'slow.yaml',
      [
        'version: 1',
        'name: slow',
        'agents:',
        '  lead:',
        '    turns:',
        '      - steps:',
        '          - say: Half of what I wanted to say.',
        '          - wait: 300s',
      ].join('\n'),
    )
    argv = ['agent', 'run', 'Go slow', '--project', project, '--scenario', file]
  })
  afterEach(() => box.remove())

  const listed = async () => (await box.json<{ tasks: TaskTree[] }>('tasks', 'list')).tasks[0]

  it(
    'Ctrl-C says what it interrupts, keeps the partial turn, and exits 130',
    async () => {
      const cli = box.start(argv)
      await cli.said('running      Go slow')
      await cli.said('Half of what')
      cli.kill('SIGINT')
      const { code, stderr } = await cli.ended
      expect(code).toBe(130)
      expect(stderr).toContain('Interrupting 1 agent…')
      const task = await listed()
      expect(task).toMatchObject({
        status: 'interrupted',
        cause: { kind: 'closed', how: 'interrupt' },
      })
      const { stdout } = await box.run('transcripts', 'show', task?.id ?? '')
      expect(stdout).toContain('Half of what I wanted to say.')
      expect(stdout).toContain('## Turn 1 (interrupted)')
    },
    runTimeoutMs,
  )

  it(
    '[T3] what was running when the process was killed is interrupted at the next start',
    async () => {
      const cli = box.start(argv)
      await cli.said('running      Go slow')
      cli.kill('SIGKILL')
      await cli.ended
      const { stderr } = await box.run('agent', 'list')
      expect(stderr).toContain('1 agent was interrupted')
      expect(await listed()).toMatchObject({ status: 'interrupted' })
    },
    runTimeoutMs,
  )
})

describe('bad input', () => {
  let box: Sandbox
  let play: string
  beforeAll(async () => {
    box = await createSandbox()
    play = await box.file(
      'play.yaml',
      'version: 1\nname: short\nagents:\n  lead:\n    turns:\n      - report: { title: Done, markdown: Done. }\n',
    )
  })
  afterAll(() => box.remove())

  const runIn = (project: string, ...more: string[]) =>
    box.run('agent', 'run', '--project', project, '--scenario', play, ...more)

  async function expectNothingBehind() {
    expect(await box.json('tasks', 'list', '--all')).toEqual({ tasks: [] })
    expect(await box.json('workspaces', 'list')).toEqual({ workspaces: [] })
  }

  it('a project that is missing, a file, bare, or without commits: 2, and what to do', async () => {
    const empty = await box.file('empty/.keep', '')
    await box.git(path.dirname(empty), 'init', '-q')
    await box.git(box.dir, 'init', '-q', '--bare', 'bare.git')
    const reasons: Record<string, RegExp> = {
      missing: /does not exist/,
      'play.yaml': /not a folder/,
      'bare.git': /bare repository.*git clone/s,
      empty: /without a commit.*git -C/s,
    }
    for (const [name, reason] of Object.entries(reasons)) {
      const { code, stdout, stderr } = await runIn(name)
      expect({ name, code, stdout }).toEqual({ name, code: 2, stdout: '' })
      expect(stderr).toMatch(reason)
    }
    await expectNothingBehind()
  })

  itInSoak('a malformed scenario: 2, with file, line and key, and nothing half-made', async () => {
    const project = await box.repository('for-broken')
    const broken = await box.file(
      'broken.yaml',
      'version: 1\nname: x\nagents:\n  lead:\n    turns:\n      - sing: La\n',
    )
    const { code, stderr } = await box.run(
      ...['agent', 'run', '--project', project, '--scenario', broken],
    )
    expect(code).toBe(2)
    expect(stderr).toMatch(/broken\.yaml:6.*sing/s)
    await expectNothingBehind()
    expect(await box.git(project, 'worktree', 'list', '--porcelain')).not.toContain(box.dataDir)
    expect(await box.git(project, 'branch', '--list')).toBe('* main')
  })

  itInSoak('a folder outside Git: works in place, and says so', async () => {
    const notes = path.dirname(await box.file('just notes/a.txt', 'a\n'))
    const dataDir = path.join(box.dir, 'in-place')
    const { code, stdout, stderr } = await runIn(notes, '--data-dir', dataDir)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' })
    expect(stderr).toContain('not a Git repository')
  })

  itInSoak(
    'a project that was moved: said once, its agents continue there, a second clone does not',
    async () => {
      const project = await box.repository('to-be-moved')
      const dataDir = ['--data-dir', path.join(box.dir, 'of-moved')]
      expect((await runIn(project, '--keep', ...dataDir)).code).toBe(0)
      const clone = `${project}-clone`
      await cp(project, clone, { recursive: true })
      const second = await box.run('projects', 'add', clone, ...dataDir)
      expect(second).toMatchObject({ code: 0, stdout: '' })
      expect(second.stderr).toContain(`has the same repository as ${project}, and is a project of`)

      const to = `${project}-there`
      await rename(project, to)
      const listed = await box.run('tasks', 'list', '--project', to, ...dataDir)
      expect(listed).toMatchObject({ code: 3, stderr: expect.stringContaining('projects add DIR') })
      const moved = await box.run('projects', 'add', to, ...dataDir)
      expect(moved).toMatchObject({ code: 0, stdout: '' })
      expect(moved.stderr.match(/moved from/g)).toHaveLength(1)
      expect(moved.stderr).toContain('1 worktree was reconnected with it.')
      const after = await box.run('tasks', 'list', '--project', to, ...dataDir)
      expect(after).toMatchObject({ code: 0, stderr: '' })
      expect(after.stdout).toContain(`${to}\n`)
      const { projects } = await box.json<{ projects: Project[] }>('projects', 'list', ...dataDir)
      expect(projects).toMatchObject([{ dir: to }, { dir: clone }])

      // Also said when the command that found it is refused.
      const again = `${project}-again`
      await rename(to, again)
      await box.file('to-be-moved-again/.shiplog/project.yaml', 'setup: echo hi\n')
      const refused = await runIn(again, ...dataDir)
      expect(refused.code).toBe(5)
      expect(refused.stderr.match(/moved from/g)).toHaveLength(1)
      const missing = await runIn(to, ...dataDir)
      expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') })
      await rename(again, `${again}-2`)
      const gone = await runIn(again, ...dataDir)
      expect(gone).toMatchObject({ code: 5, stderr: expect.stringContaining('projects add DIR') })
    },
  )

  it('a set-up command that was not allowed: 5; with --trust it runs', async () => {
    const project = await box.repository('with-setup', {
      'README.md': '# x\n',
      '.shiplog/project.yaml': 'setup: echo made > made-by-setup.txt\n',
    })
    const dataDir = path.join(box.dir, 'with-setup-data')
    const refused = await runIn(project, '--data-dir', dataDir)
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain('echo made > made-by-setup.txt')
    expect(refused.stderr).toContain('--trust')
    expect((await runIn(project, '--data-dir', dataDir, '--trust')).code).toBe(0)
    const { stdout } = await box.run('workspaces', 'list', '--json', '--data-dir', dataDir)
    const [workspace] = JSON.parse(stdout).workspaces
    expect(existsSync(path.join(workspace.path, 'made-by-setup.txt'))).toBe(true)
    await writeFile(path.join(project, '.shiplog/project.yaml'), 'setup: echo other\n')
    expect((await runIn(project, '--data-dir', dataDir)).code).toBe(5)
  })

  itInSoak('a port in use: 2, and the data directory is free again', async () => {
    const { createServer } = await import('node:net')
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const { code, stdout, stderr } = await box.run('serve', '--port', String(port))
    taken.close()
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`Port ${port}`)
    expect((await box.run('tasks', 'list')).code).toBe(0)
  })

  itInSoak(
    'a file where a folder of the data directory belongs, or the other way round: 2, and what to do',
    async () => {
      const dir = path.dirname(await box.file('odd/archive', ''))
      const first = await box.run('tasks', 'list', '--data-dir', dir)
      expect(first).toMatchObject({ code: 2, stdout: '' })
      expect(first.stderr).toContain(`${path.join(dir, 'archive')} is a file: move it away`)
      await rename(path.join(dir, 'archive'), path.join(dir, 'away'))
      await mkdir(path.join(dir, 'ledger.jsonl'))
      const second = await box.run('doctor', '--data-dir', dir)
      expect(second).toMatchObject({ code: 2, stdout: '' })
      expect(second.stderr).toContain('ledger.jsonl is a folder: move it away')
    },
  )

  itInSoak('a data directory that is a file, or below one: 2, and what to do', async () => {
    const file = await box.file('a-file', '')
    for (const dataDir of [file, path.join(file, 'below')]) {
      const { code, stdout, stderr } = await box.run('tasks', 'list', '--data-dir', dataDir)
      expect({ dataDir, code, stdout }).toEqual({ dataDir, code: 2, stdout: '' })
      expect(stderr).toContain('--data-dir')
    }
  })
})
