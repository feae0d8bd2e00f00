/** Checks that everything that the ledger lists as kept for each task exists. */
import { join } from 'node:path'
import { ancestorsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { archivedTranscriptDir, patchDir } from '../artifacts/index.ts'
import { patchFile, patchFileSchema } from '../artifacts/patches.ts'
import { reportFileSchema, reportsDir } from '../artifacts/reports.ts'
import { transcriptFile } from '../artifacts/transcripts.ts'
import { makeDirDurable, moveDurable, readJsonFile, sha256OfDataFile } from '../journal/index.ts'
import { chatFile } from '../sessions/session-files.ts'
import type { Case, Findings } from './finding.ts'
import { guarded, isFile, isFolder } from './on-disk.ts'
import { examineScenarios, type ScenariosByRoot, scenariosByRoot } from './scenarios.ts'

export async function* examineRecords(subject: Case): Findings {
  const { state } = subject.ledger
  const scenarios = scenariosByRoot(state)
  for (const task of state.tasks.values()) {
    const { rootId } = task
    const path = subject.layout.sessionDir(task.id)
    if (task.trashed) continue
    yield* guarded({ path, rootId }, () => examineTask(subject, task, scenarios))
  }
}

/**
 * Reports whether the transcript was started: the ledger has runs even if the first write failed.
 */
const hasBegun = ({ runs, transcriptCounts }: Task): boolean =>
  runs.length > 0 && transcriptCounts?.bytes !== 0

async function* examineTask(subject: Case, task: Task, scenarios: ScenariosByRoot): Findings {
  const { layout, ledger } = subject
  const { rootId } = task
  const root = ledger.state.tasks.get(rootId)
  subject.looked()
  if (
    root?.archived &&
    !root.workspace?.restoring &&
    !(await isFolder(layout.archiveDir(rootId)))
  ) {
    // Everything below it is missing too, so it is reported once.
    if (task.id === rootId) yield* examineLostArchive(subject, task)
    return
  }
  if (task.id === rootId)
    yield* examineScenarios(subject, homeOf(subject, task), scenarios.get(rootId)?.values() ?? [])
  const keepers = await keepersOf(subject, task)
  if (task.archived && task.parentId !== null) {
    const places = keepers.map((dir) => join(archivedTranscriptDir(dir, task.id), transcriptFile))
    if (!(await anyFile(places)))
      yield* lost(task, 'transcript-missing', places[0], 'its transcript')
    else if (hasBegun(task) && !task.transcriptExpired) {
      const chats = keepers.map((dir) => join(archivedTranscriptDir(dir, task.id), chatFile))
      if (!(await anyFile(chats)))
        yield* lost(task, 'transcript-missing', chats[0], 'its transcript')
    }
  } else if (hasBegun(task) && !task.transcriptExpired) {
    // An expired transcript was removed on purpose, and the ledger records that.
    const path = join(homeOf(subject, task), chatFile)
    if (!(await isFile(path))) yield* lost(task, 'transcript-missing', path, 'its transcript')
  }
  const { workspace } = task
  if (task.archived && workspace?.isolation === 'worktree' && workspace.baseCommit) {
    yield* examinePatch(task, keepers)
  }
  for (const run of subject.reported.get(task.id) ?? []) yield* examineReport(task, run, keepers)
}

async function* examinePatch(task: Task, keepers: string[]): Findings {
  for (const dir of keepers.map((keeper) => patchDir(keeper, task.id))) {
    const json = join(dir, patchFile)
    if (!(await isFile(json))) continue
    // An unreadable one is reported with the indexes.
    const read = await readJsonFile(json, patchFileSchema)
    for (const { name, sha256 } of (read.kind === 'ok' && read.value.entry.files) || []) {
      const path = join(dir, name)
      if (!(await isFile(path))) yield* lost(task, 'patch-missing', path, `${name} of its patch`)
      else if ((await sha256OfDataFile(path)) !== sha256) {
        const detail = `changed after the patch of "${task.title}" was saved`
        yield { kind: 'patch-damaged', path, detail, rootId: task.rootId }
      }
    }
    return
  }
  const [first] = keepers
  yield* lost(
    task,
    'patch-missing',
    first && join(patchDir(first, task.id), patchFile),
    'its patch',
  )
}

async function* examineReport(task: Task, run: number, keepers: string[]): Findings {
  const folders = keepers.map((dir) => join(dir, reportsDir, task.id, String(run)))
  const { rootId } = task
  for (const folder of folders) {
    if (!(await isFolder(folder))) continue
    const json = join(folder, 'report.json')
    const markdown = join(folder, 'report.md')
    const read = (await isFile(json)) ? await readJsonFile(json, reportFileSchema) : null
    if (read?.kind === 'damaged') {
      yield {
        kind: 'report-damaged',
        path: json,
        detail: `of run ${run} of "${task.title}"`,
        rootId,
      }
    }
    if (!read) yield* lost(task, 'report-missing', json, `its report of run ${run}`)
    if (!(await isFile(markdown))) {
      yield* lost(task, 'report-missing', markdown, `the text of its report of run ${run}`)
    } else if (
      read?.kind === 'ok' &&
      (await sha256OfDataFile(markdown)) !== read.value.markdownSha256
    ) {
      const detail = `the text of run ${run} of "${task.title}" was changed after the agent gave it`
      yield { kind: 'report-damaged', path: markdown, detail, rootId }
    }
    return
  }
  yield* lost(task, 'report-missing', folders[0], `its report of run ${run}`)
}

async function* lost(
  task: Task,
  kind: 'transcript-missing' | 'patch-missing' | 'report-missing',
  path: string | undefined,
  what: string,
): Findings {
  if (path === undefined) return
  const detail = `the ledger records that ${what} is kept: "${task.title}"`
  yield { kind, path, detail, rootId: task.rootId }
}

/**
 * Reports an archived root without its directory: as in the trash, if it was moved there by hand while
 * Shiplog runs, else as missing.
 */
async function* examineLostArchive({ layout }: Case, root: Task): Findings {
  const path = layout.archiveDir(root.id)
  const trashed = join(layout.trash, `archive-${root.id}`)
  const { id: rootId, title } = root
  if (!(await isFolder(trashed))) {
    const detail = `the ledger records that "${title}" is archived, with everything below it`
    yield { kind: 'archive-missing', path, detail, rootId }
    return
  }
  yield {
    kind: 'archive-in-trash',
    path: trashed,
    detail: `"${title}" is in the trash, but the ledger records it as archived`,
    rootId,
    repair: async () => {
      await makeDirDurable(layout.archive)
      await moveDurable(trashed, path)
    },
  }
}

/**
 * Returns the directories that may hold its artifacts: its ancestors', parent first, or a root's
 * own.
 */
async function keepersOf(subject: Case, task: Task): Promise<string[]> {
  const { state } = subject.ledger
  const ids: TaskId[] = task.parentId === null ? [task.id] : ancestorsOf(state, task.id)
  const tasks = ids.flatMap((id) => state.tasks.get(id) ?? [])
  const homes = tasks.map((one) => homeOf(subject, one))
  const there = await Promise.all(homes.map(isFolder))
  const found = homes.filter((_, index) => there[index])
  // None of them exists: the first is where it should be.
  return found.length > 0 ? found : homes.slice(0, 1)
}

function homeOf({ layout }: Case, task: Task): string {
  const inArchive = task.parentId === null && task.archived && !task.workspace?.restoring
  return inArchive ? layout.archiveDir(task.id) : layout.sessionDir(task.id)
}

async function anyFile(paths: string[]): Promise<boolean> {
  return (await Promise.all(paths.map(isFile))).includes(true)
}
