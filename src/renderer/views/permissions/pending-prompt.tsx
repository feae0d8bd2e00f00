import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { PermissionDecision } from '../../../shared/agents/permissions.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { PermissionPrompt } from '../../components/approval/permission-prompt.tsx'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useProjectLabel, useQuestions, useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useArrival } from '../conversation/use-arrival.ts'

/**
 * The oldest pending question of a task and the agents below it, or the one that a link or notification led to. Nothing
 * while there is none.
 */
export function PendingPrompt({ taskId }: { taskId: TaskId }) {
  const questions = useQuestions().filter(({ chain }) => chain.some((one) => one.taskId === taskId))
  const [wanted, setWanted] = useState<string | null>(null)
  const prompt = useRef<HTMLDivElement>(null)
  useArrival(
    taskId,
    (at) => typeof at === 'object' && questions.some(({ id }) => id === at.question),
    (at) => {
      // Rendered synchronously, so that the focus goes to this question.
      flushSync(() => setWanted(typeof at === 'object' ? at.question : null))
      prompt.current?.focus()
    },
  )
  const shown = questions.find(({ id }) => id === wanted) ?? questions[0]
  return shown ? (
    <div ref={prompt} tabIndex={-1} className="rounded-md">
      <PendingQuestion key={shown.id} question={shown} more={questions.length - 1} />
    </div>
  ) : null
}

function PendingQuestion(props: {
  question: ReturnType<typeof useQuestions>[number]
  more: number
}) {
  const { question, more } = props
  const { client } = useStores()
  const project = useProjectLabel(question.projectId)
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const decide = async (decision: PermissionDecision) => {
    setBusy(true)
    setProblem(null)
    try {
      await client.permissions.answer({ id: question.id, decision })
    } catch (error) {
      setProblem(problemOf(error, 'answer the agent'))
    }
    setBusy(false)
  }
  return (
    <PermissionPrompt
      question={question}
      project={project ?? 'This project'}
      more={more}
      busy={busy}
      unreachable={unreachable}
      problem={problem ? <ProblemNotice problem={problem} /> : null}
      onDecide={(decision) => void decide(decision)}
    />
  )
}
