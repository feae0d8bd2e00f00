/** The built app as `shiplog serve` serves it, in a process of its own, and a page that watches itself. */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { test as base, expect, type Page } from '@playwright/test'
import { WebSocket } from 'ws'
import type { ShiplogClient } from '../../src/shared/contract/index.ts'
import type { Project } from '../../src/shared/records/projects/projects.ts'
import { isSettled } from '../../src/shared/records/tasks/task-status.ts'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { createSandbox, type Sandbox } from '../cli/processes/shiplog-process.ts'

export { expect } from '@playwright/test'

export interface Host {
  /** With the token, as it is printed. */
  url: string
  origin: string
  port: number
  /** The same contract that the page speaks. */
  client: ShiplogClient
  /** Asks it to end, as Ctrl-C or a shutdown does, and waits until it has. */
  stop(): Promise<void>
  /** Ends it with no chance to tidy up. */
  kill(): Promise<void>
}

interface Gate {
  /** A bash command that ends once the gate is open. */
  command: string
  /** A command has come to the gate and waits. */
  reached(): Promise<void>
  open(): Promise<void>
}

interface ServeOptions {
  /** 0, when not given: any free one. */
  port?: number
  env?: NodeJS.ProcessEnv
}

export interface App extends Sandbox {
  serve(options?: ServeOptions): Promise<Host>
  gate(name: string): Gate
  /** As a data directory that was put back from a copy: the web host knows no page any more. */
  forgetPages(): Promise<void>
}

interface PageFaults {
  /** For what a test brings about on purpose, a lost connection say. */
  expected(pattern: RegExp): void
}

export const test = base.extend<{ app: App; faults: PageFaults }, { finished: Finished }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  app: async ({}, use) => {
    const { app, end } = await openApp()
    await use(app)
    await end()
  },
  faults: [
    // After `app`, so that it looks before the host is ended.
    async ({ page, app: _ }, use) => {
      const found = watchFaults(page)
      await keepToasts(page)
      const patterns: RegExp[] = []
      await use({ expected: (pattern) => void patterns.push(pattern) })
      const unexpected = found.filter((fault) => !patterns.some((pattern) => pattern.test(fault)))
      expect(unexpected, 'errors of the page, and requests to anywhere but the host').toEqual([])
    },
    { auto: true },
  ],
  finished: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const { app, end } = await openApp()
      // Also when it could not be made ready: its host would run on after the tests.
      try {
        await use(await finishedFamily(app))
      } finally {
        await end()
      }
    },
    { scope: 'worker' },
  ],
})

async function openApp(): Promise<{ app: App; end(): Promise<void> }> {
  const sandbox = await createSandbox()
  const hosts: Host[] = []
  const app: App = {
    ...sandbox,
    async serve(options = {}) {
      const host = await startHost(sandbox, options)
      hosts.push(host)
      return host
    },
    gate: (name) => gateIn(sandbox.dir, name),
    forgetPages: () => rm(path.join(sandbox.dataDir, 'web-host.json')),
  }
  const end = async () => {
    for (const host of hosts) await host.stop()
    await sandbox.remove()
  }
  return { app, end }
}

