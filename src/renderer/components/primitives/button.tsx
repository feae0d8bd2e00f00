import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { classNames } from './class-names.ts'
import { ariaKeys, keysText } from './kbd.tsx'

type ButtonVariant = 'quiet' | 'primary' | 'danger'

const variants: Record<ButtonVariant, string> = {
  quiet: 'border-line-strong bg-raised text-ink hover:bg-hover active:bg-hover',
  primary:
    'border-transparent bg-accent-fill text-on-fill hover:bg-accent-fill-hover active:bg-accent-fill-hover',
  danger:
    'border-transparent bg-red-fill text-on-fill hover:bg-red-fill-hover active:bg-red-fill-hover',
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant
  /** Before the label, 14 px. */
  icon?: ReactNode
  /** Shown after the label: `Mod+Enter`. The view that handles the key passes it. */
  shortcut?: string
  size?: 'normal' | 'small'
  /** In progress: stays focusable and does nothing. */
  busy?: boolean
  /** The action was done and can't be repeated: stays focusable, and does nothing. */
  done?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function Button(props: ButtonProps) {
  const {
    variant = 'quiet',
    icon,
    shortcut,
    size = 'normal',
    busy = false,
    done = false,
    className,
    children,
    onClick,
    'aria-disabled': ariaDisabled,
    ...rest
  } = props
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || done || ariaDisabled || undefined}
      aria-keyshortcuts={shortcut ? ariaKeys(shortcut) : undefined}
      onClick={busy || done ? undefined : onClick}
      className={classNames(
        'inline-flex shrink-0 select-none items-center gap-1.5 rounded-md border whitespace-nowrap transition-colors',
        size === 'normal' ? 'h-7 px-2.5 text-ui' : 'h-6 px-2 text-small',
        'disabled:opacity-50 aria-busy:opacity-70',
        variants[variant],
        done && 'opacity-50',
        className,
      )}
    >
      {icon ? <span className="-ml-0.5 [&>svg]:size-3.5">{icon}</span> : null}
      {children}
      {shortcut ? (
        <span
          aria-hidden
          className={classNames('ml-1 text-small', variant === 'quiet' && 'text-muted')}
        >
          {keysText(shortcut)}
        </span>
      ) : null}
    </button>
  )
}

/** A button styled as text: Details, Undo, Copy details. */
export function TextButton(
  props: ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement> },
) {
  const { className, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      className={classNames(
        'rounded-sm text-accent underline-offset-2 hover:underline disabled:opacity-50',
        className,
      )}
    />
  )
}
