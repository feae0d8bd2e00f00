import { useMemo } from 'react'
import type { FileAuthors } from '../../../../shared/contract/changes/review.ts'
import type { ReviewComment } from '../../../../shared/records/review-comments.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'
import type { ChangedFile } from '../../../components/review/file-tree.ts'
import { problemOf } from '../../../rpc/problem.ts'
import { useStores } from '../../../store/hooks.ts'
import { showProblem } from '../../app/toasts.ts'
import type { linesOfPatch } from '../file/patch-lines.ts'
import { useFileAuthors } from '../file/use-file-authors.ts'
import { lineTextOf, type PlacedComment, placeComment } from './place-comments.ts'

const none: readonly ReviewComment[] = []

interface FileComments {
  /** Null until they are loaded. */
  authors: FileAuthors | null
  placed: readonly PlacedComment[]
  /** Resolves with whether the comment was saved. */
  add(at: PatchLine, text: string): Promise<boolean>
}

/** The comments on one file, each at its line in the patch that is shown. */
export function useFileComments(
  task: Task,
  file: ChangedFile,
  { tree, lines }: { tree: string | null; lines: ReturnType<typeof linesOfPatch> },
): FileComments {
  const { client } = useStores()
  const all = task.reviewComments ?? none
  const comments = useMemo(() => all.filter(({ path }) => path === file.path), [all, file.path])
  const { authors, fates } = useFileAuthors(task, file, comments)
  const placed = useMemo(
    () =>
      comments.map((comment) => {
        const fate = fates.get(comment.id)
        return placeComment(comment, { lines, fate, authors: authors?.authors ?? [] })
      }),
    [comments, lines, fates, authors],
  )
  const add = async (at: PatchLine, text: string) => {
    const line = lines.find((one) => one.side === at.side && one.line === at.line)
    const { path, contentId } = file
    const anchor = { path, contentId, tree, lineText: lineTextOf(line?.text ?? '') }
    const { side, line: number } = at
    try {
      await client.review.comment({ taskId: task.id, ...anchor, side, line: number, text })
      return true
    } catch (error) {
      showProblem(problemOf(error, 'save the comment'))
      return false
    }
  }
  return { authors, placed, add }
}
