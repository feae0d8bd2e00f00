import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { demoFiles } from '../../../src/main/agents/scripted/demo/project.ts'
import { demoScenario } from '../../../src/main/agents/scripted/demo/scenario.ts'
import { parseScenario } from '../../../src/main/agents/scripted/parse-scenario.ts'
import { createScriptedProgram } from '../../../src/main/agents/scripted/scripted-program.ts'
import { createToolRunner } from '../../../src/main/agents/tools/tool-runner.ts'
import { createGit } from '../../../src/main/git/index.ts'
import { createCustody } from '../../../src/main/processes/custody.ts'
import { agentEnvironment } from '../../../src/main/secrets/agent-environment.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import type {
  TaskRequest,
  TaskToolsPort,
} from '../../../src/shared/agents/driver/task-tools-port.ts'
import type { ShellState, ToolResult } from '../../../src/shared/agents/driver/tool-result.ts'
import type { AgentPreset } from '../../../src/shared/agents/installed-agents.ts'
import type { AwaitedTask, ToolName } from '../../../src/shared/agents/tools.ts'
import { formatCause } from '../../../src/shared/records/causes.ts'
import { newTaskId, newToolCallId, type TaskId } from '../../../src/shared/records/ids.ts'
import { historyIn } from '../../runs/past-of.ts'
import { itInSoak } from '../../soak.ts'

interface Sailor {
  id: TaskId
  request: TaskRequest
  dir: string
  base: string
  depth: number
  children: Sailor[]
  calls: { name: string; input: unknown; result: ToolResult }[]
  report: { title: string; markdown: string } | null
  done: Promise<void>
}

let base: string
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'shiplog-demo-')))
})
afterEach(() => rm(base, { recursive: true, force: true }))

const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Demo'],
    [`GIT_${who}_EMAIL`, 'demo@localhost'],
  ]),
)
const git = (dir: string, args: string[], input?: string): string =>
  execFileSync('git', args, {
    cwd: dir,
    input,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...identity },
  })

/** They are there for who watches. */
const withoutWaits = (agent: AgentPreset | null) =>
  demoScenario(agent).replaceAll(/wait: \S+/g, 'wait: 1ms')

/**
 * Plays the demo with the real tools in real worktrees. The services around it are the least that will
 * do: a worktree for each sub-agent, and `git diff` and `git apply` for its patch. An installed agent only reports.
 */
async function playDemo(installed: AgentPreset | null = null): Promise<Sailor> {
  const program = createScriptedProgram(parseScenario(withoutWaits(installed), 'demo.yaml'))
  const runTool = createToolRunner({
    custody: createCustody(join(base, 'running')),
    filesOfGit: (dir, { signal }) => createGit().listFiles(dir, { signal, withDeleted: true }),
  })
  const environment = agentEnvironment(process.env, { allowed: [], only: null }).env
  const project = join(base, 'log-reader')
  for (const [path, content] of Object.entries(demoFiles)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), content)
  }
  git(project, ['init', '-q', '-b', 'main'])
  git(project, ['add', '-A'])
  git(project, ['commit', '-qm', 'The project as it was'])

  function start(request: TaskRequest, parent: Sailor | null): Sailor {
    const id = newTaskId()
    const from = parent?.dir ?? project
    const dir = join(base, id)
    git(from, ['worktree', 'add', '-q', '-b', `task-${id}`, dir])
    const head = git(from, ['rev-parse', 'HEAD']).trim()
    const depth = (parent?.depth ?? -1) + 1
    const sailor: Sailor = {
      id,
      request,
      dir,
      base: head,
      depth,
      children: [],
      calls: [],
      report: null,
      done: Promise.resolve(),
    }
    parent?.children.push(sailor)
    sailor.done = sail(sailor)
    return sailor
  }

  async function sail(sailor: Sailor): Promise<void> {
    if (sailor.request.agent === installed) {
      sailor.report = { title: 'Two', markdown: 'Two weak spots.' }
      return
    }
    const open = program.agent(sailor.request.agent)
    if (!open) throw new Error(`no agent ${sailor.request.agent}`)
    let shell: ShellState = { cwd: sailor.dir, env: identity }
    const { signal } = new AbortController()
    const session = await open({
      taskId: sailor.id,
      cwd: sailor.dir,
      env: {},
      history: historyIn(),
      resume: null,
      signal,
    })
    const events = session.run([{ type: 'text', text: sailor.request.prompt }], {
      ask: async () => ({ optionId: null, allowed: false, by: 'nobody' }),
      starting: () => undefined,
      waitToRetry: async () => undefined,
      nextTurn: async () => ({
        messages: [],
        note: null,
        isLast: false,
        fromSeq: 1,
        compact: false,
      }),
      messages: async () => [],
      adopt: () => Promise.reject(new Error('not used')),
      async callTool({ name, input }) {
        const result = await runTool(name as ToolName, input, {
          taskId: sailor.id,
          callId: newToolCallId(),
          workingDir: sailor.dir,
          environment,
          mask: createMasker(),
          shell,
          signal,
          files: { record: async () => {}, keepOriginal: async () => {} },
          onOutput: () => undefined,
          keepOutput: async () => {},
          recordPlan: async () => {},
          askPerson: async () => ({ kind: 'nobody' }),
          tasks: portOf(sailor),
        })
        shell = result.shell ?? shell
        sailor.calls.push({ name, input, result })
        return result
      },
    })
    for await (const event of events)
      if (event.type === 'failed') throw new Error(formatCause(event.cause))
  }

  function portOf(sailor: Sailor): TaskToolsPort {
    const find = (text: string) => {
      const child = sailor.children.find(({ id, request }) => [id, request.title].includes(text))
      if (!child) throw new Error(`no task ${text}`)
      return child
    }
    const standing = ({ id, request, report }: Sailor): AwaitedTask => ({
      taskId: id,
      title: request.title,
      agent: request.agent,
      status: report ? 'completed' : 'failed',
      cause: null,
      report: report && { run: 1, ...report },
    })
    return {
      spawn: async (request) => ({ taskId: start(request, sailor).id }),
      adopt: () => Promise.reject(new Error('not used')),
      async await(tasks) {
        const wanted = tasks === 'all' ? sailor.children : tasks.map(find)
        await Promise.all(wanted.map(({ done }) => done))
        return wanted.map(standing)
      },
      list: async () => sailor.children.map(standing),
      stop: async (text) => standing(find(text)),
      async applyPatch(text) {
        const child = find(text)
        const patch = git(child.dir, ['diff', '--binary', child.base])
        git(sailor.dir, ['apply', '--index', '--3way'], patch)
        const paths = git(child.dir, ['diff', '--name-only', child.base]).trim().split('\n')
        const files = paths.map((path) => ({ path, change: 'modified' as const, oldPath: null }))
        const outcome = { kind: 'applied', files } as const
        return { taskId: child.id, title: child.request.title, outcome }
      },
      report: async (report) => {
        sailor.report = report
      },
    }
  }

  const lead = start({ agent: 'lead', title: 'Demo', prompt: 'Make the log reader robust' }, null)
  await lead.done
  return lead
}

