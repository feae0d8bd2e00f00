/** Starts the demo: creates a small Git project and runs the bundled scenario in it. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { AgentPreset } from '../../shared/agents/installed-agents.ts'
import { invalid, refused } from '../../shared/failure.ts'
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import type { Project } from '../../shared/records/projects/projects.ts'
import type { Git } from '../git/index.ts'
import { makeDirDurable } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { TaskService } from './task-service.ts'

interface DemoContent {
  /** By path, relative to the project. */
  files: Record<string, string>
  scenario(agent: AgentPreset | null): string
  prompt: string
  title: string
  projectName: string
}

export interface Demo {
  /**
   * Creates the project in `dir`, which must be empty or missing; by default in a new folder of the data directory. The
   * installed agent `agent` takes part. Throws FailureError if it can't be started, or `dir` can't be used.
   */
  start(wanted: {
    dir?: string | undefined
    agent?: AgentPreset | undefined
  }): Promise<{ project: Project; taskId: TaskId }>
}

export function createDemo(deps: {
  content: DemoContent
  git: Git
  layout: DataLayout
  workspaces: WorkspaceService
  tasks: TaskService
  /** Resolves with the reason why an installed agent can't be started; null if it can. */
  obstacle: (agent: AgentPreset) => Promise<string | null>
}): Demo {
  const { content, git, workspaces, tasks } = deps

  const start: Demo['start'] = async ({ dir: wanted, agent = null }) => {
    const obstacle = agent && (await deps.obstacle(agent))
    if (obstacle) refused('not-set-up', obstacle)
    const dir =
      wanted === undefined
        ? await freeDir(join(deps.layout.demo, content.projectName))
        : resolve(wanted)
    await refuseUsedDir(dir)
    const isOurs = wanted === undefined || (await entriesOf(dir)) === null
    let added: ProjectId | null = null
    try {
      await writeProject(dir)
      const project = await workspaces.projects.add(dir)
      added = project.id
      const taskId = await tasks.start({
        projectId: project.id,
        agent: { kind: 'scripted', scenario: content.scenario(agent), source: 'the demo' },
        prompt: content.prompt,
        title: content.title,
        isolation: 'worktree',
        keep: false,
      })
      return { project, taskId }
    } catch (error) {
      if (added) await workspaces.projects.remove(added)
      const made = isOurs ? [dir] : ((await entriesOf(dir)) ?? []).map((name) => join(dir, name))
      for (const path of made) await rm(path, { recursive: true, force: true })
      throw error
    }
  }

  async function writeProject(dir: string): Promise<void> {
    // Not with `recursive`: Node tries without end where a parent can't hold folders, as in /proc.
    await makeDirDurable(dirname(dir))
    await mkdir(dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    for (const [path, text] of Object.entries(content.files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), text)
    }
    await git.initRepository(dir, { branch: 'main', message: 'Initial version' })
  }

  return { start }
}

async function freeDir(base: string): Promise<string> {
  await makeDirDurable(dirname(base))
  for (let n = 1; ; n++) {
    const dir = n === 1 ? base : `${base}-${n}`
    // `mkdir` is the check, so that two demos started together do not share a folder.
    const made = await mkdir(dir).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false
        throw error
      },
    )
    if (made) return dir
  }
}

async function refuseUsedDir(dir: string): Promise<void> {
  const entries = await entriesOf(dir)
  if (entries && entries.length > 0) {
    invalid(
      'dir',
      `${dir} is not empty. The demo creates its own project: choose a new or empty folder.`,
    )
  }
}

/** Returns null if the folder does not exist. */
async function entriesOf(dir: string): Promise<string[] | null> {
  try {
    return await readdir(dir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') return invalid('dir', `${dir} is a file. Choose a new or empty folder.`)
    throw error
  }
}
