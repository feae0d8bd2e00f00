import { Popover } from '@base-ui/react/popover'
import { CircleQuestionMark } from 'lucide-react'
import { IconButton } from '../primitives/index.ts'

/** Explains the shapes of the timeline, and its keys. */
export function TimelineLegend() {
  return (
    <Popover.Root>
      <Popover.Trigger
        render={<IconButton label="What the timeline shows" icon={<CircleQuestionMark />} />}
      />
      <Popover.Portal>
        <Popover.Positioner side="top" align="end" sideOffset={6} className="z-50">
          <Popover.Popup className="w-72 rounded-md bg-raised p-3 text-ui text-ink shadow-popup">
            <Popover.Title className="mb-1 font-semibold">Timeline</Popover.Title>
            <ul className="flex flex-col gap-0.5">
              {shapes.map(([shape, text]) => (
                <li key={text} className="flex items-center gap-2">
                  <svg aria-hidden viewBox="0 0 16 16" className="size-4 shrink-0">
                    {shape}
                  </svg>
                  {text}
                </li>
              ))}
            </ul>
            <p className="mt-2 text-small text-muted">
              Arrow keys step by call, with Shift by turn; Space plays; Home and End jump to the
              ends. Playing shortens pauses to 2 s. Long pauses are dotted and not to scale.
            </p>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

const shapes = [
  [<circle key="" cx="8" cy="8" r="4" className="fill-accent" />, 'Prompt'],
  [<rect key="" x="3" y="1" width="10" height="14" className="fill-accent" />, 'Edit of a file'],
  [
    <path key="" d="M2.5 5.5h11v9h-11zM5 5v10M8 5v10M11 5v10" className="fill-none stroke-muted" />,
    'Command',
  ],
  [<path key="" d="M8 2l5 6-5 6-5-6z" className="fill-green" />, 'Sub-agents'],
  [<rect key="" x="3" y="11" width="10" height="4" className="fill-faint" />, 'Reading, searching'],
  [<path key="" d="M3.5 6.5h9v8h-9z" className="fill-none stroke-muted" />, 'Any other call'],
  [<path key="" d="M4 4l8 8M12 4l-8 8" className="fill-none stroke-red stroke-2" />, 'Error'],
  [<path key="" d="M8 3l5 9H3z" className="fill-amber" />, 'Permission'],
  [<path key="" d="M4 3h3v10H4zM9 3h3v10H9z" className="fill-amber" />, 'Interruption'],
  [<path key="" d="M4 3l9 5-9 5z" className="fill-accent" />, 'Resume, retry of a run'],
] as const
