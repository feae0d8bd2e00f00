/** Toasts that show the outcome of a call. */
import { toast } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

/** Long enough to copy the details of an error, or to undo what was done. */
export const readShownMs = 12_000

/** Makes a call; shows its error as a toast and returns null if it fails. `doing`: "stop the agent". */
export async function attempt<Value>(
  doing: string,
  call: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await call()
  } catch (error) {
    showProblem(problemOf(error, doing))
    return null
  }
}

/** Codes of refused calls whose message gives the reason, so that there is no fault to report. */
const refusalCodes: readonly Problem['code'][] = ['REFUSED', 'INVALID']

export function showProblem(problem: Problem): void {
  toast.error(problem.message, {
    description: problem.next ?? undefined,
    duration: readShownMs,
    action: refusalCodes.includes(problem.code)
      ? undefined
      : {
          label: 'Copy details',
          onClick: () => void navigator.clipboard.writeText(problem.details).catch(() => {}),
        },
  })
}

/**
 * Shows the outcome of a call for several items. `verb`: "restored"; `left`: the items that were not, each with the
 * reason.
 */
export function showOutcome(done: string, verb: string, left: readonly { why: string }[]): void {
  const [first] = left
  if (!first) toast.success(done)
  else toast.warning(`${done} ${left.length} could not be ${verb}.`, { description: first.why })
}
