import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Button, classNames } from '../primitives/index.ts'
import type { AnswerGuard } from './answer-guard.ts'

/**
 * A button that answers a request. While the request is not at rest the button looks disabled, but keeps the focus: a
 * dialog that closes gives the focus back to it.
 */
export function AnswerButton(
  props: Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'title' | 'className'> & {
    guard: AnswerGuard
    onAnswer(): void
    variant?: 'quiet' | 'primary' | 'danger'
    busy?: boolean
    ref?: Ref<HTMLButtonElement>
    children: ReactNode
  },
) {
  const { guard, onAnswer, className, ...rest } = props
  return (
    <Button
      {...rest}
      aria-disabled={!guard.isStill}
      className={classNames('not-disabled:not-aria-busy:aria-disabled:opacity-50', className)}
      onClick={(click) => {
        if (guard.isMeant(click)) onAnswer()
      }}
    />
  )
}
