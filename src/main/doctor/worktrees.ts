/**
 * Compares worktrees with the ledger and with Git, both ways, and reports hidden refs without a
 * task.
 */
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { type RawPath, rawJoin } from '../journal/index.ts'
import { goneFolderAdvice, isGone } from '../workspaces/moved-projects/gone-folder.ts'
import type { Case, Findings } from './finding.ts'
import { guarded, isFolder, look, namesIn } from './on-disk.ts'

/** Checks that each worktree in use exists and is registered in its repository. */
export async function* examineWorktrees(subject: Case): Findings {
  const registered = new Map<string, Promise<Set<string> | null>>()
  const known = (projectDir: string) => {
    const asked = registered.get(projectDir) ?? subject.git.registeredWorktrees(projectDir)
    registered.set(projectDir, asked)
    return asked
  }
  for (const { task, path } of claims(subject)) {
    // The next start completes a removal or restore.
    if (task.workspace?.removal || task.workspace?.restoring) continue
    yield* guarded({ path, rootId: task.rootId }, () => examineWorktree(subject, task, path, known))
  }
}

/**
 * Reports an apply or an undo that began before this start and that this start could not complete.
 */
export async function* examineUpdates({ ledger, layout, git, startedAtMs }: Case): Findings {
  for (const { title, rootId, fileUpdates = [] } of ledger.state.tasks.values())
    for (const { reason, root, commit, startedAt, doneAt } of fileUpdates) {
      if (doneAt !== null || Date.parse(startedAt) >= startedAtMs) continue
      const what = reason === 'apply' ? 'applying' : 'undoing the apply of'
      const show = `${await git.commandForUpdate(root, commit)} show ${commit}`
      const detail = `${what} "${title}" to ${root} was interrupted and can't be completed; the replaced content is kept (${show}), and each start tries again`
      yield { kind: 'update-unsettled', path: layout.ledger, detail, rootId }
    }
}

function claims({ ledger, workspaces }: Case): { task: Task; path: string }[] {
  return [...ledger.state.tasks.values()].flatMap((task) => {
    const { workspace } = task
    if (workspace?.isolation !== 'worktree' || workspace.removal === 'removed') return []
    return [{ task, path: workspaces.workingDirs.worktreeRoot(workspace) }]
  })
}

async function* examineWorktree(
  subject: Case,
  { title, rootId, projectDir }: Task,
  path: string,
  known: (projectDir: string) => Promise<Set<string> | null>,
): Findings {
  subject.looked()
  if (!(await isFolder(path))) {
    const detail = `the folder that "${title}" works in is gone; \`workspaces remove\` keeps its record and its last recorded state`
    yield { kind: 'worktree-missing', path, detail, rootId }
    return
  }
  if (await subject.git.isPartialWorktree(path)) {
    const detail = `the folder that "${title}" works in is empty, or incomplete because its restore was interrupted; its next run restores it`
    yield { kind: 'worktree-missing', path, detail, rootId }
    return
  }
  const state = await subject.git.inspectWorktree({ repoDir: projectDir, root: path })
  if (state.kind === 'broken' && state.repairable) {
    const repair = () => subject.git.repairWorktree(path)
    yield { kind: 'worktree-broken', path, detail: state.why, rootId, repair }
    return
  }
  if (state.kind === 'whole' && subject.git.hasHiddenFolder(path)) {
    const detail =
      'its restore was interrupted at its end: the repository still has Git’s former folder of it beside the new one'
    const repair = () => subject.git.discardHiddenFolder(path)
    yield { kind: 'worktree-broken', path, detail, rootId, repair }
    return
  }
  if (state.kind === 'of-another-repository') {
    const detail = `its .git file leads to another repository than that of ${projectDir}`
    yield { kind: 'worktree-unregistered', path, detail, rootId }
    return
  }
  const registered = await known(projectDir)
  if (registered?.has(await realpath(path))) return
  if (registered && (await subject.git.isMovedWorktree(projectDir, path))) {
    yield {
      kind: 'worktree-moved',
      path,
      detail: `${projectDir} has it registered in another place`,
      rootId,
      async repair() {
        await subject.git.registerMovedWorktree(projectDir, path)
      },
    }
    return
  }
  const detail = registered
    ? `Git does not know it as a worktree of ${projectDir}`
    : `there is no repository in ${projectDir} any more; if the project was moved, add it at its new place: \`shiplog projects add DIR\``
  yield { kind: 'worktree-unregistered', path, detail, rootId }
}

