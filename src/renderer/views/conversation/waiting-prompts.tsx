import { Play, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { PromptId } from '../../../shared/records/ids.ts'
import { isRunning, type Task } from '../../../shared/records/tasks.ts'
import { Button } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useActivity, useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'

/** A run takes a prompt up in much less: what waits longer waits for the person. */
const offeredAfterMs = 1_500

/** What was asked of a root and no run has taken up, because a stop or a crash came first: kept, and offered. */
export function WaitingPrompts({ task }: { task: Task }) {
  const { client } = useStores()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const waiting = waitingIn(task)
  const hasItsTurnComing = useActivity(task.id) !== null || isRunning(task.status)
  const offered = useHasLasted(waiting.length > 0 && !hasItsTurnComing, offeredAfterMs)
  if (waiting.length === 0 || !offered) return null
  const attempt = async (doing: string, call: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(null)
    await call().catch((error: unknown) => setProblem(problemOf(error, doing)))
    setBusy(false)
  }
  const reason = unreachable
  return (
    <section aria-label="Not started" className="flex flex-col gap-2">
      {problem ? <ProblemNotice problem={problem} /> : null}
      {waiting.map(({ id, prompt }, index) => (
        <div key={id ?? 'first'} className="rounded-md border border-dashed px-3 py-2">
          <p className="untrusted line-clamp-6 whitespace-pre-wrap">{prompt}</p>
          <div className="mt-2 flex items-center gap-2">
            <span className="flex-1 text-small text-muted">Not started. The text was kept.</span>
            {id ? (
              <Button
                size="small"
                icon={<X />}
                busy={busy}
                disabled={lost}
                title={reason}
                onClick={() =>
                  void attempt('discard the follow-up', () =>
                    client.tasks.withdrawPrompt({ taskId: task.id, promptId: id }),
                  )
                }
              >
                Discard
              </Button>
            ) : null}
            {index === 0 ? (
              <Button
                size="small"
                variant="primary"
                icon={<Play />}
                busy={busy}
                disabled={lost}
                title={reason}
                onClick={() =>
                  void attempt('start it', () => client.tasks.startWaiting({ taskId: task.id }))
                }
              >
                Start
              </Button>
            ) : null}
          </div>
        </div>
      ))}
    </section>
  )
}

/** Without an id: what the root was started with. */
function waitingIn(task: Task): { id: PromptId | null; prompt: string }[] {
  if (task.status === 'queued') return [{ id: null, prompt: task.prompt }]
  return task.waitingPrompts ?? []
}

/** True once `is` has been so for `ms` without a break. */
function useHasLasted(is: boolean, ms: number): boolean {
  const [lasted, setLasted] = useState(false)
  useEffect(() => {
    if (!is) return
    const timer = setTimeout(() => setLasted(true), ms)
    return () => {
      clearTimeout(timer)
      setLasted(false)
    }
  }, [is, ms])
  return is && lasted
}
