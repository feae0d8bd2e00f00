import { Pencil, Play, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { PromptId } from '../../../shared/records/ids.ts'
import { canStillRun, isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { WaitingPrompt } from '../../../shared/records/tasks/waiting-prompts.ts'
import { counted } from '../../components/primitives/format.ts'
import { Button } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useActivity, useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'

/** A run starts a prompt much sooner than this: one that waits longer needs the user. */
const offeredAfterMs = 1_500
/** A prompt to an idle root waits less than this: showing it would only flash. */
const queuedAfterMs = 150

/**
 * Prompts that no run has started, and messages that their agent has not read. While the agent works they are sent
 * automatically. After a stop or a crash, a root's can be started here; a sub-agent reads its own when it is resumed.
 */
export function WaitingPrompts(props: {
  task: Task
  /** Returns a prompt to the composer. `images`: base64. Absent if there is no composer. */
  onEdit?(prompt: string, images: { name: string; data: string }[]): void
}) {
  const { task, onEdit } = props
  const isRoot = task.parentId === null
  const what = isRoot ? 'follow-up' : 'message'
  const { client } = useStores()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const unreachable = useUnreachable()
  const waiting = waitingIn(task)
  const isAtWork = useActivity(task.id) !== null || isRunning(task.status)
  const offered = useHasLasted(waiting.length > 0 && !isAtWork, offeredAfterMs)
  const queued = useHasLasted(waiting.length > 0 && isAtWork, queuedAfterMs)
  // Without an id it is the root's first prompt, which a running root is about to be sent.
  const shown = queued ? waiting.filter(({ id }) => id !== null) : offered ? waiting : []
  if (shown.length === 0) return null
  const attempt = async (doing: string, call: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(null)
    await call().catch((error: unknown) => setProblem(problemOf(error, doing)))
    setBusy(false)
  }
  const common = {
    size: 'small',
    busy,
    disabled: unreachable !== undefined,
    title: unreachable,
  } as const
  return (
    <section
      aria-label={isAtWork ? 'Queued' : isRoot ? 'Not started' : 'Not read'}
      className="flex max-h-[40vh] flex-col gap-2 overflow-y-auto"
    >
      {problem ? <ProblemNotice problem={problem} /> : null}
      {shown.map(({ id, prompt, images = [], atNextTurn }, index) => (
        <div key={id ?? 'first'} className="rounded-md border border-dashed px-3 py-2">
          <p className="untrusted line-clamp-6 whitespace-pre-wrap">{prompt}</p>
          <div className="mt-2 flex flex-wrap items-center gap-2">
            <span className="flex-1 text-small text-muted">
              {images.length > 0 ? `With ${counted(images.length, 'image')}. ` : null}
              {isAtWork
                ? atNextTurn
                  ? 'Will be read before the next step.'
                  : index === 0
                    ? 'Queued. Sent when the agent finishes.'
                    : 'Queued. Sent after the one above.'
                : isRoot
                  ? 'Not started. The text was kept.'
                  : canStillRun(task.status)
                    ? 'Not read. The sub-agent reads it when it continues.'
                    : 'Not read, and the sub-agent has ended. The text was kept.'}
            </span>
            {id ? (
              <>
                {onEdit ? (
                  <Button
                    {...common}
                    icon={<Pencil />}
                    onClick={() =>
                      void attempt(`edit the ${what}`, async () => {
                        // Read before withdrawing: the images of a withdrawn prompt may be deleted.
                        const kept = await Promise.all(
                          images.map(({ sha256 }) =>
                            client.transcripts.image({ taskId: task.id, sha256 }),
                          ),
                        )
                        await client.tasks.withdrawPrompt({ taskId: task.id, promptId: id })
                        onEdit(
                          prompt,
                          kept.map(({ data }, n) => ({ name: `Image ${n + 1}`, data })),
                        )
                      })
                    }
                  >
                    Edit
                  </Button>
                ) : null}
                <Button
                  {...common}
                  icon={<X />}
                  onClick={() =>
                    void attempt(`discard the ${what}`, () =>
                      client.tasks.withdrawPrompt({ taskId: task.id, promptId: id }),
                    )
                  }
                >
                  Discard
                </Button>
              </>
            ) : null}
            {index === 0 && !isAtWork && isRoot ? (
              <Button
                {...common}
                variant="primary"
                icon={<Play />}
                onClick={() =>
                  void attempt('start it', () =>
                    client.tasks.startWaitingPrompt({ taskId: task.id }),
                  )
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

/** The prompt that the root was started with has no id. */
function waitingIn(
  task: Task,
): (Pick<WaitingPrompt, 'prompt' | 'images' | 'atNextTurn'> & { id: PromptId | null })[] {
  if (task.status === 'queued' && task.parentId === null)
    return [{ id: null, prompt: task.prompt, ...(task.images && { images: task.images }) }]
  return task.waitingPrompts ?? []
}

/** True once `condition` has held for `ms` without a break. */
function useHasLasted(condition: boolean, ms: number): boolean {
  const [lasted, setLasted] = useState(false)
  useEffect(() => {
    if (!condition) return
    const timer = setTimeout(() => setLasted(true), ms)
    return () => {
      clearTimeout(timer)
      setLasted(false)
    }
  }, [condition, ms])
  return condition && lasted
}
