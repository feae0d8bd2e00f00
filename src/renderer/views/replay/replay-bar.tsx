import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted, timeOfDayWithSeconds } from '../../components/primitives/format.ts'
import { NoticeLine, TextButton } from '../../components/primitives/index.ts'
import { markText } from '../../components/replay/mark-text.ts'
import { ReplayControls } from '../../components/replay/replay-controls.tsx'
import { TimelineLegend } from '../../components/replay/timeline-legend.tsx'
import { timelineScale } from '../../components/replay/timeline-scale.ts'
import { type LaneSpan, TimelineTrack } from '../../components/replay/timeline-track.tsx'
import { useLedger, useRoute } from '../../store/hooks.ts'
import { type Replay, type ReplayView, replaySpeeds } from '../../store/replay/replay-store.ts'
import type { KeyCommand } from '../../store/window/keys.ts'
import { scopeOf } from '../../store/window/route.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useMoment, usePlaying } from './use-replay.ts'

/** The timeline under a transcript, with its controls. */
export function ReplayBar(props: {
  replay: Replay
  panelOpen: boolean
  onPanel(): void
  onCopyLink(): void
  onClose(): void
}) {
  const { replay, panelOpen, onPanel, onCopyLink, onClose } = props
  const { view, at, state, end } = useMoment(replay)
  const { timeline, playing, speed, phase, problem, known } = view
  const box = useRef<HTMLElement>(null)
  usePlaying(replay)
  // The slider handles the keys of the timeline.
  useEffect(() => box.current?.querySelector<HTMLElement>('[role="slider"]')?.focus(), [])
  const scale = useMemo(() => timelineScale(timeline.marks), [timeline])
  const [nested, setNested] = useState(false)
  const { lanes, below } = useLanes(replay.taskId, nested, timeline.marks.at(-1)?.at ?? 0)
  const mark = known ? timeline.marks[at] : undefined
  const place = placeText(view, state.turns, end.turns)
  const time =
    !known || state.at === null ? '' : timeOfDayWithSeconds(new Date(state.at).toISOString())
  const toggle = useCallback(() => (playing ? replay.pause() : replay.play()), [playing, replay])
  const { step, toStart, toEnd } = replay
  useTimelineKeys()
  return (
    <section
      ref={box}
      aria-label="Replay"
      className="flex shrink-0 flex-col gap-1 border-t bg-panel px-3 py-2"
    >
      <ReplayControls
        playing={playing}
        speed={speed}
        speeds={replaySpeeds}
        place={place}
        time={time}
        what={mark ? markText(mark) : ''}
        panelOpen={panelOpen}
        onToggle={toggle}
        onStep={step}
        onSpeed={replay.setSpeed}
        onPanel={onPanel}
        onCopyLink={onCopyLink}
        onClose={onClose}
      >
        {below > 0 ? (
          <TextButton className="shrink-0 px-1" onClick={() => setNested(!nested)}>
            {nested ? 'Hide nested' : `${below} nested`}
          </TextButton>
        ) : null}
        <TimelineLegend />
      </ReplayControls>
      <TimelineTrack
        marks={timeline.marks}
        scale={scale}
        at={known ? at : null}
        valueText={time === '' ? place : `${place}, ${time}`}
        lanes={lanes}
        onSeek={replay.seek}
        onDrag={replay.drag}
        keys={{ step, toStart, toEnd, toggle }}
      />
      {phase === 'failed' && problem ? (
        <NoticeLine
          tone="error"
          text={problem.message}
          details={[problem.details]}
          action={{ label: 'Try again', onClick: () => void replay.read() }}
        />
      ) : phase === 'ready' ? null : (
        <p role="status" className="text-small text-muted">
          {timeline.total === 0
            ? 'Reading the timeline…'
            : `Reading the timeline: ${counted(timeline.nextSeq - 1, 'entry', 'entries')} of ${timeline.total}`}
        </p>
      )}
    </section>
  )
}

/** The number of turns is known only after the whole timeline was read. */
function placeText({ known, phase }: ReplayView, turn: number, turns: number): string {
  if (!known) return phase === 'failed' ? '' : 'Reading…'
  if (turn === 0) return 'Start'
  return phase === 'ready' ? `Turn ${turn} of ${turns}` : `Turn ${turn}`
}

/** Lists the keys that the timeline handles. */
function useTimelineKeys(): void {
  const scope = scopeOf(useRoute())
  const listed = (keys: string, label: string, also?: string): KeyCommand => ({
    keys,
    label,
    group: 'Replay',
    scope,
    ...(also && { also }),
  })
  useKeys([
    listed('Space', 'Play or pause'),
    listed('ArrowRight', 'Next call', 'ArrowUp'),
    listed('ArrowLeft', 'Previous call', 'ArrowDown'),
    listed('Shift+ArrowRight', 'Next turn'),
    listed('Shift+ArrowLeft', 'Previous turn'),
    listed('PageUp', 'Ten turns forward'),
    listed('PageDown', 'Ten turns back'),
    listed('Home', 'To the start'),
    listed('End', 'To the end'),
  ])
}

/** The runs of the task's sub-agents. `below`: how many agents are below those. */
function useLanes(
  taskId: TaskId,
  nested: boolean,
  endMs: number,
): { lanes: LaneSpan[]; below: number } {
  const children = useLedger((view) => view.children)
  return useMemo(() => {
    const direct = children.get(taskId) ?? []
    const further: Task[] = []
    const wait = [...direct]
    for (let task = wait.pop(); task; task = wait.pop()) {
      const own = children.get(task.id) ?? []
      further.push(...own)
      wait.push(...own)
    }
    const shown = nested ? [...direct, ...further] : direct
    return { lanes: shown.flatMap((task) => spansOf(task, endMs)), below: further.length }
  }, [children, taskId, nested, endMs])
}

const spansOf = ({ id, title, runs }: Task, endMs: number): LaneSpan[] =>
  runs.map(({ run, status, startedAt, endedAt }) => ({
    key: `${id}:${run}`,
    title: `${title}${run > 1 ? `, run ${run}` : ''}`,
    fromMs: Date.parse(startedAt),
    toMs: endedAt === null ? Math.max(endMs, Date.parse(startedAt)) : Date.parse(endedAt),
    status,
  }))
