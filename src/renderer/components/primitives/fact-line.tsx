import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/**
 * Small facts with a dot between them: each child is one. `oneLine`: what has no room is left out whole, never cut;
 * else it wraps.
 */
export function FactLine(props: {
  oneLine?: boolean
  title?: string
  className?: string
  children: ReactNode
}) {
  return (
    <p
      title={props.title}
      className={classNames(
        "flex min-w-0 flex-wrap gap-x-1.5 text-small text-muted [&>:not(:first-child)]:before:mr-1.5 [&>:not(:first-child)]:before:text-faint [&>:not(:first-child)]:before:content-['·']",
        props.oneLine && 'h-4 overflow-hidden',
        props.className,
      )}
    >
      {props.children}
    </p>
  )
}
