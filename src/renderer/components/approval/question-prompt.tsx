import { useState } from 'react'
import { Button, Field, keysText, TextArea } from '../primitives/index.ts'
import { Markdown } from '../text/index.ts'
import { useIsSettled, useOwnPress } from './answer-guard.ts'
import { LastWords } from './last-words.tsx'
import { RequestHeading } from './request-heading.tsx'
import type { RequestProps } from './request-props.ts'

/** Choices as buttons, and an answer in the user's own words. */
export function QuestionPrompt(props: RequestProps) {
  const { question, more = 0, busy, unreachable, problem, sendKey = 'Mod+Enter', onDecide } = props
  const { text, choices = [], lastText } = question
  const [answer, setAnswer] = useState('')
  const isShown = useIsSettled(question.id)
  const disabled = unreachable !== undefined || busy
  /** By a button alone. What was typed was typed for this question. */
  const clickable = !disabled && isShown
  const isOwnPress = useOwnPress(clickable)
  const typed = answer.trim()
  const send = () => onDecide({ kind: 'answer', text: typed })
  return (
    <section
      aria-label="Question"
      className="flex max-h-[60vh] flex-col gap-2 overflow-y-auto rounded-md bg-amber-tint px-3 py-2"
    >
      <RequestHeading question={question} more={more} />
      <LastWords text={lastText} />
      <Markdown text={text} className="text-read" />
      {problem}
      {choices.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {choices.map((choice) => (
            <Button
              key={choice}
              disabled={!clickable}
              title={unreachable}
              onClick={(click) => {
                if (isOwnPress(click)) onDecide({ kind: 'answer', text: choice })
              }}
              className="untrusted h-auto min-h-8 py-1 text-left whitespace-normal"
            >
              {choice}
            </Button>
          ))}
        </div>
      ) : null}
      <Field label={choices.length > 0 ? 'Another answer' : 'Your answer'}>
        <TextArea
          rows={2}
          value={answer}
          onChange={(event) => setAnswer(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            if (sendKey !== 'Enter' && !event.ctrlKey && !event.metaKey) return
            event.preventDefault()
            if (!disabled && typed !== '') send()
          }}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          busy={busy}
          disabled={disabled || typed === ''}
          title={unreachable}
          onClick={send}
        >
          Answer
        </Button>
        <Button
          disabled={!clickable}
          title={unreachable}
          onClick={(click) => {
            if (isOwnPress(click)) onDecide({ kind: 'deny', message: '' })
          }}
        >
          Let the agent decide
        </Button>
        <span className="text-small text-muted">{keysText(sendKey)} answers</span>
      </div>
    </section>
  )
}
