import { ChevronLeft } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { TrashEntry } from '../../../shared/contract/retention.ts'
import { IconButton, Skeleton } from '../../components/primitives/index.ts'
import { TrashList } from '../../components/retention/trash-list.tsx'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useAppInfo, useLedger, useStores } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'
import { deletionText } from './deletion-text.ts'
import { ShowSelect } from './show-select.tsx'

interface Trash {
  entries: TrashEntry[]
  bytes: number
  bytesMax: number | null
  dir: string
}

/** The deleted items, which can be restored until they are removed. */
export function TrashView() {
  const { client, navigation, overlay } = useStores()
  const { restoreTrashed, deleteTrashed, openTrash } = useActions()
  // A browser may be on another machine than the folder.
  const opens = useAppInfo().info?.host === 'desktop'
  const seq = useLedger(({ ledger }) => ledger.seq)
  const [trash, setTrash] = useState<Trash | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [progress, setProgress] = useState<string | null>(null)
  const load = useCallback(
    () =>
      client.retention.trash().then(
        (found) => {
          setTrash(found)
          setProblem(null)
        },
        (error: unknown) => setProblem(problemOf(error, 'read the trash')),
      ),
    [client],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trash may have changed with the ledger
  useEffect(() => {
    if (progress === null) void load()
  }, [load, seq, progress])
  const doing = async (work: (onProgress: (text: string) => void) => Promise<void>) => {
    setProgress('Working…')
    await work(setProgress)
    await load()
    setProgress(null)
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-1 border-b px-2 py-2">
        <IconButton
          label="Back to the archive"
          icon={<ChevronLeft />}
          onClick={() => navigation.go({ screen: 'archive', taskId: null, tab: 'report' })}
        />
        <h1 className="flex-1 text-title font-semibold">Trash</h1>
        <ShowSelect />
      </div>
      {problem ? (
        <ProblemNotice
          problem={problem}
          action={{ label: 'Try again', onClick: () => void load() }}
          className="m-2"
        />
      ) : null}
      {trash ? (
        <TrashList
          {...trash}
          progress={progress}
          onOpen={opens ? (name) => void openTrash(name) : null}
          onRestore={(names) => void doing((onProgress) => restoreTrashed(names, onProgress))}
          onDelete={(entries) =>
            overlay.show({
              kind: 'confirm',
              confirmation: {
                ...deletionText(entries),
                async run() {
                  // The list shows the progress.
                  const names = entries.map(({ name }) => name)
                  void doing((onProgress) => deleteTrashed(names, onProgress))
                },
              },
            })
          }
        />
      ) : problem ? null : (
        <Skeleton lines={8} className="p-3" />
      )}
    </div>
  )
}
