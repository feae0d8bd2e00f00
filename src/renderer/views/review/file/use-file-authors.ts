import { useEffect, useMemo, useState } from 'react'
import type { FileAuthors } from '../../../../shared/contract/changes/review.ts'
import type { ReviewComment } from '../../../../shared/records/review-comments.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import type { ChangedFile } from '../../../components/review/file-tree.ts'
import { useConnectionLost, useStores } from '../../../store/hooks.ts'
import type { LineFate } from '../comments/place-comments.ts'

interface AuthorsOfFile {
  /** Null until they are loaded. */
  authors: FileAuthors | null
  /** By the id of the comment. */
  fates: ReadonlyMap<string, LineFate>
}

/** Who wrote the changes of a file, and where its commented lines are now. */
export function useFileAuthors(
  task: Task,
  { path, oldPath, contentId }: ChangedFile,
  comments: readonly ReviewComment[],
): AuthorsOfFile {
  const { client } = useStores()
  const lost = useConnectionLost()
  const [found, setFound] = useState<AuthorsOfFile>({ authors: null, fates: new Map() })
  // Lines of the old file do not move.
  const anchors = useMemo(
    () =>
      comments.flatMap(({ id, side, line, contentId: seen }) =>
        side === 'additions' && line > 0 ? [{ id, contentId: seen, line }] : [],
      ),
    [comments],
  )
  const anchorIds = anchors.map(({ id }) => id).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the content, a run or the comments repeats the request
  useEffect(() => {
    if (lost) return
    const abort = new AbortController()
    const input = {
      workspaceId: task.id,
      path,
      oldPath,
      anchors: anchors.map(({ contentId: seen, line }) => ({ contentId: seen, line })),
    }
    client.review.authors(input, { signal: abort.signal }).then(
      (authors) => {
        const fates = authors.anchors.flatMap((fate, at) => {
          const id = anchors[at]?.id
          return fate && id !== undefined ? [[id, fate] as const] : []
        })
        setFound({ authors, fates: new Map(fates) })
      },
      // Authors are optional; the diff reports why it can't be read.
      () => {},
    )
    return () => abort.abort()
  }, [client, task.id, task.status, task.runs.length, path, oldPath, contentId, anchorIds, lost])
  return found
}
