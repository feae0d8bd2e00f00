import { type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { PermissionDecision } from '../../../shared/agents/permissions.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { PermissionPrompt } from '../../components/approval/permission-prompt.tsx'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import {
  usePreference,
  useProjectLabel,
  useQuestions,
  useStores,
  useUnreachable,
} from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useArrival } from '../conversation/use-arrival.ts'
import { answerDraftKey, showNotSent } from './unsent-answers.ts'

/**
 * The oldest pending question of a task and the agents below it, or the one that a link or notification led to. Nothing
 * while there is none.
 */
export function PendingPrompt(props: {
  taskId: TaskId
  /** The field of follow-ups. */
  composer?: RefObject<HTMLTextAreaElement | null>
}) {
  const { taskId, composer } = props
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
  const answered = useAnsweredLast()
  const isQuestion = shown?.kind === 'question'
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves once for each request
  useEffect(() => {
    if (!prompt.current || prompt.current.contains(document.activeElement)) return
    const field = composer?.current
    // What is typed next into an empty field is the answer, not a follow-up.
    const isAwaited =
      isQuestion && field && field === document.activeElement && field.value.trim() === ''
    if (!answered.current && !isAwaited) return
    answered.current = false
    const answer = isQuestion ? prompt.current.querySelector('textarea') : null
    ;(answer ?? prompt.current).focus()
  }, [shown?.id])
  return shown ? (
    <div ref={prompt} tabIndex={-1} className="rounded-md">
      <PendingQuestion
        key={shown.id}
        question={shown}
        more={questions.length - 1}
        onAnswer={() => {
          answered.current = true
        }}
      />
    </div>
  ) : null
}

/**
 * Whether the last thing that the user did was to answer a request: the next one may then take the focus, however
 * late it comes.
 */
function useAnsweredLast(): RefObject<boolean> {
  const answered = useRef(false)
  useEffect(() => {
    const forget = () => {
      answered.current = false
    }
    const options = { capture: true }
    window.addEventListener('pointerdown', forget, options)
    window.addEventListener('keydown', forget, options)
    return () => {
      window.removeEventListener('pointerdown', forget, options)
      window.removeEventListener('keydown', forget, options)
    }
  }, [])
  return answered
}

function PendingQuestion(props: {
  question: ReturnType<typeof useQuestions>[number]
  more: number
  onAnswer(): void
}) {
  const { question, more, onAnswer } = props
  const { client, drafts, questions } = useStores()
  const project = useProjectLabel(question.projectId)
  const unreachable = useUnreachable()
  const sendKey = usePreference('sendKey')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const draftKey = answerDraftKey(question.id)
  const decide = async (decision: PermissionDecision) => {
    onAnswer()
    setBusy(true)
    setProblem(null)
    const draft = drafts.of(draftKey)
    // Before the question is gone: what is unsent then is reported as lost.
    drafts.set(draftKey, '')
    try {
      await client.permissions.answer({ id: question.id, decision })
    } catch (error) {
      const failed = problemOf(error, 'answer the agent')
      const isOpen = questions.store.getState().some(({ id }) => id === question.id)
      // It may be gone from the screen already, with everything that is shown there.
      if (!isOpen || failed.code === 'NOT_FOUND') showNotSent(textOf(decision) || draft)
      else {
        drafts.set(draftKey, draft)
        setProblem(failed)
      }
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
      sendKey={sendKey}
      draft={drafts.of(draftKey)}
      onDraft={(text) => drafts.set(draftKey, text)}
      problem={problem ? <ProblemNotice problem={problem} /> : null}
      onDecide={(decision) => void decide(decision)}
    />
  )
}

const textOf = (decision: PermissionDecision): string =>
  decision.kind === 'answer' ? decision.text : decision.kind === 'deny' ? decision.message : ''
