/** Completes the transcripts of an export and moves them to their places in the session's folder. */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import { transcriptsDir } from '../../artifacts/index.ts'
import { exists, type StagedFiles } from '../../journal/index.ts'
import { partialFile, transcriptParts } from '../../sessions/session-files.ts'
import type { ReadTask } from '../adapters/adapter.ts'
import { createRewrittenIds, sameIds } from '../rewritten-ids.ts'
import type { ExportedTranscript } from './exported-transcript.ts'
import type { StagedTask } from './staged-session.ts'

/** Folder of the transcripts while they are read, because the ids of their tasks may still change. */
export const exportsFolder = 'exports'

/** Version 0 keeps the export's ids; later versions get derived ids (I3). */
export async function finishExport(
  read: ReadTask[],
  {
    folder,
    dir,
    exported,
    version,
    sha256,
  }: {
    folder: StagedFiles
    /** The path of `folder`. */
    dir: string
    exported: Map<TaskId, { dir: string; transcript: ExportedTranscript }>
    version: number
    sha256: string
  },
): Promise<StagedTask[]> {
  const ids =
    version === 0
      ? sameIds
      : createRewrittenIds(
          read.map(({ id }) => id),
          `${sha256}${version === 1 ? '' : version - 1}`,
        )
  const tasks: StagedTask[] = []
  for (const task of read) {
    const { dir: name, transcript } = exported.get(task.id) ?? {}
    const counts = await transcript?.finish(ids)
    const renamed = JSON.parse(ids.inText(JSON.stringify(task))) as ReadTask
    const hasFolder = name !== undefined && task.exported?.hasTranscript === true
    let hasPartial = false
    if (hasFolder) {
      const place = task.parentId === null ? '' : join(transcriptsDir, renamed.id)
      folder.addFolder(place)
      await moveParts(join(dir, name), join(dir, place))
      hasPartial = await exists(join(dir, place, partialFile))
    }
    tasks.push({
      ...renamed,
      hasFolder,
      hasPartial,
      transcriptCounts: counts ?? null,
      ...(transcript && { last: transcript.last }),
    })
  }
  await rm(join(dir, exportsFolder), { recursive: true, force: true })
  return tasks
}

async function moveParts(from: string, to: string): Promise<void> {
  for (const part of transcriptParts)
    if (await exists(join(from, part))) await rename(join(from, part), join(to, part))
}
