/**
 * An agent's request for permission: its exact effect (K6), who asks, where, the agent's last
 * message, and the three answers. A proposed rule can be changed before it is saved.
 */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { sandboxText } from '../../../shared/records/projects/sandbox.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { Button, Field, TextInput } from '../primitives/index.ts'
import { AnswerButton } from './answer-button.tsx'
import { useAnswerGuard, useIsSettled } from './answer-guard.ts'
import { CommandToAllow } from './command-to-allow.tsx'
import { LastWords } from './last-words.tsx'
import { QuestionPrompt } from './question-prompt.tsx'
import { RequestHeading } from './request-heading.tsx'
import { useRequestPlace } from './request-place.ts'
import type { RequestProps } from './request-props.ts'
import { focusNew, RuleFields, type RuleScope } from './rule-fields.tsx'

/** Shows a permission request, or a question of the agent's own. */
export function PermissionPrompt(props: RequestProps) {
  return props.question.kind === 'question' ? (
    <QuestionPrompt {...props} />
  ) : (
    <ActionPrompt {...props} />
  )
}

function ActionPrompt(props: RequestProps) {
  const { question, project, more = 0, busy, unreachable, problem, onDecide } = props
  const { text, directory, sandbox, lastText, reasons, proposal } = question
  const { step, open, back, opener } = useStep()
  const [seen, setSeen] = useState(false)
  const [rules, setRules] = useState(proposal.join('\n'))
  const [scope, setScope] = useState<RuleScope>('project')
  const [message, setMessage] = useState(props.draft ?? '')
  const listed = rules.split('\n').flatMap((rule) => rule.trim() || [])
  const isConfiguration = question.kind === 'configuration'
  const disabled = unreachable !== undefined
  const isShown = useIsSettled(question.id)
  const isStepShown = useIsSettled(step)
  const allowable = isShown && seen && !disabled
  /** By a click: the second one of a double click may land on a button of the next step. */
  const clickable = allowable && isStepShown
  /** A denial can't be undone either: the agent continues without it, or its run ends. */
  const deniable = isShown && isStepShown && !disabled
  const section = useRef<HTMLElement>(null)
  const place = useRequestPlace(section)
  const allowGuard = useAnswerGuard(place, clickable)
  const denyGuard = useAnswerGuard(place, deniable)
  const allowOnce = useRef<HTMLButtonElement>(null)
  const isReady = clickable && place.isStill
  // A focused place of requests passes the focus on as soon as this one can be answered, to a user at the keyboard:
  // after a click, a space is more likely meant to scroll.
  useEffect(() => {
    const around = section.current?.parentElement
    if (!isReady || around !== document.activeElement) return
    if (around?.matches(':focus-visible')) allowOnce.current?.focus()
  }, [isReady])
  const allowAlways = () => onDecide({ kind: 'allow-always', rules: listed, scope })
  const deny = () => onDecide({ kind: 'deny', message })
  const canAllowAlways = allowable && !busy && listed.length > 0
  const onKeyDown = (event: KeyboardEvent) => {
    // Events of an open select's popup bubble here as well.
    const isInside = section.current?.contains(event.target as Node)
    const isField = event.target instanceof HTMLInputElement
    const isText = isField || event.target instanceof HTMLTextAreaElement
    if (isHeldAnswer(event, isText)) return event.preventDefault()
    if (step === 'answers' || !isInside || event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      return back()
    }
    if (event.key !== 'Enter' || !isText) return
    if (!isField && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    if (step === 'deny' && isShown && !disabled && !busy && denyGuard.isMeant(null)) deny()
    if (step === 'rule' && canAllowAlways && allowGuard.isMeant(null)) allowAlways()
  }
  return (
    <section
      ref={section}
      onKeyDown={onKeyDown}
      aria-label="Permission"
      className="flex max-h-[60vh] flex-col gap-2 rounded-md bg-amber-tint px-3 py-2"
    >
      {/* The answers stay in view below it. */}
      <div className="-mx-3 -mt-2 flex min-h-0 flex-col gap-2 overflow-y-auto px-3 pt-2 pb-0.5">
        <RequestHeading question={question} more={more} />
        <LastWords text={lastText} />
        <CommandToAllow
          command={text}
          label={labels[question.kind as keyof typeof labels]}
          isChange={question.kind === 'edit'}
          onSeen={setSeen}
        />
        <p className="untrusted text-small text-muted">
          In <code className="command-order font-mono">{shownPath(directory)}</code>.{' '}
          {sandbox ? `${sandboxText(sandbox)}. ` : null}
          {visibleText(reasons.join(' '))}
          {isConfiguration
            ? `The commands and code in it run as you, without further questions. ${question.tool} does not start without it. You are asked again when it changes.`
            : null}
        </p>
        {problem}
        {step === 'rule' ? (
          <RuleFields
            proposal={proposal}
            project={project}
            rules={rules}
            onRules={setRules}
            scope={scope}
            onScope={setScope}
          />
        ) : null}
        {step === 'deny' ? (
          <Field label="Say why" hint="Sent to the agent. Optional.">
            <TextInput
              ref={focusNew}
              value={message}
              onChange={({ target }) => {
                setMessage(target.value)
                props.onDraft?.(target.value)
              }}
            />
          </Field>
        ) : null}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {step === 'answers' ? (
          <>
            <AnswerButton
              ref={allowOnce}
              guard={allowGuard}
              variant="primary"
              busy={busy}
              disabled={!clickable}
              title={unreachable}
              onAnswer={() => onDecide({ kind: 'allow-once' })}
            >
              {isConfiguration ? 'Allow and start' : 'Allow once'}
            </AnswerButton>
            {proposal.length > 0 ? (
              <Button
                ref={opener('rule')}
                disabled={!allowable}
                title={unreachable}
                onClick={() => open('rule')}
              >
                Allow with a rule…
              </Button>
            ) : null}
            {isConfiguration ? (
              <AnswerButton
                guard={denyGuard}
                disabled={!deniable || busy}
                title={unreachable}
                onAnswer={() => onDecide({ kind: 'deny', message: '' })}
              >
                Deny
              </AnswerButton>
            ) : (
              <Button
                ref={opener('deny')}
                disabled={disabled}
                title={unreachable}
                onClick={() => open('deny')}
              >
                Deny…
              </Button>
            )}
          </>
        ) : (
          <>
            {step === 'rule' ? (
              <AnswerButton
                guard={allowGuard}
                variant="primary"
                busy={busy}
                disabled={!clickable || listed.length === 0}
                title={unreachable}
                onAnswer={allowAlways}
              >
                Allow and remember
              </AnswerButton>
            ) : (
              <AnswerButton
                guard={denyGuard}
                variant="danger"
                busy={busy}
                disabled={!deniable}
                title={unreachable}
                onAnswer={deny}
              >
                Deny
              </AnswerButton>
            )}
            <Button onClick={back}>Back</Button>
          </>
        )}
      </div>
    </section>
  )
}

type Step = 'answers' | 'rule' | 'deny'

/** The shown step. Going back gives the focus to the button that opened it. */
function useStep() {
  const [step, setStep] = useState<Step>('answers')
  const left = useRef<Step>('answers')
  return {
    step,
    open: setStep,
    back() {
      left.current = step
      setStep('answers')
    },
    /** Returns the ref of the button that opens a step. */
    opener: (opened: Step) => (element: HTMLElement | null) => {
      if (left.current !== opened) return
      left.current = 'answers'
      element?.focus()
    },
  }
}

/**
 * Whether a key is still held, from the request before or from the button that opened a step: it must not answer. A held
 * space in a text is typed.
 */
const isHeldAnswer = ({ repeat, key }: KeyboardEvent, isText: boolean): boolean =>
  repeat && (key === 'Enter' || (key === ' ' && !isText))

/** An agent can name a folder. */
const shownPath = (path: string): string => visibleText(path).replaceAll('\n', '␊')

const labels = {
  command: 'The command',
  edit: 'The change',
  other: 'The call',
  configuration: 'The configuration',
} as const
