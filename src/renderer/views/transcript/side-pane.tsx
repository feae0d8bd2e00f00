import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { classNames, IconButton } from '../../components/primitives/index.ts'
import { TaskReport } from '../task/task-report.tsx'

/** A pane beside a transcript, or over it if there is no room. */
export function SidePane(props: {
  label: string
  side: 'left' | 'right'
  isSheet: boolean
  onClose(): void
  children: ReactNode
}) {
  const { label, side, isSheet, onClose, children } = props
  return (
    <>
      {isSheet ? (
        <div aria-hidden data-scrim onClick={onClose} className="absolute inset-0 z-30 bg-scrim" />
      ) : null}
      <aside
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return
          event.stopPropagation()
          onClose()
        }}
        className={classNames(
          'flex min-h-0 flex-col bg-canvas',
          side === 'left' ? 'border-r' : 'border-l',
          !isSheet
            ? side === 'left'
              ? 'w-72 shrink-0'
              : 'w-[min(480px,42%)] shrink-0'
            : side === 'left'
              ? 'absolute inset-y-0 left-0 z-30 w-[min(340px,85%)] shadow-popup'
              : 'absolute inset-y-0 right-0 z-30 w-[min(480px,90%)] shadow-popup',
        )}
      >
        {children}
      </aside>
    </>
  )
}

/** The report beside its transcript. Its checks link to their calls. */
export function ReportPane(props: {
  task: Task
  isSheet: boolean
  onOpen(seq: number): void
  onClose(): void
}) {
  const { task, isSheet, onOpen, onClose } = props
  return (
    <SidePane label="Report" side="right" isSheet={isSheet} onClose={onClose}>
      <div className="flex h-10 shrink-0 items-center border-b pr-2 pl-4">
        <h2 className="flex-1 font-semibold">Report</h2>
        <IconButton label="Close the report" icon={<X />} autoFocus={isSheet} onClick={onClose} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        aria-label="Text of the report"
        className="focus-pane flex min-h-0 flex-1 flex-col overflow-y-auto"
      >
        <TaskReport task={task} onOpen={onOpen} />
      </section>
    </SidePane>
  )
}
