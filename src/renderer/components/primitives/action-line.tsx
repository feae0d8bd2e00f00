import type { ReactNode, Ref } from 'react'
import { classNames } from './class-names.ts'

const looks = {
  attention: 'bg-amber-tint',
  information: 'bg-accent-tint',
  plain: 'border',
} as const

/** A line above the composer: an icon, a message and actions. */
export function ActionLine(props: {
  /** The accessible name. */
  label: string
  look: keyof typeof looks
  icon: ReactNode
  /** Buttons. */
  actions?: ReactNode
  /** Can take the focus, for a link that leads to it. */
  ref?: Ref<HTMLElement>
  children: ReactNode
}) {
  const { label, look, icon, actions, ref, children } = props
  return (
    <section
      ref={ref}
      tabIndex={ref ? -1 : undefined}
      aria-label={label}
      className={classNames(
        'flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 rounded-md py-1 pr-1.5 pl-3 [&>svg]:size-3.5 [&>svg]:shrink-0',
        looks[look],
      )}
    >
      {icon}
      <div className="untrusted min-w-48 flex-1">{children}</div>
      {actions}
    </section>
  )
}
