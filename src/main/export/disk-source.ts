/** Reads an export's source from a data directory. */
import { isUtf8 } from 'node:buffer'
import { dirname, join } from 'node:path'
import { FailureError } from '../../shared/failure.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { shortId, type TaskId } from '../../shared/records/ids.ts'
import { dayOf } from '../../shared/text/format-time.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { patchDir } from '../artifacts/index.ts'
import { namesIn, readDataFile, readRawRecords } from '../journal/index.ts'
import { fileHistoryFolder } from '../sessions/session-files.ts'
import type { ExportSource } from './export-run.ts'

export function createDiskSource({
  state,
  archive,
}: {
  state: LedgerState
  archive: Pick<
    ArchiveReader,
    'transcriptFile' | 'transcriptPage' | 'blob' | 'findReport' | 'sessionHome'
  >
}): ExportSource {
  const task = (id: TaskId) => {
    const found = state.tasks.get(id)
    if (!found) throw new FailureError({ kind: 'not-found', what: 'task', id })
    return found
  }

  async function* filesIn(folder: string, as: string) {
    for (const name of (await namesIn(folder)).sort()) {
      // Shiplog writes neither folders nor links here.
      const data = await readDataFile(join(folder, name)).catch(() => null)
      if (data) yield { name: `${as}/${name}`, data }
    }
  }

  return {
    task,
    children: (id) => [...state.tasks.values()].filter(({ parentId }) => parentId === id),
    projectName({ projectId, projectDir }) {
      const project = state.projects.get(projectId) ?? state.removedProjects.get(projectId)
      return project?.name ?? projectDir.split(/[\\/]/).at(-1) ?? ''
    },
    async *records(id) {
      // `transcriptPage` reports an expired or trashed transcript and, unlike opening the session, repairs nothing.
      const { expired, status } = await archive.transcriptPage(id, { last: 1, previews: true })
      if (status === 'expired' && expired)
        throw new FailureError({
          kind: 'not-found',
          what: 'transcript',
          id,
          why: `The transcript of "${task(id).title}" expired on ${dayOf(expired.at, Date.now())}; its reports are kept. \`shiplog tasks report ${shortId(id)}\` prints the newest one.`,
        })
      const file = await archive.transcriptFile(id)
      if (file) yield* readRawRecords(file)
    },
    partial: async (id) => (await archive.transcriptPage(id, { last: 1, previews: true })).partial,
    blob: (id, sha256) => archive.blob(id, sha256),
    async report(id, run) {
      const found = await archive.findReport(id, run)
      return found.kind === 'found' ? { ...found.report, taskResults: found.taskResults } : null
    },
    async fileContent(id, sha256) {
      const file = await archive.transcriptFile(id)
      if (!file) return null
      const data = await readDataFile(join(dirname(file), fileHistoryFolder, sha256)).catch(
        () => null,
      )
      return data && isUtf8(data) ? Buffer.from(data).toString('utf8') : null
    },
    async *files(id) {
      const file = await archive.transcriptFile(id)
      if (file) yield* filesIn(join(dirname(file), fileHistoryFolder), 'file-history')
      const keeper = await archive.sessionHome(task(id).parentId ?? id)
      if (keeper) yield* filesIn(patchDir(keeper, id), 'patch')
    },
  }
}