async function startHost(sandbox: Sandbox, options: ServeOptions): Promise<Host> {
  // Playwright sets it, and then the agents' own commands would print colours into their reports.
  const env = { FORCE_COLOR: undefined, ...options.env }
  // Without a port: where the last host of this data directory was.
  const port = options.port === undefined ? [] : ['--port', String(options.port)]
  const process = sandbox.start(['serve', ...port], { env })
  const url = (await process.printed('\n')).trim()
  const { origin, port: listening, hash } = new URL(url)
  const protocols = ['shiplog.v1', `token.${hash.slice('#token='.length)}`]
  const socket = new WebSocket(`ws://127.0.0.1:${listening}/rpc`, protocols, { origin })
  // It closes with the host; calls under way say so themselves.
  socket.on('error', () => {})
  const end = async (signal: NodeJS.Signals) => {
    process.kill(signal)
    await process.ended
  }
  return {
    url,
    origin,
    port: Number(listening),
    client: createORPCClient(new RPCLink({ websocket: socket })),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** Holds an agent where it is until the test has seen what it came to see. */
function gateIn(dir: string, name: string): Gate {
  const opened = path.join(dir, `${name}.open`)
  const reached = path.join(dir, `${name}.reached`)
  return {
    // It ends with the folder too: a host that was killed leaves its commands behind.
    command: `touch '${reached}'; while [ ! -e '${opened}' ] && [ -d '${dir}' ]; do sleep 0.05; done`,
    reached: () => expect.poll(() => existsSync(reached), { message: `gate ${name}` }).toBe(true),
    open: () => writeFile(opened, ''),
  }
}

/** Everything that goes wrong in the page, in words; filled as it happens. */
function watchFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console ${message.type()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    const own = hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:'
    if (!own) faults.push(`request: ${request.url()}`)
  })
  // Chromium tells of most of these on the console as well, of workers' only here.
  void page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`content security: ${violatedDirective} refused ${blockedURI}`),
    )
  })
  return faults
}

/** A toast goes away by itself, sooner than a busy machine looks: the page keeps what each of them said. */
async function keepToasts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const said = new Set<string>()
    Object.assign(window, { toastsSaid: said })
    new MutationObserver(() => {
      for (const title of document.querySelectorAll('[data-sonner-toast] [data-title]'))
        if (title.checkVisibility()) said.add(title.textContent)
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
}

/** Waits until a toast has said this, whether or not it is still shown. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  const said = () =>
    page.evaluate(() => [...(Reflect.get(window, 'toastsSaid') as ReadonlySet<string>)])
  const wanted = typeof text === 'string' ? text : expect.stringMatching(text)
  await expect.poll(said, { message: `a toast: ${text}` }).toContainEqual(wanted)
}

/** A project whose agents have all ended, served; a test may look at it and leaves it as it is. */
export interface Finished {
  app: App
  host: Host
  project: Project
  /** By title. */
  task(title: string): TaskTree
}

async function finishedFamily(app: App): Promise<Finished> {
  const { familyScenario } = await import('./scenarios.ts')
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  await playToEnd(host, project, familyScenario, 'Make the parser robust')
  const { tasks } = await host.client.tasks.list({ all: true })
  const all = flatten(tasks)
  return {
    app,
    host,
    project,
    task(title) {
      const task = all.find((one) => one.title === title)
      if (!task) throw new Error(`no task ${title} among ${all.map((one) => one.title)}`)
      return task
    },
  }
}

/** Starts a scenario and waits until every task has ended and every completed sub-agent is cleaned up. */
export async function playToEnd(
  host: Host,
  project: Project,
  scenario: string,
  prompt = 'Do it',
): Promise<TaskTree> {
  const { taskId } = await start(host, project, scenario, prompt)
  const rootOf = async () => {
    const { tasks } = await host.client.tasks.list({ all: true })
    return tasks.find(({ id }) => id === taskId)
  }
  await expect.poll(async () => isQuiet(await rootOf()), { timeout: 240_000 }).toBe(true)
  return (await rootOf()) as TaskTree
}

export const start = (host: Host, project: Project, scenario: string, prompt = 'Do it') =>
  host.client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario, source: 'test.yaml' },
    prompt,
  })

const isQuiet = (root: TaskTree | undefined): boolean =>
  root !== undefined &&
  flatten([root]).every(
    ({ status, parentId, archived }) =>
      (isSettled(status) || status === 'blocked') &&
      (status !== 'completed' || parentId === null || archived),
  )

export const flatten = (trees: TaskTree[]): TaskTree[] =>
  trees.flatMap((tree) => [tree, ...flatten(tree.children)])
