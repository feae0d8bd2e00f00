import {
  ChevronLeft,
  ChevronRight,
  ChevronsLeft,
  ChevronsRight,
  Link,
  PanelRight,
  Pause,
  Play,
  X,
} from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { IconButton, Select } from '../primitives/index.ts'

interface StepsProps<Speed extends number> {
  playing: boolean
  speed: Speed
  speeds: readonly Speed[]
  onToggle(): void
  onStep(unit: 'turn' | 'call', by: number): void
  onSpeed(speed: Speed): void
}

/** Buttons of a replay: play, step, speed, and its panel. */
export function ReplayControls<Speed extends number>(
  props: StepsProps<Speed> & {
    /** "Turn 12 of 40". */
    place: string
    /** "14:03:27". */
    time: string
    /** The event at the moment, in a few words. */
    what: string
    panelOpen: boolean
    children?: ReactNode
    onPanel(): void
    onCopyLink(): void
    onClose(): void
  },
) {
  const { playing, speed, speeds, place, time, what, panelOpen, children } = props
  const { onToggle, onStep, onSpeed, onPanel, onCopyLink, onClose } = props
  return (
    // In a narrow pane the buttons at the end wrap to a second line together.
    <div className="flex min-w-0 flex-wrap items-center justify-end gap-0.5">
      <Steps {...{ playing, speed, speeds, onToggle, onStep, onSpeed }} />
      <p className="flex min-w-24 flex-1 items-baseline gap-2">
        <span className="tabular flex max-w-full shrink-0 flex-wrap gap-x-2 leading-tight">
          <span className="font-semibold whitespace-nowrap">{place}</span>
          <span className="text-muted">{time}</span>
        </span>
        <span className="untrusted min-w-0 truncate text-muted" title={what}>
          {what}
        </span>
      </p>
      <div className="flex shrink-0 items-center gap-0.5">
        {children}
        <IconButton
          label="State and files"
          icon={<PanelRight />}
          pressed={panelOpen}
          onClick={onPanel}
        />
        <IconButton label="Copy link to this moment" icon={<Link />} onClick={onCopyLink} />
        <IconButton label="Close the replay" shortcut="p" icon={<X />} onClick={onClose} />
      </div>
    </div>
  )
}

// Memoized: each button has a tooltip, and the moment changes with each move of the pointer.
const Steps = memo(function Steps<Speed extends number>(props: StepsProps<Speed>) {
  const { playing, speed, speeds, onToggle, onStep, onSpeed } = props
  return (
    <>
      <IconButton
        label="Previous turn"
        shortcut="Shift+ArrowLeft"
        icon={<ChevronsLeft />}
        onClick={() => onStep('turn', -1)}
      />
      <IconButton
        label="Previous call"
        shortcut="ArrowLeft"
        icon={<ChevronLeft />}
        onClick={() => onStep('call', -1)}
      />
      <IconButton
        label={playing ? 'Pause' : 'Play'}
        shortcut="Space"
        icon={playing ? <Pause /> : <Play />}
        onClick={onToggle}
      />
      <IconButton
        label="Next call"
        shortcut="ArrowRight"
        icon={<ChevronRight />}
        onClick={() => onStep('call', 1)}
      />
      <IconButton
        label="Next turn"
        shortcut="Shift+ArrowRight"
        icon={<ChevronsRight />}
        onClick={() => onStep('turn', 1)}
      />
      <Select
        quiet
        label="Speed"
        value={String(speed)}
        onChange={(value) => {
          const chosen = speeds.find((one) => String(one) === value)
          if (chosen !== undefined) onSpeed(chosen)
        }}
        options={speeds.map((one) => ({ value: String(one), label: `${one}×` }))}
        className="mr-2 w-18 shrink-0"
      />
    </>
  )
}) as <Speed extends number>(props: StepsProps<Speed>) => ReactNode
