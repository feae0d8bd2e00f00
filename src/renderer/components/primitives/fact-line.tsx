import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/**
 * Small facts separated by dots: each child is one. With `oneLine`, facts without room are omitted
 * as a whole, never cut, with the dot before them; else they wrap, and the dot ends the line.
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
        'flex min-w-0 flex-wrap gap-x-1.5 text-small text-muted',
        props.oneLine
          ? "h-4 overflow-hidden [&>:not(:first-child)]:before:mr-1.5 [&>:not(:first-child)]:before:text-faint [&>:not(:first-child)]:before:content-['·']"
          : "[&>:not(:last-child)]:after:ml-1.5 [&>:not(:last-child)]:after:text-faint [&>:not(:last-child)]:after:content-['·']",
        props.className,
      )}
    >
      {props.children}
    </p>
  )
}
