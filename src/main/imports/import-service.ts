/**
 * Imports exports of Shiplog: a tree of tasks as an archived root, all of it or nothing. The whole file is checked and
 * staged first; then the folder is moved into the archive, and one ledger event makes it known.
 */
import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import type { ImportedSession } from '../../shared/contract/imports.ts'
import { invalid, refused } from '../../shared/failure.ts'
import type { KeyedMutex } from '../../shared/keyed-mutex.ts'
import { descendantsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type {
  ExportedTask,
  ImportedTask,
  ImportSource,
} from '../../shared/records/exported-tasks.ts'
import { exportedTaskSchema } from '../../shared/records/exported-tasks.ts'
import { type ProjectId, shortId, type TaskId } from '../../shared/records/ids.ts'
import { isSettled } from '../../shared/records/tasks.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { archiveTranscript, saveReport } from '../artifacts/index.ts'
import type { ExportHeader, ExportLine } from '../export/formats/shiplog-file.ts'
import { readExport } from '../export/read-export.ts'
import {
  exists,
  explain,
  makeDirDurable,
  moveDurable,
  readJournalSum,
  removeDurable,
  sha256OfDataFile,
  systemCode,
} from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type DataLayout, transcriptParts } from '../sessions/session-files.ts'
import { createRewrittenIds, derivedId, type RewrittenIds, sameIds } from './rewritten-ids.ts'
import { createStagedTask, type StagedTask } from './staged-task.ts'
import { clearStaging, stagingPrefix } from './staging.ts'

export interface ImportService {
  /**
   * Imports the export at `path`, an absolute one. Importing a file again changes nothing. Throws FailureError
   * `invalid` if it is no whole and unchanged export; then nothing of it is kept.
   */
  importFile(path: string): Promise<ImportedSession[]>
}

/** A tree has dozens; a file with more is not made by Shiplog. */
const tasksMax = 10_000

interface ReadTask {
  task: ExportedTask
  hasTranscript: boolean
  reports: Extract<ExportLine, { shiplog: 'report' }>[]
  staged: StagedTask
  dir: string
}

