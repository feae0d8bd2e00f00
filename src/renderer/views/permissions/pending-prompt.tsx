import { useState } from 'react'
import type { PermissionDecision } from '../../../shared/agents/permissions.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { PermissionPrompt } from '../../components/approval/permission-prompt.tsx'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useProjectLabel, useQuestions, useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'

/** The oldest question of a task, or of an agent below it. Nothing while there is none. */
export function PendingPrompt({ taskId }: { taskId: TaskId }) {
  const questions = useQuestions().filter(({ chain }) => chain.some((one) => one.taskId === taskId))
  const [first, ...others] = questions
  return first ? <Asked key={first.id} question={first} more={others.length} /> : null
}

function Asked(props: { question: ReturnType<typeof useQuestions>[number]; more: number }) {
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
