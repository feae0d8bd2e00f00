import { ErrorNotice } from '../../components/primitives/index.ts'
import type { Problem } from '../../rpc/problem.ts'

/** What failed, what to do next, and its details to copy. */
export function ProblemNotice(props: {
  problem: Problem
  action?: { label: string; onClick(): void }
  className?: string
}) {
  const { problem, action, className } = props
  return (
    <ErrorNotice
      what={problem.message}
      next={problem.next ?? ''}
      details={problem.details}
      action={action}
      className={className}
    />
  )
}
