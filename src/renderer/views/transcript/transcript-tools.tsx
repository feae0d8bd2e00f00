import {
  FileDown,
  Flag,
  History,
  Link,
  ListFilter,
  Search,
  SquareArrowOutUpRight,
  TableOfContents,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { classNames, IconButton } from '../../components/primitives/index.ts'
import { useAppInfo, useStores } from '../../store/hooks.ts'
import { linkTo, type Route } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
import { type ReadingPosition, seqOf } from './reading.ts'
import type { TranscriptPanes } from './use-panes.ts'

/** The actions on a transcript, the same wherever it is shown: in a dialog, full screen, live, or in the archive. */
export function TranscriptTools(props: {
  task: Task
  /** The address that a link to it has. */
  route: Route
  /** Where the transcript registers its keys. */
  scope: 'window' | 'dialog'
  panes: TranscriptPanes
  reading: StoreApi<ReadingPosition>
  /** Null: the transcript is replayed elsewhere. */
  replaying: boolean | null
  replayKey?: string
  onReplay(): void
  /** False if something else is shown in its place, which can't be searched. */
  isShown?: boolean
  /** In a task's header, whose menu has the last actions too, so their buttons are hidden if there is no room. */
  inTaskHeader?: boolean
  children?: ReactNode
}) {
  const { task, route, scope, panes, reading, replaying, replayKey, onReplay } = props
  const { isShown = true, inTaskHeader = false, children } = props
  const { overlay, keys } = useStores()
  const { copy, openTranscript } = useActions()
  const { info } = useAppInfo()
  /** Runs the command that the transcript registered for a key, after closing a sheet that would cover the result. */
  const press = (key: string, mod: boolean) => {
    for (const pane of [panes.outline, panes.report]) if (pane?.isSheet && pane.shown) pane.close()
    keys.press({ key, mod, alt: false }, scope, performance.now())?.run?.()
  }
  const unreadable = !task.hasTranscript || task.transcriptExpired !== null
  return (
    <>
      {isShown ? (
        <>
          <IconButton
            label="Find"
            shortcut="Mod+F"
            icon={<Search />}
            disabled={unreadable}
            onClick={() => press('f', true)}
          />
          <IconButton
            label="Filter"
            shortcut="f"
            icon={<ListFilter />}
            disabled={unreadable}
            onClick={() => press('f', false)}
          />
          <IconButton
            label="Outline"
            shortcut="o"
            icon={<TableOfContents />}
            pressed={panes.outline.shown}
            disabled={unreadable}
            onClick={panes.outline.toggle}
          />
        </>
      ) : null}
      <IconButton
        label="Replay"
        shortcut={replayKey}
        icon={<History />}
        pressed={replaying ?? undefined}
        disabled={unreadable}
        onClick={onReplay}
      />
      {isShown && panes.report ? (
        <IconButton
          label="Report"
          icon={<Flag />}
          pressed={panes.report.shown}
          onClick={panes.report.toggle}
        />
      ) : null}
      <span
        className={classNames('items-center', inTaskHeader ? 'hidden @tools/header:flex' : 'flex')}
      >
        <IconButton
          label="Export…"
          icon={<FileDown />}
          onClick={() => overlay.show({ kind: 'export', taskId: task.id })}
        />
        <IconButton
          label="Copy link"
          icon={<Link />}
          onClick={() => void copy(linkTo(route), 'the link')}
        />
        <IconButton
          label={info?.host === 'desktop' ? 'Open in a new window' : 'Open in a new tab'}
          icon={<SquareArrowOutUpRight />}
          disabled={unreadable}
          onClick={() => void openTranscript(task.id, seqOf(reading))}
        />
      </span>
      {children}
    </>
  )
}
