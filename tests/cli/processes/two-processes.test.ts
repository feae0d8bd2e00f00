/** Commands on a data directory that another process holds: they are carried out there. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import { itInSoak } from '../../soak.ts'
import { jsonLines } from '../fake-process.ts'
import { createSandbox, type RunningCli, type Sandbox } from './shiplog-process.ts'

/** Several processes and Git on a busy machine with two cores. */
const timeoutMs = 240_000

const slow = `
version: 1
name: slow
agents:
  lead:
    turns:
      - steps:
          - say: "Begun: {{prompt}}"
          - wait: 300s
`
const quick = `
version: 1
name: quick
agents:
  lead:
    turns:
      - call: write_file
        with: { path: notes.md, content: "Noted.\\n" }
      - report: { title: Noted, markdown: "It is **noted**." }
`
/** Ends when the file is there, or its folder no more: a loop must not outlive a test that failed. */
const untilTold = (file: string) => `
version: 1
name: until-told
agents:
  lead:
    turns:
      - say: "Begun: {{prompt}}"
      - call: bash
        with: { command: "while [ ! -e '${file}' ] && [ -d '${path.dirname(file)}' ]; do sleep 0.1; done" }
      - report: { title: Told, markdown: Told. }
`

let box: Sandbox
let project: string
beforeEach(async () => {
  box = await createSandbox()
  project = await box.repository('project')
  await box.file('slow.yaml', slow)
  await box.file('quick.yaml', quick)
})
afterEach(() => box.remove())

const agentRun = (prompt: string, scenario: string, ...more: string[]) =>
  box.start([
    ...['agent', 'run', prompt, '--project', project],
    ...['--scenario', path.join(box.dir, scenario), ...more],
  ])

/** Begins an agent that goes on until it is told to stop. */
async function holding(prompt = 'Hold it'): Promise<RunningCli> {
  const cli = agentRun(prompt, 'slow.yaml')
  await cli.said(`Begun: ${prompt}`)
  return cli
}

const lease = async () =>
  JSON.parse(await readFile(path.join(box.dataDir, 'lease.json'), 'utf8')) as {
    pid: number
    endpoint: string
  }
const listed = async (): Promise<Record<string, string>> => {
  const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list')
  return Object.fromEntries(tasks.map((task) => [task.title, task.status]))
}

