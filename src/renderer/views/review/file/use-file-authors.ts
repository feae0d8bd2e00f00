import { useEffect, useMemo, useState } from 'react'
import type { FileAuthors } from '../../../../shared/contract/changes/review.ts'
import type { ReviewComment } from '../../../../shared/records/review-comments.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import type { ChangedFile } from '../../../components/review/file-tree.ts'
import { useConnectionLost, useStores } from '../../../store/hooks.ts'
import type { LineFate } from '../comments/place-comments.ts'

interface AuthorsOfFile {
  /** Null while unknown. */
  authors: FileAuthors | null
  /** By comment. */
  fates: ReadonlyMap<string, LineFate>
}

/** Who wrote the changes of a file, and where the lines are now that were commented on. */
export function useFileAuthors(
  task: Task,
  { path, oldPath, contentId }: ChangedFile,
  comments: readonly ReviewComment[],
): AuthorsOfFile {
  const { client } = useStores()
  const lost = useConnectionLost()
  const [found, setFound] = useState<AuthorsOfFile>({ authors: null, fates: new Map() })
  // A line of the old file has no other place.
  const anchors = useMemo(
    () =>
      comments.flatMap(({ id, side, line, contentId: seen }) =>
        side === 'additions' && line > 0 ? [{ id, contentId: seen, line }] : [],
      ),
    [comments],
  )
  const asked = anchors.map(({ id }) => id).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content, run or comment is another answer
  useEffect(() => {
    if (lost) return
    const abort = new AbortController()
    const input = {
      ...{ workspaceId: task.id, path, oldPath },
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
      // Only hints are missing; the diff itself says why it can't be read.
      () => {},
    )
    return () => abort.abort()
  }, [client, task.id, task.status, task.runs.length, path, oldPath, contentId, asked, lost])
  return found
}