const crewOf = (sailor: Sailor): Sailor[] => [sailor, ...sailor.children.flatMap(crewOf)]

it('the demo runs to its end, every step as its texts describe', async () => {
  const lead = await playDemo()
  const crew = crewOf(lead)

  expect(crew.map(({ request, depth }) => [depth, request.agent])).toEqual([
    [0, 'lead'],
    [1, 'tester'],
    [1, 'writer'],
    [1, 'fixer'],
    [2, 'reviewer'],
  ])
  const failed = crew.flatMap(({ request, calls }) =>
    calls
      .filter(({ result }) => result.outcome === 'error')
      .map(({ name, input }) => [request.agent, name, (input as { command?: string }).command]),
  )
  // Tests that fail are what the story is about, and nothing else fails.
  expect(failed).toEqual([
    ['lead', 'bash', 'node test.js'],
    ['tester', 'bash', 'node test.js'],
    ['fixer', 'bash', 'node test.js'],
    ['fixer', 'bash', 'node test.js'],
  ])
  const tallies = crew.flatMap(({ request, calls }) =>
    calls.flatMap(({ result }) => {
      const [, tally] = /(\d+ passed, \d+ failed)/.exec(result.output) ?? []
      return tally ? [[request.agent, tally]] : []
    }),
  )
  expect(tallies).toEqual([
    ['lead', '0 passed, 0 failed'],
    ['lead', '2 passed, 6 failed'],
    ['lead', '10 passed, 0 failed'],
    ['tester', '2 passed, 5 failed'],
    ['tester', '2 passed, 6 failed'],
    ['fixer', '2 passed, 6 failed'],
    ['fixer', '7 passed, 1 failed'],
    ['fixer', '8 passed, 0 failed'],
    ['fixer', '10 passed, 0 failed'],
    ['reviewer', '4 passed, 6 failed'],
  ])
  expect(crew.every(({ report }) => report !== null)).toBe(true)
  expect(lead.report?.markdown).toContain('slowest 1204 ms: GET /cart')
  expect(lead.report?.markdown).not.toContain('{{')

  // All of it is committed, and in the lead's worktree.
  expect(git(lead.dir, ['status', '--short'])).toBe('')
  const log = git(lead.dir, ['log', '--format=%s', 'main..']).trim().split('\n')
  expect(log).toHaveLength(3)
  expect(await readFile(join(lead.dir, 'docs/FORMAT.md'), 'utf8')).toContain('| TIME |')
  expect(await readFile(join(lead.dir, 'README.md'), 'utf8')).not.toContain('To be written')
})

itInSoak(
  'the demo has an installed agent take part, and continues without needing what it says',
  async () => {
    const lead = await playDemo('codex')
    const crew = crewOf(lead)
    expect(crew.map(({ request: { agent } }) => agent)).toEqual(
      expect.arrayContaining(['lead', 'tester', 'writer', 'codex', 'fixer', 'reviewer']),
    )
    expect(crew.every(({ report }) => report !== null)).toBe(true)
    const awaited = lead.calls.filter(({ name }) => name === 'task_await')
    expect(awaited.at(-1)?.result.output).toContain('Two weak spots.')
    expect(lead.report?.markdown).toContain('**Codex** was asked for weak spots elsewhere')
    expect(lead.report?.markdown).toContain('slowest 1204 ms: GET /cart')
  },
  60_000,
)
