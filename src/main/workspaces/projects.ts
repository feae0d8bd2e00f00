/** Projects: folders that agents work in. */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, resolve } from 'node:path'
import type { ProjectSetup } from '../../shared/contract/projects.ts'
import { counted } from '../../shared/counted.ts'
import { FailureError, invalid, refused } from '../../shared/failure.ts'
import { newProjectId, type ProjectId, shortId } from '../../shared/ids.ts'
import { createKeyedMutex } from '../../shared/keyed-mutex.ts'
import { tasksInUse } from '../../shared/projections/project-use.ts'
import {
  defaultEnvironment,
  type Isolation,
  isSameEnvironment,
  type Project,
  type ProjectEnvironment,
} from '../../shared/tasks.ts'
import type { Git } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type DataLayout, storedPath } from '../sessions/session-files.ts'
import { gitRequest } from './git-request.ts'
import { readProjectConfig } from './project-config.ts'

export interface Projects {
  list(): Project[]
  known(projectId: ProjectId): Project
  add(dir: string): Promise<Project>
  remove(projectId: ProjectId): Promise<void>
  setup(projectId: ProjectId): Promise<ProjectSetup>
  trustSetup(projectId: ProjectId, configSha256: string): Promise<void>
  /** `shown`: what was set when the person chose. Throws FailureError when something else is set by now. */
  setEnvironment(
    projectId: ProjectId,
    environment: ProjectEnvironment,
    shown?: ProjectEnvironment,
  ): Promise<void>
  /** The isolation that a new root really gets. Throws FailureError when it can't start as asked. */
  checkStart(projectId: ProjectId, isolation: Isolation): Promise<Isolation>
}

export function createProjects({
  ledger,
  git,
  layout,
}: {
  ledger: Ledger
  git: Git
  layout: DataLayout
}): Projects {
  const { state } = ledger
  const serially = createKeyedMutex()

  function known(projectId: ProjectId): Project {
    const project = state.projects.get(projectId)
    if (!project) throw new FailureError({ kind: 'not-found', what: 'project', id: projectId })
    return project
  }

  async function add(given: string): Promise<Project> {
    const path = given.replace(/^~(?=$|[\\/])/, homedir())
    if (!isAbsolute(path)) {
      invalid(
        'dir',
        `${given} is not a whole path. Give it from the root, such as ${join(homedir(), given)}.`,
      )
    }
    const dir = await realpath(path).catch(() => resolve(path))
    // Two windows may add one folder in the same moment: it is one project.
    return serially(dir, () => addDir(dir))
  }

  async function addDir(dir: string): Promise<Project> {
    const found = await git.inspectProject(dir)
    switch (found.kind) {
      case 'missing':
        return invalid('dir', `${dir} does not exist. Give the path of a folder.`)
      case 'not-a-directory':
        return invalid('dir', `${dir} is not a folder. Give the folder that holds the project.`)
      case 'bare':
        return invalid(
          'dir',
          `${dir} is a bare repository: it has no files to work on. Clone it (\`git clone ${dir} FOLDER\`) and add the clone.`,
        )
      case 'no-commits':
        return invalid(
          'dir',
          `${dir} is a Git repository without a commit, so no worktree can be made from it. Make a first one: \`git -C "${dir}" commit --allow-empty -m "First commit"\`.`,
        )
      case 'dubious-ownership':
        return invalid('dir', found.advice)
      case 'repository':
      case 'not-a-repository':
    }
    const isGit = found.kind === 'repository'
    const there = [...state.projects.values()].find(
      (project) => project.dir === dir && project.git === isGit,
    )
    if (there) return there
    // A folder that has become a repository since keeps its id, so that its archive stays with it.
    const before = [...state.projects.values()].find((project) => project.dir === dir)
    const projectId = before?.id ?? newProjectId()
    await ledger.record({
      type: 'project.added',
      projectId,
      name: basename(dir) || dir,
      // The demo's.
      dir: storedPath(layout, dir),
      git: isGit,
    })
    return known(projectId)
  }

  async function remove(projectId: ProjectId): Promise<void> {
    const { name } = known(projectId)
    const inUse = tasksInUse(state, projectId)
    if (inUse.length > 0) {
      const roots = inUse.filter(({ parentId }) => parentId === null)
      const shown = (roots.length > 0 ? roots : inUse).slice(0, namedMax)
      const more = (roots.length > 0 ? roots : inUse).length - shown.length
      const names = shown.map(({ id, title }) => `"${title}" (${shortId(id)})`).join(', ')
      refused(
        'in-use',
        `${name} still has ${counted(inUse.length, 'workspace')} in use: ${names}${more > 0 ? ` and ${more} more` : ''}. Remove ${inUse.length === 1 ? 'it' : 'them'} first: \`shiplog workspaces remove ID\`, or "Remove workspace" in the app.`,
      )
    }
    await ledger.record({ type: 'project.removed', projectId })
  }

  /** Read once: what is allowed must be what was compared with what was shown. */
  async function asked(projectId: ProjectId) {
    const project = known(projectId)
    const config = await readProjectConfig(project.dir)
    const ofGit = await gitRequest(git, project)
    const hashes = [config?.sha256, ofGit?.sha256].filter((hash) => hash !== undefined)
    const configSha256 = hashes.length > 1 ? sha256(hashes.join(' ')) : (hashes[0] ?? null)
    return { config, ofGit, configSha256 }
  }

  async function setup(projectId: ProjectId): Promise<ProjectSetup> {
    const { config, ofGit, configSha256 } = await asked(projectId)
    const { setup = null, copy = [], env = [] } = config ?? {}
    const asksNothing = setup === null && env.length === 0
    const isTrusted = asksNothing || state.trustedSetups.get(projectId) === config?.sha256
    return {
      setup,
      copy,
      env,
      git: ofGit && { commands: ofGit.commands, fetches: ofGit.fetches },
      configSha256,
      trusted: isTrusted && ofGit === null,
    }
  }

  async function trustSetup(projectId: ProjectId, shownSha256: string): Promise<void> {
    const { config, ofGit, configSha256 } = await asked(projectId)
    if (configSha256 !== shownSha256) {
      refused(
        'setup-changed',
        'What the project asks for (.shiplog/project.yaml, .git/config) has changed since it was shown. Look at it again.',
      )
    }
    await ledger.record(
      ...(config
        ? [{ type: 'project.setup-trusted' as const, projectId, configSha256: config.sha256 }]
        : []),
      ...(ofGit
        ? [{ type: 'project.git-config-allowed' as const, projectId, sha256: ofGit.sha256 }]
        : []),
    )
  }

  /** One after the other: two windows may save in the same moment. */
  const setEnvironment: Projects['setEnvironment'] = (projectId, environment, shown) =>
    serially(projectId, async () => {
      const { name, environment: present = defaultEnvironment } = known(projectId)
      if (shown && !isSameEnvironment(present, shown)) {
        refused(
          'settings-changed',
          `The settings of ${name} were changed elsewhere since they were shown. Look at them again.`,
        )
      }
      await ledger.record({ type: 'project.environment-set', projectId, environment })
    })

  async function checkStart(projectId: ProjectId, isolation: Isolation): Promise<Isolation> {
    // The folder may have changed since it was added: gone, or a repository by now.
    const project = await add(known(projectId).dir)
    return project.git ? isolation : 'in-place'
  }

  return {
    list: () => [...state.projects.values()],
    known,
    add,
    remove,
    setup,
    trustSetup,
    setEnvironment,
    checkStart,
  }
}

/** More make no message that anybody reads. */
const namedMax = 3

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
