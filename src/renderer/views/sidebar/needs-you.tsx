import { useEffect, useRef, useState } from 'react'
import { TitleText } from '../../components/primitives/index.ts'
import { useRoute } from '../../store/hooks.ts'
import { NeedLink } from './need-link.tsx'
import { useHeldRows } from './use-held-rows.ts'
import { useNeedsYou } from './use-needs-you.ts'

/**
 * Everything that waits for the user, the oldest first. Not shown while there is nothing. `isHeld`: no row moves, here or
 * below, because the pointer may be about to click one: a click on another one may resume its agent.
 */
export function NeedsYou({ isHeld = false }: { isHeld?: boolean }) {
  const needs = useNeedsYou()
  const rows = useHeldRows(needs, isHeld)
  const section = useRef<HTMLElement>(null)
  const height = useHeldHeight(section, isHeld)
  const route = useRoute()
  if (rows.length === 0 || height === 0) return null
  return (
    <section
      ref={section}
      aria-label="Needs you"
      style={{ height }}
      className="flex max-h-[30%] shrink-0 flex-col border-b"
    >
      <h2 className="flex h-8 shrink-0 items-center gap-1.5 px-4 text-small font-semibold text-muted">
        Needs you
        <span className="tabular rounded-sm bg-amber-tint px-1 font-normal text-amber">
          {needs.length}
        </span>
      </h2>
      <ul className="min-h-0 overflow-y-auto pb-1">
        {rows.map(({ item: need, isGone }) => (
          <li key={need.key}>
            {isGone ? (
              <div className="flex h-11 flex-col justify-center pr-4 pl-10 text-muted">
                <TitleText title={need.title} />
                <span className="text-small">No longer waiting</span>
              </div>
            ) : (
              <NeedLink
                need={need}
                current={route.screen === 'task' && route.taskId === need.taskId}
                className="h-11 gap-2 px-4"
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The height when it began to be held, 0 if nothing was shown then; undefined while it is not held. */
function useHeldHeight(
  section: { readonly current: HTMLElement | null },
  isHeld: boolean,
): number | undefined {
  const [height, setHeight] = useState<number>()
  useEffect(
    () => setHeight(isHeld ? (section.current?.offsetHeight ?? 0) : undefined),
    [section, isHeld],
  )
  return isHeld ? height : undefined
}
