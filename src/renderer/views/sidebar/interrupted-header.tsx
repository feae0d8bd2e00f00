import { TextButton } from '../../components/primitives/index.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

/** `toResume`: how many are not already waiting for a slot. */
export function InterruptedHeader(props: {
  count: number
  toResume: number
  unreachable: string | undefined
}) {
  const { count, toResume, unreachable } = props
  const { resumeAll } = useResumeActions()
  return (
    <div className="flex h-8 shrink-0 items-center gap-1.5 pr-2 pl-4">
      <h2 className="flex flex-1 items-center gap-1.5 text-small font-semibold text-muted">
        Interrupted
        <span className="tabular font-normal">{count}</span>
      </h2>
      {toResume > 1 ? (
        <TextButton
          className="rounded-sm px-1 text-small"
          disabled={unreachable !== undefined}
          title={unreachable}
          onClick={resumeAll}
        >
          Resume {toResume === 2 ? 'both' : `all ${toResume}`}
        </TextButton>
      ) : null}
    </div>
  )
}
