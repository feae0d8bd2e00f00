/** Services on a real data directory and real Git, in a temporary folder that goes with the test. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import {
  type OpenShiplogOptions,
  openShiplog,
  type Shiplog,
} from '../src/main/composition/shiplog.ts'
import type { PermissionMode } from '../src/shared/agents/permission-modes.ts'
import type { Entry } from '../src/shared/records/entries.ts'
import type { TaskId } from '../src/shared/records/ids.ts'
import type { Project } from '../src/shared/records/projects/projects.ts'
import { isSettled } from '../src/shared/records/tasks/task-status.ts'
import type { TaskTree } from '../src/shared/records/tasks/tasks.ts'

/** A folder that is removed when the test has finished. */
export async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-test-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost']
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function writeFiles(dir: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
}

/** A repository with one commit. */
export async function gitProject(
  dir: string,
  files: Record<string, string> = { 'README.md': '# A project\n' },
): Promise<string> {
  await cp(await templateOf(files), dir, { recursive: true })
  return dir
}

/** Outlives a test file, and goes with the last of them (`templates-setup.ts`). */
export const templatesDir = (): string => process.env.SHIPLOG_TEST_TEMPLATES ?? tmpdir()

/** Repositories by their files, shared by all workers: copying one costs a tenth of making it. */
const templates = new Map<string, Promise<string>>()

function templateOf(files: Record<string, string>): Promise<string> {
  const name = createHash('sha256').update(JSON.stringify(files)).digest('hex')
  const made = templates.get(name) ?? makeTemplate(name, files)
  templates.set(name, made)
  return made
}

async function makeTemplate(name: string, files: Record<string, string>): Promise<string> {
  const parent = templatesDir()
  const template = join(parent, name)
  if (existsSync(template)) return template
  const dir = await mkdtemp(join(parent, 'new-'))
  // Without the sample hooks that Git copies into each new repository.
  git(dir, 'init', '-q', '-b', 'main', '--template=')
  await writeFiles(dir, files)
  git(dir, 'add', '-A')
  git(dir, 'commit', '-q', '-m', 'First')
  // Another worker may have made the same one meanwhile.
  await rename(dir, template).catch(() => rm(dir, { recursive: true, force: true }))
  return template
}

export interface Fixture {
  dir: string
  dataDir: string
  project: Project
  shiplog: Shiplog
  /** Closes it and opens it again on the same data directory, as a restart does, with other options if given. */
  restart(over?: Partial<OpenShiplogOptions>): Promise<Shiplog>
}

export type FixtureOptions = Partial<OpenShiplogOptions> & { files?: Record<string, string> }

/** An open Shiplog with one Git project. It is closed when the test has finished. */
export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const dir = await temporaryDir()
  const projectDir = await gitProject(join(dir, 'project'), options.files)
  const fixture = await fixtureIn(dir, options, projectDir)
  onTestFinished(() => fixture.shiplog.close())
  return fixture
}

/** An open Shiplog in this folder with a project: one that it knows, or the folder of a new one. */
export async function fixtureIn(
  dir: string,
  options: FixtureOptions,
  project: Project | string,
): Promise<Fixture> {
  const dataDir = join(dir, 'data')
  const open = (over: Partial<OpenShiplogOptions> = {}) =>
    openShiplog({ host: 'cli', ...options, ...over, dataDir })
  const shiplog = await open()
  const fixture: Fixture = {
    dir,
    dataDir,
    project:
      typeof project === 'string' ? await shiplog.client.projects.add({ dir: project }) : project,
    shiplog,
    async restart(over) {
      await fixture.shiplog.close()
      fixture.shiplog = await open(over)
      return fixture.shiplog
    },
  }
  return fixture
}

/** Git in the project's turn store, without the user's repository. */
export function inTurnStore({ dataDir, project }: Fixture, ...args: string[]): string {
  const store = join(dataDir, 'turn-store', project.id)
  return git(dataDir, `--git-dir=${store}`, ...args)
}

/** As a disk that lost it. */
export async function loseTurnStore({ dataDir }: Fixture): Promise<void> {
  await rm(join(dataDir, 'turn-store'), { recursive: true })
}

/** Starts a scenario on the fixture's project. */
export async function start(
  fixture: Fixture,
  scenario: string,
  over: {
    prompt?: string
    isolation?: 'worktree' | 'in-place'
    keep?: boolean
    agentsAtOnce?: number
    permissions?: PermissionMode
    readsRecord?: boolean
  } = {},
): Promise<TaskId> {
  const { taskId } = await fixture.shiplog.client.tasks.start({
    projectId: fixture.project.id,
    agent: { kind: 'scripted', scenario, source: 'test.yaml' },
    prompt: 'Do it',
    ...over,
  })
  return taskId
}

export async function allTasks(shiplog: Shiplog): Promise<TaskTree[]> {
  const { tasks } = await shiplog.client.tasks.list({ all: true })
  return flatten(tasks)
}

const flatten = (trees: TaskTree[]): TaskTree[] =>
  trees.flatMap((tree) => [tree, ...flatten(tree.children)])

export async function taskOf(shiplog: Shiplog, by: TaskId | string): Promise<TaskTree> {
  const found = (await allTasks(shiplog)).find((task) => task.id === by || task.title === by)
  if (!found) throw new Error(`no task ${by}`)
  return found
}

/** Resolves when `is` holds of the tasks, heard from the ledger feed; the test's own time limit ends it. */
export async function until(
  shiplog: Shiplog,
  is: (tasks: TaskTree[]) => boolean | Promise<boolean>,
): Promise<void> {
  const abort = new AbortController()
  const feed = await shiplog.client.feed.ledger(undefined, { signal: abort.signal })
  try {
    let news = feed.next()
    for (;;) {
      // What is waited for may be in a transcript, of which the ledger has no news.
      const heard = await Promise.race([news, sleep(100)])
      if (heard?.done || (await is(await allTasks(shiplog)))) return
      if (heard) news = feed.next()
    }
  } finally {
    abort.abort()
  }
}

/** Every task has settled, and every sub-agent that completed is cleaned up. */
export const untilQuiet = (shiplog: Shiplog): Promise<void> =>
  until(shiplog, (tasks) =>
    tasks.every(
      (task) =>
        (isSettled(task.status) || task.status === 'blocked') &&
        (task.status !== 'completed' || task.parentId === null || task.archived),
    ),
  )

/** The entries of a removed task without the one that its removal added: its worktree was left. Throws when it is not there. */
export function beforeLeaving(entries: Entry[]): Entry[] {
  const last = entries.at(-1)
  if (last?.type !== 'worktree-state' || last.worktreeSession !== null)
    throw new Error(`the last entry is ${JSON.stringify(last)}`)
  return entries.slice(0, -1)
}

export async function entriesOf(shiplog: Shiplog, taskId: TaskId): Promise<Entry[]> {
  const entries: Entry[] = []
  let fromSeq: number | null = 1
  while (fromSeq !== null) {
    const page: { entries: Entry[]; nextSeq: number | null } =
      await shiplog.client.workspace.getSubagentTranscript({ taskId, fromSeq, limit: 100 })
    entries.push(...page.entries)
    fromSeq = page.nextSeq
  }
  return entries
}
