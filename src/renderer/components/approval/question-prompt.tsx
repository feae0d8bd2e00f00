import { useRef, useState } from 'react'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { Field, keysText, TextArea } from '../primitives/index.ts'
import { Markdown } from '../text/index.ts'
import { AnswerButton } from './answer-button.tsx'
import { useAnswerGuard, useIsSettled } from './answer-guard.ts'
import { LastWords } from './last-words.tsx'
import { RequestHeading } from './request-heading.tsx'
import { useRequestPlace } from './request-place.ts'
import type { RequestProps } from './request-props.ts'

/** Choices as buttons, and an answer in the user's own words. */
export function QuestionPrompt(props: RequestProps) {
  const { question, more = 0, busy, unreachable, problem, sendKey = 'Mod+Enter', onDecide } = props
  const { text, choices = [], lastText } = question
  const [answer, setAnswer] = useState(props.draft ?? '')
  const isShown = useIsSettled(question.id)
  const disabled = unreachable !== undefined || busy
  /** By a button alone. What was typed was typed for this question. */
  const clickable = !disabled && isShown
  const section = useRef<HTMLElement>(null)
  const guard = useAnswerGuard(useRequestPlace(section), clickable)
  const typed = answer.trim()
  const send = () => onDecide({ kind: 'answer', text: typed })
  return (
    <section
      ref={section}
      aria-label="Question"
      className="flex max-h-[60vh] flex-col gap-2 overflow-y-auto rounded-md bg-amber-tint px-3 py-2"
    >
      <RequestHeading question={question} more={more} />
      <LastWords text={lastText} />
      <Markdown text={text} className="text-read" />
      {problem}
      {choices.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {[...new Set(choices)].map((choice) => (
            <AnswerButton
              key={choice}
              guard={guard}
              disabled={!clickable}
              title={unreachable}
              onAnswer={() => onDecide({ kind: 'answer', text: choice })}
              className="untrusted h-auto min-h-8 max-w-full shrink py-1 text-left whitespace-pre-wrap"
            >
              {visibleText(choice)}
            </AnswerButton>
          ))}
        </div>
      ) : null}
      <Field label={choices.length > 0 ? 'Another answer' : 'Your answer'}>
        <TextArea
          rows={2}
          value={answer}
          onChange={({ target }) => {
            setAnswer(target.value)
            props.onDraft?.(target.value)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            if (sendKey !== 'Enter' && !event.ctrlKey && !event.metaKey) return
            event.preventDefault()
            // One that was begun before may have the focus since the last answer, whose keys are still pressed.
            const isMeant = isShown || answer !== props.draft
            if (!disabled && !event.repeat && isMeant && typed !== '') send()
          }}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2">
        <AnswerButton
          guard={guard}
          variant="primary"
          busy={busy}
          disabled={!clickable || typed === ''}
          title={unreachable}
          onAnswer={send}
        >
          Answer
        </AnswerButton>
        <AnswerButton
          guard={guard}
          disabled={!clickable}
          title={unreachable}
          onAnswer={() => onDecide({ kind: 'deny', message: '' })}
        >
          Let the agent decide
        </AnswerButton>
        <span className="text-small text-muted">{keysText(sendKey)} answers</span>
      </div>
    </section>
  )
}
