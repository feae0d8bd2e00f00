/** The installed agents themselves, run by the built command line, on the strict fake of their model services. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { jsonLines } from '../cli/fake-process.ts'
import { createSandbox, type Sandbox } from '../cli/processes/shiplog-process.ts'
import { startFakeModels } from '../fake-models/fake-models.ts'
import { call, type ScriptRequest, say, type Turn } from '../fake-models/script.ts'
import { claudeLog, writeFiles } from '../imports/claude-code-log.ts'
import { agentsUnderTest, writeHome } from './agents.ts'

type RunEvent =
  | { type: 'task'; task: TaskTree }
  | { type: 'entry'; taskId: string; entry: Entry }
  | { type: 'result'; taskId: string; status: string }

const timeoutMs = 240_000
/** Folders with the installed agents, by name (`scripts/test-agents.mjs`). */
const installed = process.env.SHIPLOG_TEST_AGENTS ?? ''
const names = (process.env.SHIPLOG_TEST_AGENTS_ONLY ?? '').split(',').filter(Boolean)

describe.each(names)('%s', (name) => {
  const agent = agentsUnderTest[name] ?? expect.unreachable()
  let box: Sandbox
  let project: string
  let home: string
  beforeEach(async () => {
    box = await createSandbox()
    project = await box.repository('project')
    home = join(box.dir, 'home')
  })
  afterEach(() => box.remove())

  /** `root` and `child` answer the requests of their conversation, by how many came before. */
  async function setUp(root: Scripted[], child: Scripted[] = [], { signedIn = true } = {}) {
    const turns: Record<string, number> = { root: 0, child: 0 }
    const fake = await startFakeModels({
      models: agent.moreModels ?? [],
      async script(request) {
        if (!agent.isTurn(request.body)) return sideAnswer(request)
        const whose = request.userTexts.some((text) => text.includes('[child]')) ? 'child' : 'root'
        const turn = turns[whose] ?? 0
        turns[whose] = turn + 1
        const scripted = (whose === 'child' ? child : root)[turn]
        if (!scripted) return [say('I have nothing more to do.')]
        return typeof scripted === 'function' ? scripted(request) : scripted
      },
    })
    onTestFinished(() => fake.stop())
    const { env, files } = agent.setUp(fake, agent.model)
    await writeHome(home, signedIn ? files : {})
    await mkdir(join(box.dir, 'tmp'), { recursive: true })
    const options = {
      env: {
        HOME: home,
        XDG_CONFIG_HOME: undefined,
        XDG_DATA_HOME: undefined,
        ANTHROPIC_API_KEY: undefined,
        OPENAI_API_KEY: undefined,
        GEMINI_API_KEY: undefined,
        ...(signedIn ? env : {}),
        // Codex keeps no program of its own below the folder for temporary files.
        TMPDIR: join(box.dir, 'tmp'),
        PATH: `${join(installed, name, 'node_modules/.bin')}:${process.env.PATH}`,
      },
    }
    const start = (...more: string[]) =>
      box.start(
        ['agent', 'run', '[root] Do it', '--project', project, '--agent', name, '--json', ...more],
        options,
      )
    return { fake, start, options }
  }

  it('answers, writes a file, runs a command and starts a sub-agent', {
    timeout: timeoutMs,
  }, async () => {
    const task = { agent: 'implement', title: 'Child', prompt: '[child] Write it.' }
    const report = { title: 'Written', markdown: 'The child has written it.' }
    const dir = worktreeOf()
    const { fake, start } = await setUp(
      [
        async (request) => [
          say('I write.'),
          agent.write(join(await dir(request), 'new.txt'), 'one'),
        ],
        [agent.shell('expr 40 + 2 | sed s,^,shell-,')],
        [call(agent.ownTool('task'), task)],
        [say('All is done.')],
      ],
      [[call(agent.ownTool('agent_report'), report)], [say('Reported.')]],
    )
    const { code, stdout, stderr } = await start('--permissions', 'all').ended
    expect({ code, refused: fake.refused }, stderr).toEqual({ code: 0, refused: [] })
    const events = jsonLines(stdout) as RunEvent[]
    const tasks = new Map(
      events.flatMap((one) => (one.type === 'task' ? [[one.task.id, one.task]] : [])),
    )
    expect([...tasks.values()].map(({ title, status }) => [title, status])).toEqual([
      ['[root] Do it', 'completed'],
      ['Child', 'completed'],
    ])
    const root = [...tasks.values()][0] ?? expect.unreachable()
    expect(await readFile(join(root.workspace?.path ?? '', 'new.txt'), 'utf8')).toContain('one')
    const record = JSON.stringify(events.filter((one) => one.type === 'entry'))
    const printed = agent.hidesOutput ? [] : ['shell-42']
    for (const text of ['I write.', ...printed, 'The child has written it.', 'All is done.'])
      expect(record).toContain(text)
  })

  it('continues an imported session of Claude Code', { timeout: timeoutMs }, async () => {
    const { fake, options } = await setUp([[say('Over the rock.')]])
    const session = '1b2c3d4e-0000-4000-8000-000000000001'
    const log = claudeLog(session, { cwd: project })
    log.prompt('Find the albatross')
    log.says('m1', 'It flew over the sea.')
    const logs = await writeFiles(join(box.dir, 'logs'), { [`${session}.jsonl`]: log.text() })
    await box.start(['import', 'claude-code', logs], options).ended
    const asked = ['[root] And the puffin?', '--agent', name, '--project', project, '--json']
    const { code, stdout, stderr } = await box.start(
      ['tasks', 'continue', session, ...asked, '--permissions', 'all'],
      options,
    ).ended
    expect({ code, refused: fake.refused }, stderr).toEqual({ code: 0, refused: [] })
    expect(stdout).toContain('Over the rock.')
    const sent = JSON.stringify(fake.requests.map(({ body }) => body))
    for (const text of ['Find the albatross', 'It flew over the sea.', 'And the puffin?'])
      expect(sent).toContain(text)
  })

  it.runIf(agent.ownSubAgent)(
    'has its own sub-agent as a task',
    { timeout: timeoutMs },
    async () => {
      const { fake, start } = await setUp(
        [[agent.ownSubAgent?.('[child] Count.') ?? expect.unreachable()], [say('All is done.')]],
        [[say('I count.'), agent.shell('expr 40 + 2 | sed s,^,child-,')], [say('There are 42.')]],
      )
      const { code, stdout, stderr } = await start('--permissions', 'all').ended
      expect({ code, refused: fake.refused }, stderr).toEqual({ code: 0, refused: [] })
      const events = jsonLines(stdout) as RunEvent[]
      const tasks = new Map(
        events.flatMap((one) => (one.type === 'task' ? [[one.task.id, one.task]] : [])),
      )
      const [root, child] = [...tasks.values()]
      expect([root?.status, child?.status, child?.parentId]).toEqual([
        ...['completed', 'completed', root?.id],
      ])
      const ofChild = JSON.stringify(
        events.filter((one) => one.type === 'entry' && one.taskId === child?.id),
      )
      for (const text of ['[child] Count.', 'I count.', 'child-42', 'There are 42.'])
        expect(ofChild).toContain(text)
    },
  )

  it('does nothing that is not allowed', { timeout: timeoutMs }, async () => {
    const dir = worktreeOf()
    const { fake, start } = await setUp([
      async (request) => [
        (agent.writeAsking ?? agent.write)(join(await dir(request), 'new.txt'), 'one'),
      ],
      [say('It was refused.')],
    ])
    const { code, stdout, stderr } = await start('--permissions', 'ask').ended
    const isInterrupted = agent.afterRefusal === 'interrupted'
    expect({ code, refused: fake.refused }, stderr).toEqual({
      code: isInterrupted ? 1 : 0,
      refused: [],
    })
    if (isInterrupted) expect(stdout).toContain('permission-denied')
    const events = jsonLines(stdout) as RunEvent[]
    const root = events.find((one) => one.type === 'task')?.task ?? expect.unreachable()
    expect(existsSync(join(root.workspace?.path ?? '', 'new.txt'))).toBe(false)
    const entries = events.flatMap((one) => (one.type === 'entry' ? [one.entry] : []))
    expect(entries.map(({ type }) => type)).toContain('permission')
    if (agent.afterRefusal === undefined)
      expect(JSON.stringify(entries)).toContain('It was refused.')
  })

  it('is stopped in the middle of an answer, with all of its processes', {
    timeout: timeoutMs,
  }, async () => {
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const { start } = await setUp([
      () => {
        asked()
        return { parts: [say('A long answer.')], flaw: { kind: 'silence', after: 1 } }
      },
    ])
    const run = start('--permissions', 'all')
    await Promise.race([isAsked, run.ended])
    await sleep(500)
    run.kill('SIGINT')
    const { code, stderr } = await run.ended
    expect(code, stderr).toBe(130)
    expect(await processesOf(home)).toEqual([])
  })

  it('continues after a kill, and repeats no call', { timeout: timeoutMs }, async () => {
    // In the project, where the sandbox of an agent lets it write.
    const log = join(project, 'log.txt')
    const { fake, start, options } = await setUp([
      [agent.shell(`echo once >> ${log}; sleep 600`)],
      [say('I go on.')],
    ])
    const run = start('--permissions', 'all', '--isolation', 'in-place')
    // A call that was not reported yet can't be named.
    await run.printed('"type":"tool-call"')
    while (!existsSync(log)) await Promise.race([sleep(100), failedEarly(run.ended)])
    run.kill('SIGKILL')
    await run.ended
    const [interrupted] = (await box.json<{ tasks: TaskTree[] }>('tasks', 'list')).tasks
    expect(interrupted?.status).toBe('interrupted')
    expect(await processesOf(home)).toEqual([])
    const resumed = await box.start(['tasks', 'resume', interrupted?.id ?? '', '--json'], options)
      .ended
    expect({ code: resumed.code, refused: fake.refused }, resumed.stderr).toEqual({
      code: 0,
      refused: [],
    })
    expect(await readFile(log, 'utf8')).toBe('once\n')
    const asked = fake.requests.map(({ body }) => JSON.stringify(body))
    expect(asked.filter((body) => body.includes('Their outcome is unknown'))).not.toEqual([])
    const [after] = (await box.json<{ tasks: TaskTree[] }>('tasks', 'list')).tasks
    expect(after?.status).toBe('completed')
  })

  it.runIf(agent.saysSignIn)(
    'says that nobody is signed in, and how to',
    { timeout: timeoutMs },
    async () => {
      const { start } = await setUp([], [], { signedIn: false })
      const { code, stdout, stderr } = await start('--permissions', 'all').ended
      expect({ code, isSaid: stdout.includes('is not signed in') }, stderr).toEqual({
        code: 1,
        isSaid: true,
      })
    },
  )
})