export function createImportService(deps: {
  ledger: Ledger
  layout: DataLayout
  archive: Pick<ArchiveReader, 'transcriptFile'>
  /** Shared with the import of other tools' sessions: both stage in the same place. */
  oneAtATime: KeyedMutex
}): ImportService {
  const { ledger, layout } = deps
  const { state } = ledger

  async function importFile(path: string): Promise<ImportedSession[]> {
    const file = await identityOf(path)
    const known = [...state.tasks.values()].find(
      ({ importedFrom, purged }) => importedFrom?.sha256 === file.sha256 && !purged,
    )
    if (known) return sessionsHere(known.id)
    await clearStaging(layout)
    const staging = join(layout.archive, `${stagingPrefix}${file.sha256.slice(0, 16)}`)
    try {
      await makeDirDurable(staging)
      const { header, tasks } = await readInto(path, staging)
      const [root] = tasks
      if (!root) return invalid('path', `${file.name} holds no task.`)
      if (await isHere(root)) return sessionsHere(root.task.id)
      return await publish({ header, tasks, file, staging })
    } finally {
      await removeDurable(staging)
    }
  }

  /** Reads the whole file; the transcripts are in folders below `staging` then. */
  async function readInto(path: string, staging: string) {
    const tasks: ReadTask[] = []
    let header: ExportHeader | null = null
    try {
      for await (const read of readExport(path)) {
        if (read.kind === 'problem')
          invalid(
            'path',
            `${basename(path)} can't be imported: line ${read.line} ${read.reason}. Nothing of it was kept.`,
          )
        if (read.kind === 'header') header = read.header
        const last = tasks.at(-1)
        if (read.kind === 'record') await last?.staged.record(read.bytes, read.withheld)
        if (read.kind === 'part') await take(read.part, tasks, staging)
      }
    } finally {
      for (const { staged } of tasks) await staged.close()
    }
    return { header: header as ExportHeader | null, tasks }
  }

  async function take(part: ExportLine, tasks: ReadTask[], staging: string): Promise<void> {
    const last = tasks.at(-1)
    if (part.shiplog === 'task') {
      if (tasks.length >= tasksMax)
        invalid('path', `It holds more than ${tasksMax} tasks, which no export of Shiplog does.`)
      const dir = join(staging, `task-${tasks.length}`)
      await makeDirDurable(dir)
      const { task, transcript: hasTranscript } = part
      const staged = createStagedTask(dir)
      tasks.push({ task, hasTranscript, reports: [], staged, dir })
    } else if (part.shiplog === 'report') last?.reports.push(part)
    else if (part.shiplog === 'redacted') await last?.staged.copy(part)
    else if (part.shiplog === 'blob' || part.shiplog === 'file') await last?.staged.piece(part)
    else if (part.shiplog === 'partial') last?.staged.partial(part.message)
    else if (part.shiplog === 'task-end') await last?.staged.seal()
  }

  /** Whether the same transcript is here under the same id: the task was exported from here, or imported before. */
  async function isHere({ task, staged }: ReadTask): Promise<boolean> {
    const known = state.tasks.get(task.id)
    if (!known || known.purged) return false
    if (known.trashed)
      refused(
        'removed',
        `"${known.title}" is here, in the trash. \`shiplog workspaces restore ${shortId(known.rootId)}\` takes it back out.`,
      )
    const file = await deps.archive.transcriptFile(task.id)
    return file !== null && (await readJournalSum(file, staged.last.seq)) === staged.last.sum
  }

  /** As they are in the file, unless one of them is another task here. */
  function idsOf(tasks: ReadTask[], sha256: string): RewrittenIds {
    const ids = tasks.map(({ task }) => task.id)
    if (!ids.some((id) => state.tasks.has(id))) return sameIds
    for (let nth = 0; ; nth++) {
      const rewritten = createRewrittenIds(ids, `${sha256}${nth === 0 ? '' : nth}`)
      // One of an earlier import that was permanently deleted.
      if (!ids.some((id) => state.tasks.has(rewritten.of(id)))) return rewritten
    }
  }

  async function publish(read: {
    header: ExportHeader | null
    tasks: ReadTask[]
    file: { name: string; bytes: number; sha256: string }
    staging: string
  }): Promise<ImportedSession[]> {
    const { header, tasks, file, staging } = read
    const ids = idsOf(tasks, file.sha256)
    const home = join(staging, 'home')
    await makeDirDurable(home)
    const imported: ImportedTask[] = []
    for (const one of tasks) imported.push(await store(one, ids, imported, home))
    const [root] = imported
    if (!root) return []
    const target = layout.archiveDir(root.id)
    if (await exists(target))
      refused(
        'in-use',
        `${target} is there, and no task is known of it: an import was cut short, or it comes from elsewhere. Move it away, then import again.`,
      )
    await moveDurable(home, target)
    const source: ImportSource = {
      tool: 'shiplog',
      version: header?.app ?? '',
      file: file.name,
      bytes: file.bytes,
      sha256: file.sha256,
      originalId: tasks[0]?.task.id ?? root.id,
      redacted: header?.redacted === true || header?.range !== null,
    }
    await ledger.record({
      ...{ type: 'tasks.imported', projectId: projectOf(root), tasks: imported, source },
    })
    return tasks.map(({ staged: { counts } }, at): ImportedSession => {
      const { id: taskId, title } = imported[at] ?? root
      const { mapped, withheld } = counts
      return {
        source: 'shiplog',
        taskId,
        title,
        ...shiplogCounts(mapped, withheld),
        isNew: true,
      }
    })
  }

  async function store(
    { task, hasTranscript, reports, staged, dir }: ReadTask,
    ids: RewrittenIds,
    before: ImportedTask[],
    home: string,
  ): Promise<ImportedTask> {
    const known = exportedTaskSchema.parse(JSON.parse(ids.inText(JSON.stringify(task))))
    const ancestorIds = ancestorsIn(known.parentId, before)
    const transcriptCounts = await staged.finish(ids)
    if (known.parentId === null) {
      for (const part of transcriptParts)
        if (await exists(join(dir, part))) await moveDurable(join(dir, part), join(home, part))
    } else if (hasTranscript)
      await archiveTranscript(dir, home, {
        ...{ taskId: known.id, ancestorIds, title: known.title },
        nowMs: Date.parse(known.endedAt ?? known.createdAt),
        counted: transcriptCounts,
      })
    for (const { run, title, markdown, createdAt, taskResults } of reports)
      await saveReport(home, {
        ...{ taskId: known.id, run, title, markdown, ancestorIds, taskResults },
        nowMs: Date.parse(createdAt),
      })
    const resumedFrom =
      known.resumedFrom && state.tasks.has(known.resumedFrom.taskId) ? known.resumedFrom : null
    return {
      ...known,
      // Nothing of it can go on here, and where its model was reached is not for others to say.
      status:
        isSettled(known.status) && known.status !== 'interrupted' ? known.status : 'abandoned',
      cause: known.cause ?? (isSettled(known.status) ? null : { kind: 'abandoned' }),
      spec:
        known.spec.kind === 'model'
          ? { ...known.spec, baseUrl: undefined, keyEnv: undefined }
          : known.spec,
      runs: known.runs.map((run) =>
        run.status === 'running'
          ? { ...run, status: 'interrupted', endedAt: run.endedAt ?? known.createdAt }
          : run,
      ),
      resumedFrom,
      dependsOn: known.dependsOn.filter((id) => before.some((one) => one.id === id)),
      hasReport: reports.length > 0,
      hasTranscript: transcriptCounts !== undefined,
      ...(transcriptCounts && { transcriptCounts }),
    }
  }

  /** The project of that folder, if it is one here; else one of its own, which is in no list. */
  function projectOf({ project: { name, dir } }: ImportedTask): ProjectId {
    const known = [...state.projects.values()].find((one) => one.dir === dir)
    return known?.id ?? (derivedId('project', `${name}\0${dir}`) as string as ProjectId)
  }

  function sessionsHere(rootId: TaskId): ImportedSession[] {
    const tree = [rootId, ...descendantsOf(state, rootId).map(({ id }) => id)]
    return tree.flatMap((taskId): ImportedSession[] => {
      const task = state.tasks.get(taskId)
      const lines = task?.transcriptCounts?.entries ?? 0
      return task
        ? [
            {
              source: 'shiplog',
              taskId,
              title: task.title,
              ...shiplogCounts(lines, 0),
              isNew: false,
            },
          ]
        : []
    })
  }

  return { importFile: (path) => deps.oneAtATime('import', () => importFile(path)) }
}

/** All records of an export are of this format, and its sub-agents in their places. */
const shiplogCounts = (mapped: number, withheld: number) => ({
  ...{ lines: mapped + withheld, mapped, foreign: 0, damaged: 0, withheld },
  ...{ linked: 0, unlinked: 0, orphaned: 0, isUpdated: false },
})

/** Parent first. */
function ancestorsIn(parentId: TaskId | null, tasks: ImportedTask[]): TaskId[] {
  const ancestors: TaskId[] = []
  for (let id = parentId; id !== null; ) {
    ancestors.push(id)
    id = tasks.find((one) => one.id === id)?.parentId ?? null
  }
  return ancestors
}

async function identityOf(given: string) {
  if (!isAbsolute(given)) return invalid('path', 'The path of the file has to be absolute.')
  try {
    // A person may well name a link.
    const path = await realpath(given)
    const { size } = await stat(path)
    return { name: basename(path), bytes: size, sha256: await sha256OfDataFile(path) }
  } catch (error) {
    return invalid('path', `${given} can't be read: ${explain(systemCode(error))}.`)
  }
}
