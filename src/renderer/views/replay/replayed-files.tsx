import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type {
  DiffBase,
  MissingFiles,
  TurnDiff,
  TurnFolder,
} from '../../../shared/contract/transcripts/turn-files.ts'
import type { ReplayState } from '../../../shared/projections/replay/replay-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { EmptyState, NoticeLine, Select, Skeleton } from '../../components/primitives/index.ts'
import { NotRecorded } from '../../components/replay/not-recorded.tsx'
import { ReplayedChanges } from '../../components/replay/replayed-changes.tsx'
import { ReplayedFile } from '../../components/replay/replayed-file.tsx'
import { ReplayedFolder } from '../../components/replay/replayed-folder.tsx'
import { useStores } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { splitPatch } from '../inspector/split-patch.ts'
import { useAnswer } from './use-answers.ts'

type Shown = DiffBase | 'all'

const choices: { value: Shown; label: string }[] = [
  { value: 'turn-before', label: 'Last recorded changes' },
  { value: 'start', label: 'Changed since the start' },
  { value: 'now', label: 'Changed until now' },
  { value: 'all', label: 'All files' },
]

/** The files at the replayed moment: changes, the tree, and one file. */
export function ReplayedFiles({ taskId, state }: { taskId: TaskId; state: ReplayState }) {
  const [shown, setShown] = useState<Shown>('turn-before')
  const [path, setPath] = useState<string | null>(null)
  const box = useRef<HTMLDivElement>(null)
  // All moments before the first state have the same answer.
  const key = String(state.filesSeq ?? 'none')
  const seq = Math.max(1, state.filesSeq ?? state.seq)
  const moment = { taskId, seq }
  const openFile = (file: string | null) => {
    // The focused element is about to be removed.
    box.current?.focus()
    setPath(file)
  }
  return (
    <div ref={box} tabIndex={-1} className="flex min-w-0 flex-col outline-none">
      {state.filesFailed === null ? null : (
        <NoticeLine
          tone="warning"
          className="border-b px-4"
          text={
            state.filesSeq === null
              ? `The files could not be recorded: ${state.filesFailed}`
              : `These files are older: at this moment they could not be recorded (${state.filesFailed}).`
          }
        />
      )}
      {path !== null ? (
        <OneFile
          key={path}
          stateKey={key}
          moment={moment}
          path={path}
          onBack={() => openFile(null)}
        />
      ) : (
        <>
          <div className="px-2 py-1">
            <Select
              quiet
              label="Files to show"
              value={shown}
              onChange={setShown}
              options={choices}
              className="w-56"
            />
          </div>
          {shown === 'all' ? (
            <AllFiles stateKey={key} moment={moment} onFile={openFile} />
          ) : (
            <Changes stateKey={key} moment={moment} against={shown} onFile={openFile} />
          )}
        </>
      )}
    </div>
  )
}

interface MomentProps {
  /** The entry that states the files. */
  stateKey: string
  moment: { taskId: TaskId; seq: number }
}

function OneFile(props: MomentProps & { path: string; onBack(): void }) {
  const { stateKey, moment, path, onBack } = props
  const { client } = useStores()
  const answer = useAnswer(`${stateKey} ${path}`, (signal) =>
    client.turnFiles.file({ ...moment, path }, { signal }),
  )
  if (answer.problem)
    return (
      <ReplayedFile
        path={path}
        file={
          answer.problem.code === 'NOT_FOUND'
            ? {
                kind: 'missing',
                reason: 'before',
                message: 'This file did not exist at this moment.',
              }
            : { kind: 'missing', reason: 'lost', message: answer.problem.message }
        }
        onBack={onBack}
      />
    )
  return (
    <div aria-busy={!answer.isCurrent} className={answer.isCurrent ? '' : 'opacity-60'}>
      <ReplayedFile path={path} file={answer.value} onBack={onBack} />
    </div>
  )
}

function Changes(props: MomentProps & { against: DiffBase; onFile(path: string): void }) {
  const { stateKey, moment, against, onFile } = props
  const { client } = useStores()
  const answer = useAnswer<TurnDiff | MissingFiles>(`${stateKey} ${against}`, (signal) =>
    client.turnFiles.diff({ ...moment, against }, { signal }),
  )
  const { value, isCurrent, problem, retry } = answer
  const patch = value?.kind === 'diff' ? value.patch : ''
  const patches = useMemo(() => splitPatch(patch), [patch])
  if (problem)
    return (
      <ProblemNotice
        problem={problem}
        action={{ label: 'Try again', onClick: retry }}
        className="m-4"
      />
    )
  if (value === null) return <Skeleton lines={4} className="p-4" />
  if (value.kind === 'missing') return <EmptyState sentence={value.message} />
  return (
    <div aria-busy={!isCurrent} className={isCurrent ? '' : 'opacity-60'}>
      <ReplayedChanges diff={value} patches={patches} onFile={onFile} />
      <NotRecorded key={stateKey} paths={value.stated.notStored} />
    </div>
  )
}

function AllFiles(props: MomentProps & { onFile(path: string): void }) {
  const { stateKey, moment, onFile } = props
  const { client } = useStores()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const paths = ['', ...open]
  const folderAt = useFolders(stateKey, paths, (path, signal) =>
    client.turnFiles.folder({ ...moment, path }, { signal }),
  )
  const root = folderAt('')
  return (
    <>
      <ReplayedFolder
        path=""
        folderAt={folderAt}
        isOpen={(path) => open.has(path)}
        onToggle={(path) => setOpen((before) => toggledIn(before, path))}
        onFile={onFile}
      />
      {root?.kind === 'folder' ? (
        <NotRecorded key={stateKey} paths={root.stated.notStored} />
      ) : null}
    </>
  )
}

function toggledIn(set: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(path)) next.add(path)
  return next
}

/** Loads the open folders of a state. Returns a lookup by path, which gives null until a folder is loaded. */
function useFolders(
  stateKey: string,
  paths: readonly string[],
  load: (path: string, signal: AbortSignal) => Promise<TurnFolder | MissingFiles>,
): (path: string) => TurnFolder | MissingFiles | null {
  const list = paths.join('\n')
  const latestLoad = useRef(load)
  latestLoad.current = load
  const [read, setRead] = useState<{
    key: string
    folders: Map<string, TurnFolder | MissingFiles>
  }>({
    key: stateKey,
    folders: new Map(),
  })
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    for (const path of list.split('\n'))
      latestLoad.current(path, signal).then(
        (folder) => add(path, folder),
        (error) => add(path, { kind: 'missing', reason: 'lost', message: String(error?.message) }),
      )
    function add(path: string, folder: TurnFolder | MissingFiles) {
      if (signal.aborted) return
      setRead((before) => ({
        key: stateKey,
        folders: new Map(before.key === stateKey ? before.folders : []).set(path, folder),
      }))
    }
    return () => controller.abort()
  }, [stateKey, list])
  return useCallback((path) => read.folders.get(path) ?? null, [read])
}