type Scripted = Turn | ((request: ScriptRequest) => Turn | Promise<Turn>)

/** To a request for a title, a summary, the next prompt or a route: text, or JSON where that is asked for. */
function sideAnswer({ body }: ScriptRequest): Turn {
  const asksForJson = /json_schema|responseSchema|responseJsonSchema|response_format/.test(
    JSON.stringify({ ...body, messages: undefined, contents: undefined }),
  )
  return [
    say(asksForJson ? '{"title":"A title","reasoning":"Simple.","model_choice":"pro"}' : 'A title'),
  ]
}

/** The agent's own folder, which each agent tells its model in the first request. */
function worktreeOf() {
  return async ({ body }: ScriptRequest): Promise<string> => {
    const [dir] = /\/[^"\\\s]*\/worktrees\/[^"\\\s/]+\/[0-9a-f]{8}/.exec(JSON.stringify(body)) ?? []
    return dir ?? expect.unreachable('the request names no worktree')
  }
}

async function failedEarly(
  ended: Promise<{ code: number | null; stderr: string }>,
): Promise<never> {
  const { code, stderr } = await ended
  throw new Error(`ended with ${code}: ${stderr}`)
}

/** Processes whose home folder is this one, by their command; none may be left after a few seconds. */
async function processesOf(home: string): Promise<string[]> {
  let found: string[] = []
  for (let tries = 0; tries < 50; tries++) {
    found = []
    for (const pid of await readdir('/proc')) {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
      if (/^\d+$/.test(pid) && (await read('environ')).includes(`HOME=${home}\0`))
        found.push((await read('cmdline')).replaceAll('\0', ' '))
    }
    if (found.length === 0) return []
    await sleep(200)
  }
  return found
}