describe('while an agent runs in one process, another', () => {
  it(
    'lists, shows, runs an agent of its own and applies it, ends it with Ctrl-C, can’t serve, and leaves the first alone',
    async () => {
      const holder = await holding()
      const held = await lease()
      expect(await listed()).toEqual({ 'Hold it': 'spawned' })

      const second = await agentRun('Note it', 'quick.yaml', '--json').ended
      expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: '' })
      const result = jsonLines(second.stdout).at(-1) as { taskId: string }
      expect(result).toMatchObject({
        type: 'result',
        status: 'completed',
        report: { reportMarkdown: 'It is **noted**.' },
      })
      const shown = await box.run('transcripts', 'show', result.taskId)
      expect(shown.stdout).toContain('write_file')
      const report = await box.run('tasks', 'report', result.taskId)
      expect(report.stdout).toBe('It is **noted**.\n')
      expect(await box.json('tasks', 'apply', result.taskId)).toMatchObject({ kind: 'applied' })
      expect(await readFile(path.join(project, 'notes.md'), 'utf8')).toBe('Noted.\n')
      expect((await box.run('tasks', 'report', 'deadbeef')).code).toBe(3)

      const third = agentRun('Mine', 'slow.yaml')
      await third.said('Begun: Mine')
      third.kill('SIGINT')
      const interrupted = await third.ended
      expect(interrupted.code).toBe(130)
      expect(interrupted.stderr).toContain('Interrupting the agent…')
      expect(interrupted.stderr).toMatch(/interrupted\s+Mine/)
      const all = { 'Note it': 'completed', Mine: 'interrupted' }
      expect(await listed()).toEqual({ 'Hold it': 'spawned', ...all })

      // An agent's run is no place to serve from.
      const serve = await box.run('serve')
      expect(serve).toMatchObject({ code: 6, stdout: '' })
      expect(serve.stderr).toContain('(the command line) has the data directory open')

      expect(await lease()).toEqual(held)
      holder.kill('SIGINT')
      expect((await holder.ended).code).toBe(130)
      expect(existsSync(path.join(box.dataDir, 'lease.json'))).toBe(false)
      expect(await listed()).toEqual({ 'Hold it': 'interrupted', ...all })
    },
    timeoutMs,
  )

  it(
    'is told when the first is killed (exit 6); the next takes over with an endpoint of its own',
    async () => {
      const holder = await holding()
      const dead = await lease()
      const second = agentRun('Mine', 'slow.yaml')
      await second.said('Begun: Mine')
      holder.kill('SIGKILL')
      await holder.ended
      const { code, stdout, stderr } = await second.ended
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
      expect(stderr).toContain(`process ${dead.pid} (the command line) ended`)
      expect(stderr).toContain('shiplog tasks list')

      const next = await holding('After it')
      const taken = await lease()
      expect(taken.pid).not.toBe(dead.pid)
      expect(taken.endpoint).not.toBe(dead.endpoint)
      expect(await listed()).toEqual({
        'Hold it': 'interrupted',
        Mine: 'interrupted',
        'After it': 'spawned',
      })
      next.kill('SIGINT')
      await next.ended
    },
    timeoutMs,
  )

  itInSoak(
    'continues when the first has done its own: that one stays for it',
    async () => {
      const ends = { first: path.join(box.dir, 'first'), second: path.join(box.dir, 'second') }
      await box.file('first.yaml', untilTold(ends.first))
      await box.file('second.yaml', untilTold(ends.second))
      const first = agentRun('First', 'first.yaml')
      await first.said('Begun: First')
      const second = agentRun('Second', 'second.yaml')
      await second.said('Begun: Second')
      await box.file('first', '')
      await first.printed('Told.')
      await first.said('Other commands are still running in this process')
      await box.file('second', '')
      expect(await second.ended).toMatchObject({ code: 0, stdout: 'Told.\n' })
      expect(await first.ended).toMatchObject({ code: 0, stdout: 'Told.\n' })
      expect(existsSync(path.join(box.dataDir, 'lease.json'))).toBe(false)
    },
    timeoutMs,
  )
})

itInSoak(
  'while the app is served, serve and open say where; commands work; an agent started by one is not the server’s to end',
  async () => {
    const server = box.start(['serve', '--port', '0'])
    const url = (await server.printed('\n')).trim()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+$/)
    expect((await fetch(url)).status).toBe(200)
    await server.said('Ctrl-C ends it')
    expect(await listed()).toEqual({})
    expect((await agentRun('Note it', 'quick.yaml').ended).code).toBe(0)
    // The link with the token of its pages is on no disk: what is told is where it runs (K7).
    const address = `${new URL(url).origin}/`
    expect(await box.run('serve')).toMatchObject({ code: 0, stdout: `${address}\n` })
    expect(await box.json('serve')).toEqual({ url: address })
    expect(await box.run('open')).toMatchObject({ code: 0, stdout: `${address}\n` })
    const elsewhere = await box.run('serve', '--port', '4')
    expect(elsewhere).toMatchObject({ code: 6, stdout: '' })
    expect(elsewhere.stderr).toContain(new URL(url).origin)
    const decided = await box.run('prune', '--json')
    expect(decided.code).toBe(5)
    expect(decided.stderr).toContain('has to be decided in a window of the process that holds')

    const second = agentRun('Mine', 'slow.yaml')
    await second.said('Begun: Mine')
    second.kill('SIGINT')
    expect((await second.ended).code).toBe(130)
    expect(await listed()).toEqual({ 'Note it': 'completed', Mine: 'interrupted' })
    server.kill('SIGINT')
    expect(await server.ended).toMatchObject({ code: 0, stdout: `${url}\n` })
    expect(existsSync(path.join(box.dataDir, 'lease.json'))).toBe(false)
  },
  timeoutMs,
)

it(
  'short commands at the same moment wait for each other',
  async () => {
    const ended = await Promise.all([1, 2, 3].map(() => box.run('tasks', 'list', '--json')))
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ended.map(() => ({ code: 0, stderr: '' })),
    )
  },
  timeoutMs,
)