/** Examines folders two levels below worktrees/ that no workspace in the ledger uses. */
export async function* examineStrayWorktrees(subject: Case): Findings {
  const { layout } = subject
  const claimed = new Set(claims(subject).map(({ path }) => path))
  for (const project of await namesIn(layout.worktrees)) {
    for (const name of await namesIn(join(layout.worktrees, project))) {
      const path = join(layout.worktrees, project, name)
      if (claimed.has(path)) continue
      yield* guarded({ path }, () => examineStray(subject, path))
    }
  }
}

async function* examineStray(subject: Case, path: string): Findings {
  const stats = await look(path)
  if (!stats || stats.ctimeMs >= subject.startedAtMs) return
  subject.looked()
  if (subject.ledgerIsWhole && (await isUntouched(subject, path))) {
    yield {
      kind: 'stray-worktree',
      path,
      detail: 'no workspace works here, and all in it is committed; it belongs into the trash',
      async repair() {
        await subject.git.forgetPartialWorktree(path)
        await subject.toTrash(path)
      },
    }
    return
  }
  const detail = 'no workspace works here, but it may hold work that was not committed; it is kept'
  yield { kind: 'stray-changes', path, detail }
}

/** Reports whether the folder has no file but those that the branch of its worktree has, ignored and hidden ones included. */
async function isUntouched({ git }: Case, path: string): Promise<boolean> {
  try {
    const files = await filesBelow(path)
    if (files.every((name) => name === '.git')) return true
    const commit = await git.head(path)
    // Commits on no branch would be pruned.
    if (commit === null || (await git.currentBranch(path)) === null) return false
    const found = await git.filesInCommit({ repoDir: path, dir: path, commit })
    const saved = new Set(found?.saved.map((name) => name.toString('latin1')))
    return files.every((name) => name === '.git' || saved.has(name))
  } catch {
    return false
  }
}

/** Returns the relative paths of everything but folders, in Latin-1. Throws the system's error for what can't be read. */
async function filesBelow(folder: RawPath, below = ''): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { encoding: 'buffer', withFileTypes: true })) {
    const path = below + entry.name.toString('latin1')
    if (entry.isDirectory())
      files.push(...(await filesBelow(rawJoin(folder, entry.name), `${path}/`)))
    else files.push(path)
  }
  return files
}

/** Only a note: no record is lost, and the folder's drive may be unplugged. */
export async function noteGoneFolders(subject: Case): Promise<void> {
  for (const project of subject.ledger.state.projects.values()) {
    if (!(await isGone(project.dir))) continue
    const detail = goneFolderAdvice(project, project.dir)
    subject.note({ kind: 'project-gone', path: project.dir, detail })
  }
}

/** Only reported, because another data directory may use the same repository. */
export async function noteStrayRefs(subject: Case): Promise<void> {
  const { state } = subject.ledger
  const dirs = new Set([...state.projects.values()].flatMap(({ dir, git }) => (git ? [dir] : [])))
  for (const dir of dirs) {
    const ids = await subject.git.keptTaskIds(dir).catch(() => [])
    const strays = ids.filter((id) => !state.tasks.has(id))
    if (strays.length === 0) continue
    const one = strays.length === 1
    subject.note({
      kind: 'stray-ref',
      path: `refs/shiplog/${one ? strays[0] : ''}`,
      detail: one
        ? `keeps a commit in ${dir} for a task that is not in this data directory`
        : `keeps ${strays.length} commits in ${dir} for tasks that are not in this data directory`,
    })
  }
}
