import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ElectronApplication } from '@playwright/test'
import type { ShiplogClient } from '../../src/shared/contract/index.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import {
  answerQuestions,
  appDir,
  askedQuestions,
  clientOf,
  executablePath,
  exitOf,
  expect,
  firstPage,
  isReal,
  test,
} from './app.ts'

/** Says something, and is then at work for longer than any test. */
const endlessScenario = `
version: 1
name: endless
agents:
  lead:
    turns:
      - steps:
          - say: These words came before the end.
          - wait: 600s
`

/** Resolves once the agent's unfinished words are on disk. */
async function startAgent(client: ShiplogClient, dir: string): Promise<TaskId> {
  const projectDir = join(dir, 'project with spaces é')
  await mkdir(projectDir)
  const git = (...args: string[]) => {
    const ran = spawnSync('git', [
      '-C',
      projectDir,
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@t.invalid',
      ...args,
    ])
    if (ran.status !== 0) throw new Error(String(ran.stderr))
  }
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  const project = await client.projects.add({ dir: projectDir })
  const { taskId } = await client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario: endlessScenario, source: 'endless.yaml' },
    prompt: 'Continue until stopped',
    title: 'Endless work',
  })
  await expect
    .poll(async () => {
      const page = await client.workspace.getSubagentTranscript({ taskId })
      return JSON.stringify(page.partial)
    })
    .toContain('before the end')
  return taskId
}

function beginQuit(app: ElectronApplication): Promise<void> {
  return app.evaluate(({ app: electronApp }) => electronApp.quit())
}

test('quitting with an agent at work asks: cancelled, everything is as it was; else its partial turn is kept and it is interrupted', async ({
  launch,
  dir,
}) => {
  const app = await launch()
  const client = await clientOf(app)
  const taskId = await startAgent(client, dir)
  await answerQuestions(app, 'Cancel')
  await beginQuit(app)
  await expect.poll(async () => (await askedQuestions(app)).length).toBe(1)
  const [question] = await askedQuestions(app)
  expect(question).toContain('An agent is running')
  expect(question).toContain('Endless work')
  const running = await client.tasks.list({ all: false })
  expect(running.tasks[0]).toMatchObject({ id: taskId, status: 'spawned' })

  // The last window stays too: without one there would be nothing to cancel in.
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  if (process.platform !== 'darwin') {
    await expect.poll(async () => (await askedQuestions(app)).length).toBe(2)
    expect(app.windows()).toHaveLength(1)
  }

  await answerQuestions(app, 'Interrupt and quit')
  const ended = exitOf(app)
  await beginQuit(app)
  expect(await ended).toBe(0)

  const again = await clientOf(await launch())
  const { tasks } = await again.tasks.list({ all: true })
  expect(tasks).toHaveLength(1)
  expect(tasks[0]).toMatchObject({
    id: taskId,
    title: 'Endless work',
    status: 'interrupted',
    cause: { kind: 'closed', how: 'quit' },
  })
  const page = await again.workspace.getSubagentTranscript({ taskId })
  const kept = page.entries.filter(
    (entry) => entry.type === 'message' && entry.role === 'assistant',
  )
  expect(kept).toHaveLength(1)
  expect(kept[0]).toMatchObject({ status: 'interrupted' })
  expect(JSON.stringify(kept[0])).toContain('These words came before the end.')
  expect(page.damage).toEqual([])
})

test('without agents at work it quits without a question', { tag: '@soak' }, async ({ launch }) => {
  const app = await launch()
  await firstPage(app)
  await answerQuestions(app, 'Cancel')
  const ended = exitOf(app)
  await beginQuit(app)
  expect(await ended).toBe(0)
})

test('closing the last window quits', { tag: '@soak' }, async ({ launch }) => {
  test.skip(process.platform === 'darwin', 'on macOS an app lives on without windows')
  const app = await launch()
  await firstPage(app)
  const ended = exitOf(app)
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  expect(await ended).toBe(0)
})

test('told to end by a signal it interrupts cleanly and asks nobody', { tag: '@soak' }, async ({
  launch,
  dir,
}) => {
  test.skip(process.platform === 'win32', 'Windows has no signals')
  const app = await launch()
  await startAgent(await clientOf(app), dir)
  const ended = exitOf(app)
  app.process().kill('SIGTERM')
  expect(await ended).toBe(0)
  const again = await clientOf(await launch())
  const { tasks } = await again.tasks.list({ all: true })
  expect(tasks.map((task) => task.status)).toEqual(['interrupted'])
})

test.describe('what keeps it from starting', () => {
  // Electron would show a box and wait for somebody to close it.
  test.skip(isReal, 'in real Electron the message box stays open until a user closes it')

  async function startAndFail(environment: Record<string, string>, dataDir: string) {
    const child = spawn(executablePath, [appDir], {
      env: { ...environment, SHIPLOG_DATA_DIR: dataDir },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return { said, code }
  }

  test('a data directory that another process holds: exit 6', async ({
    launch,
    environment,
    dataDir,
    dir,
  }) => {
    const app = await launch()
    await firstPage(app)
    // By another profile it is no second instance, as the web host or the command line is none.
    const other = { ...environment, XDG_CONFIG_HOME: join(dir, 'other config') }
    const { said, code } = await startAndFail(other, dataDir)
    expect(code).toBe(6)
    expect(said).toContain('Shiplog is already running')
    expect(said).toMatch(new RegExp(`process ${app.process().pid}`))
  })

  test('a data directory that can’t be used: exit 2', async ({ environment, dir }) => {
    const file = join(dir, 'a file')
    await writeFile(file, '')
    await chmod(file, 0o400)
    const { said, code } = await startAndFail(environment, join(file, 'data'))
    expect(code).toBe(2)
    expect(said).toContain('Shiplog can’t use its data folder')
    expect(said).toContain('a file')
  })
})
