/** Folds the ledger's project events. Pure. */
import { assertNever } from '../../assert-never.ts'
import type { LedgerEvent, LedgerEventOf } from '../../records/ledger.ts'
import { defaultEnvironment, type Project } from '../../records/projects/projects.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { absolutePath } from './absolute-path.ts'
import type { LedgerState } from './ledger-state.ts'

type ProjectEvent = Extract<LedgerEvent, { type: `project.${string}` }>

export function foldProjectEvent(state: LedgerState, event: ProjectEvent, at: string): void {
  const { projectId: id } = event
  switch (event.type) {
    case 'project.added':
      state.removedProjects.delete(id)
      return setProject(state, {
        ...state.projects.get(id),
        id,
        name: event.name,
        dir: absolutePath(event.dir, state),
        git: event.git,
        addedAt: at,
        ...(event.identity && { identity: event.identity }),
      })
    case 'project.moved':
      return moveProject(state, event)
    case 'project.identified':
      if (event.replaced) revokeApprovals(state, id)
      return changeProject(state, id, {
        git: event.git,
        ...(event.identity && { identity: event.identity }),
      })
    case 'project.removed':
      return removeProject(state, id)
    case 'project.setup-trusted':
      state.trustedSetups.set(id, event.configSha256)
      return
    case 'project.environment-set':
      return changeProject(state, id, {
        environment: event.environment,
        revokedVariables: undefined,
      })
    case 'project.git-config-allowed':
      return changeProject(state, id, { gitConfigSha256: event.sha256 })
    case 'project.agent-config-allowed':
      return changeProject(state, id, {
        agentConfigSha256s: allowedNow(
          state.projects.get(id)?.agentConfigSha256s ?? [],
          event.files.map(({ sha256 }) => sha256),
        ),
      })
    case 'project.sandbox-set':
      return changeProject(state, id, { sandbox: event.sandbox })
    default:
      assertNever(event)
  }
}

/** Older ones need permission again. */
const agentConfigsMax = 1_000

const allowedNow = (before: readonly string[], added: readonly string[]): string[] =>
  [...new Set([...before.filter((one) => !added.includes(one)), ...added])].slice(-agentConfigsMax)

/** Deletes its settings and approvals, but keeps its identity for when it is added again. */
function removeProject(state: LedgerState, id: Project['id']): void {
  const project = state.projects.get(id)
  if (!project) return
  const { environment, revokedVariables, gitConfigSha256, agentConfigSha256s, sandbox, ...rest } =
    project
  state.removedProjects.set(id, rest)
  state.projects.delete(id)
  state.trustedSetups.delete(id)
}

function changeProject(state: LedgerState, id: Project['id'], change: Partial<Project>): void {
  const project = state.projects.get(id)
  if (project) setProject(state, { ...project, ...change })
}

/** Sets the keys in the schema's order, without undefined ones, because another fold must give the same bytes. */
function setProject(state: LedgerState, project: Project): void {
  const { identity, environment, revokedVariables, gitConfigSha256, ...others } = project
  const { agentConfigSha256s, sandbox, ...rest } = others
  state.projects.set(project.id, {
    ...rest,
    ...(identity === undefined ? {} : { identity }),
    ...(environment === undefined ? {} : { environment }),
    ...(revokedVariables === undefined ? {} : { revokedVariables }),
    ...(gitConfigSha256 === undefined ? {} : { gitConfigSha256 }),
    ...(agentConfigSha256s === undefined ? {} : { agentConfigSha256s }),
    ...(sandbox === undefined ? {} : { sandbox }),
  })
}

/** Moves its tasks, but not the approvals, which were given for the old folder. */
function moveProject(state: LedgerState, event: LedgerEventOf<'project.moved'>): void {
  const { projectId, name, identity } = event
  const [from, to] = [absolutePath(event.from, state), absolutePath(event.dir, state)]
  revokeApprovals(state, projectId)
  changeProject(state, projectId, { name, dir: to, git: true, identity })
  const [fromTop, toTop] = [topLevelOf(from, identity.within), topLevelOf(to, identity.within)]
  const moved = (path: string): string => relocated(path, fromTop, toTop)
  for (const task of tasksOf(state, projectId)) {
    const { workspace, fileUpdates } = task
    state.tasks.set(task.id, {
      ...task,
      projectDir: to,
      workspace: workspace && { ...workspace, path: moved(workspace.path) },
      ...(fileUpdates && {
        fileUpdates: fileUpdates.map((update) => ({
          ...update,
          dir: moved(update.dir),
          root: moved(update.root),
        })),
      }),
    })
  }
}

/** Returns the root of the working tree that contains the project's folder. */
function topLevelOf(dir: string, within: string): string {
  const isBelow = within !== '' && dir.replaceAll('\\', '/').endsWith(`/${within}`)
  return isBelow ? dir.slice(0, -within.length - 1) : dir
}

/** Returns the path after the folder `from` was moved to `to`; unchanged if it is not inside `from`. */
function relocated(path: string, from: string, to: string): string {
  if (path === from) return to
  return path.startsWith(from) && /^[\\/]/.test(path.slice(from.length))
    ? to + path.slice(from.length)
    : path
}

/**
 * Revokes what the user allowed for a folder and its repository: the set-up, the configuration of Git and of agents,
 * and the variables passed to agents, including those of single agents (`--env`). Their names are kept, so that the user
 * can be asked about them. An allow-list becomes an empty one instead of being lifted, so that agents never get more
 * than before.
 */
function revokeApprovals(state: LedgerState, id: Project['id']): void {
  const project = state.projects.get(id)
  if (!project) return
  const { allowed, only } = project.environment ?? defaultEnvironment
  const named = new Set([...(project.revokedVariables ?? []), ...allowed, ...(only ?? [])])
  for (const task of tasksOf(state, id)) {
    const { env, ...options } = task.options
    if (env === undefined) continue
    if (!task.purged) for (const name of env) named.add(name)
    state.tasks.set(task.id, { ...task, options })
  }
  state.trustedSetups.delete(id)
  changeProject(state, id, {
    environment: only === null ? undefined : { allowed: [], only: [] },
    revokedVariables: named.size > 0 ? [...named].sort() : undefined,
    gitConfigSha256: undefined,
    agentConfigSha256s: undefined,
  })
}

const tasksOf = ({ tasks }: LedgerState, projectId: Project['id']): Task[] =>
  [...tasks.values()].filter((task) => task.projectId === projectId)
