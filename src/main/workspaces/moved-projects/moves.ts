/** Detects that a project's folder was moved, and updates its record. */
import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { refused } from '../../../shared/failure.ts'
import { type ProjectId, shortId } from '../../../shared/records/ids.ts'
import {
  isOtherRepository,
  isSameProject,
  type ProjectIdentity,
} from '../../../shared/records/projects/project-identity.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../shared/text/counted.ts'
import type { Git } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { type DataLayout, storedPath } from '../../sessions/session-files.ts'
import { worktreeRootIn } from '../worktree-roots.ts'
import { isGone } from './gone-folder.ts'

/** Shown to the user once. */
export interface ProjectNotice {
  tone: 'info' | 'warning'
  text: string
  details: string[]
}

interface ProjectMoves {
  /**
   * Returns the project that is in `dir` now and not listed there: one with that identity whose
   * folder is missing or links here, or one that was removed from the list. Null if there is none.
   */
  find(dir: string, identity: ProjectIdentity | null): Promise<Project | null>
  /** Throws FailureError while its agents run. */
  move(project: Project, dir: string, identity: ProjectIdentity): Promise<void>
  /** Records that its folder holds another repository now. */
  replace(project: Project, identity: ProjectIdentity): Promise<void>
}

export function createProjectMoves(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  onNotice: (notice: ProjectNotice) => void
}): ProjectMoves {
  const { ledger, git, layout, onNotice } = deps
  const { state } = ledger

  async function find(dir: string, identity: ProjectIdentity | null): Promise<Project | null> {
    const removed = [...state.removedProjects.values()].toReversed()
    const before = removed.find((project) => project.dir === dir && mayBe(project, identity))
    if (before || !identity) return before ?? null
    const gone: Project[] = []
    for (const project of [...state.projects.values(), ...removed]) {
      if (!project.identity || !isSameProject(project.identity, identity)) continue
      // The user left a link in its old place.
      if ((await realpath(project.dir).catch(() => null)) === dir) return project
      if (await isGone(project.dir)) gone.push(project)
    }
    if (gone.length <= 1) return gone[0] ?? null
    // If several clones are missing, prefers the one whose worktrees are registered, then one with
    // that name, then the last used.
    const registered = (await git.registeredWorktrees(dir)) ?? new Set()
    const ranks: { project: Project; rank: string }[] = []
    for (const project of gone) {
      const isKnown = (await worktreeFolders(project.id)).some((root) => registered.has(root))
      const isNamedSo = basename(project.dir) === basename(dir)
      ranks.push({ project, rank: `${Number(isKnown)}${Number(isNamedSo)}${lastUsed(project)}` })
    }
    ranks.sort((a, b) => (a.rank < b.rank ? 1 : -1))
    return ranks[0]?.project ?? null
  }

  /**
   * Reports whether the present content of its folder may be the project, judged by the repository.
   */
  const mayBe = ({ identity }: Project, found: ProjectIdentity | null): boolean =>
    !identity || !found || !isOtherRepository(identity, found)

  const worktreeFolders = (id: ProjectId): Promise<string[]> =>
    Promise.all(
      worktreesOf(id).map(({ workspace }) => {
        const root = worktreeRootIn(layout, workspace)
        return realpath(root).catch(() => root)
      }),
    )

  function lastUsed({ id, addedAt }: Project): string {
    const times = [...state.tasks.values()].flatMap((task) =>
      task.projectId === id ? (task.runs.at(-1)?.startedAt ?? task.createdAt) : [],
    )
    return [addedAt, ...times].sort().at(-1) ?? addedAt
  }

  async function move(project: Project, dir: string, identity: ProjectIdentity): Promise<void> {
    const { id, name, dir: from } = project
    const running = [...state.tasks.values()].filter(
      (task) => task.projectId === id && isRunning(task.status),
    )
    if (running.length > 0) {
      refused(
        'running',
        `${dir} is ${name}, which was in ${from}, and ${counted(running.length, 'agent')} of it still ${running.length === 1 ? 'runs' : 'run'}. Stop ${running.length === 1 ? 'it' : 'them'} first (\`shiplog tasks stop ID\`), then add the folder again.`,
      )
    }
    const hadApprovals = hasApprovals(project)
    const worktrees = await reconnect(id, dir)
    await ledger.record({
      type: 'project.moved',
      projectId: id,
      name: basename(dir) || dir,
      from: storedPath(layout, from),
      dir: storedPath(layout, dir),
      identity,
    })
    notify(
      id,
      `${name} moved from ${from} to ${dir}. Its agents and archive continue there.`,
      hadApprovals,
      worktrees,
    )
  }

  async function replace(project: Project, identity: ProjectIdentity): Promise<void> {
    const { id, name, dir } = project
    const hadApprovals = hasApprovals(project)
    const worktrees = await reconnect(id, dir)
    await ledger.record({
      type: 'project.identified',
      projectId: id,
      git: true,
      identity,
      replaced: true,
    })
    notify(
      id,
      `${dir} holds another repository than before: its root commit or its remote is not the same. The record of ${name} is kept.`,
      hadApprovals,
      worktrees,
    )
  }

  const hasApprovals = ({ id, gitConfigSha256, agentConfigSha256s }: Project): boolean =>
    state.trustedSetups.has(id) || gitConfigSha256 !== undefined || agentConfigSha256s !== undefined

  /** Reconnects the worktrees of its workspaces with the repository in `dir`. */
  async function reconnect(id: ProjectId, dir: string): Promise<Worktrees> {
    const found: Worktrees = { reconnected: 0, unknown: [] }
    for (const { workspace, ...task } of worktreesOf(id)) {
      const root = worktreeRootIn(layout, workspace)
      // A missing worktree is recreated from its branch when it is needed.
      if (!(await exists(root))) continue
      const { branch } = workspace
      const outcome = await git.reconnectWorktree({ repoDir: dir, root, branch })
      if (outcome.kind === 'reconnected') found.reconnected++
      if (outcome.kind === 'unknown')
        found.unknown.push(
          `"${task.title}" (${shortId(task.id)}): ${outcome.why}. Its files are in ${root}; \`shiplog workspaces remove ${shortId(task.id)} --discard-unknown-worktree\` moves them to the trash.`,
        )
    }
    return found
  }

  function worktreesOf(id: ProjectId): (Task & { workspace: Workspace })[] {
    return [...state.tasks.values()].flatMap((task) => {
      const { workspace } = task
      if (task.projectId !== id || workspace?.isolation !== 'worktree') return []
      return workspace.removal === 'removed' ? [] : [{ ...task, workspace }]
    })
  }

  function notify(
    id: ProjectId,
    text: string,
    hadApprovals: boolean,
    { reconnected, unknown }: Worktrees,
  ): void {
    const { dir = '', revokedVariables = [] } = state.projects.get(id) ?? {}
    const details = [
      ...(hadApprovals
        ? ['You will be asked again to allow its set-up command and Git configuration.']
        : []),
      ...(revokedVariables.length > 0
        ? [
            `Its agents no longer get ${revokedVariables.join(', ')}. To pass them on again, name them in the project’s settings, or with \`shiplog projects environment --project ${dir} --pass NAME\`.`,
          ]
        : []),
      ...(reconnected > 0
        ? [`${counted(reconnected, 'worktree was', 'worktrees were')} reconnected with it.`]
        : []),
      ...unknown,
    ]
    onNotice({ tone: unknown.length > 0 ? 'warning' : 'info', text, details })
  }

  return { find, move, replace }
}

interface Worktrees {
  reconnected: number
  /** One sentence each. */
  unknown: string[]
}
