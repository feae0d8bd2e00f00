/**
 * An agent's request for permission: its exact effect (K6), who asks, where, the agent's last
 * message, and the three answers. A proposed rule can be changed before it is saved.
 */
import { type ReactNode, useEffect, useState } from 'react'
import type { PendingPermission, PermissionDecision } from '../../../shared/agents/permissions.ts'
import { sandboxText } from '../../../shared/records/projects/sandbox.ts'
import { Button, Field, Select, StatusIcon, TextArea, TextInput } from '../primitives/index.ts'
import { CommandToAllow } from './command-to-allow.tsx'

/** Focuses a field that appears for an answer, because it is used next. */
const focus = (element: HTMLElement | null): void => element?.focus()

type Scope = Extract<PermissionDecision, { kind: 'allow-always' }>['scope']
type Step = 'answers' | 'rule' | 'deny'

interface PromptProps {
  question: PendingPermission
  /** The project of the proposed rule. */
  project: string
  /** The number of requests waiting after this one. */
  more?: number
  busy: boolean
  /** Why no answer can be sent now. */
  unreachable?: string | undefined
  /** The error of the last answer. */
  problem?: ReactNode
  onDecide(decision: PermissionDecision): void
}

/** Shows a permission request, or a question of the agent's own. */
export function PermissionPrompt(props: PromptProps) {
  return props.question.kind === 'question' ? (
    <QuestionPrompt {...props} />
  ) : (
    <ActionPrompt {...props} />
  )
}

function ActionPrompt(props: PromptProps) {
  const { question, project, more = 0, busy, unreachable, problem, onDecide } = props
  const { text, directory, sandbox, lastText, reasons, proposal } = question
  const [step, setStep] = useState<Step>('answers')
  const [seen, setSeen] = useState(false)
  const [rules, setRules] = useState(proposal.join('\n'))
  const [scope, setScope] = useState<Scope>('project')
  const [message, setMessage] = useState('')
  const listed = rules.split('\n').flatMap((rule) => rule.trim() || [])
  const isConfiguration = question.kind === 'configuration'
  const disabled = unreachable !== undefined
  const allowable = useIsSettled() && seen && !disabled
  return (
    <section
      aria-label="Permission"
      className="flex max-h-[60vh] flex-col gap-2 overflow-y-auto rounded-md bg-amber-tint px-3 py-2"
    >
      <Heading question={question} more={more} />
      {lastText.trim() === '' ? null : (
        <p className="untrusted line-clamp-3 text-muted">{lastText.trim()}</p>
      )}
      <CommandToAllow
        command={text}
        label={labels[question.kind as keyof typeof labels]}
        isChange={question.kind === 'edit'}
        onSeen={setSeen}
      />
      <p className="untrusted text-small text-muted">
        In <code className="font-mono">{directory}</code>.{' '}
        {sandbox ? `${sandboxText(sandbox)}. ` : null}
        {reasons.join(' ')}
        {isConfiguration
          ? `The commands and code in it run as you, without further questions. ${question.tool} does not start without it. You are asked again when it changes.`
          : null}
      </p>
      {problem}
      {step === 'rule' ? (
        <div className="flex flex-col gap-2">
          <Field
            label={proposal.length > 1 ? 'Rules to remember' : 'Rule to remember'}
            hint="One per line. * matches anything."
          >
            <TextArea
              ref={focus}
              rows={Math.min(4, Math.max(1, proposal.length))}
              value={rules}
              onChange={(event) => setRules(event.target.value)}
              className="font-mono text-code"
            />
          </Field>
          <Field label="For" className="max-w-60">
            <Select<Scope>
              value={scope}
              onChange={setScope}
              options={[
                { value: 'project', label: project },
                { value: 'everywhere', label: 'All projects' },
              ]}
            />
          </Field>
        </div>
      ) : null}
      {step === 'deny' ? (
        <Field label="Say why" hint="Sent to the agent. Optional.">
          <TextInput
            ref={focus}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        </Field>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        {step === 'answers' ? (
          <>
            <Button
              variant="primary"
              busy={busy}
              disabled={!allowable}
              title={unreachable}
              onClick={() => onDecide({ kind: 'allow-once' })}
            >
              {isConfiguration ? 'Allow and start' : 'Allow once'}
            </Button>
            {proposal.length > 0 ? (
              <Button disabled={!allowable} title={unreachable} onClick={() => setStep('rule')}>
                Allow with a rule…
              </Button>
            ) : null}
            {isConfiguration ? (
              <Button
                disabled={disabled || busy}
                title={unreachable}
                onClick={() => onDecide({ kind: 'deny', message: '' })}
              >
                Deny
              </Button>
            ) : (
              <Button disabled={disabled} title={unreachable} onClick={() => setStep('deny')}>
                Deny…
              </Button>
            )}
          </>
        ) : (
          <>
            {step === 'rule' ? (
              <Button
                variant="primary"
                busy={busy}
                disabled={!allowable || listed.length === 0}
                title={unreachable}
                onClick={() => onDecide({ kind: 'allow-always', rules: listed, scope })}
              >
                Allow and remember
              </Button>
            ) : (
              <Button
                variant="danger"
                busy={busy}
                disabled={disabled}
                title={unreachable}
                onClick={() => onDecide({ kind: 'deny', message })}
              >
                Deny
              </Button>
            )}
            <Button onClick={() => setStep('answers')}>Back</Button>
          </>
        )}
      </div>
    </section>
  )
}

/** Longer than between two clicks of a double click, and than a click takes that was already begun. */
const settledMs = 600

/**
 * False at first: a request may take the place of another, and the click that was meant for that one
 * must not allow this one unread.
 */
function useIsSettled(): boolean {
  const [isSettled, setIsSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), settledMs)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}

/** Choices as buttons, and an answer in the user's own words. */
function QuestionPrompt({ question, more = 0, busy, unreachable, problem, onDecide }: PromptProps) {
  const { text, choices = [], lastText } = question
  const [answer, setAnswer] = useState('')
  const disabled = unreachable !== undefined || busy
  const typed = answer.trim()
  const send = () => onDecide({ kind: 'answer', text: typed })
  return (
    <section
      aria-label="Question"
      className="flex max-h-[60vh] flex-col gap-2 overflow-y-auto rounded-md bg-amber-tint px-3 py-2"
    >
      <Heading question={question} more={more} />
      {lastText.trim() === '' ? null : (
        <p className="untrusted line-clamp-3 text-muted">{lastText.trim()}</p>
      )}
      <p className="untrusted text-read whitespace-pre-wrap" dir="auto">
        {text}
      </p>
      {problem}
      {choices.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {choices.map((choice) => (
            <Button
              key={choice}
              disabled={disabled}
              title={unreachable}
              onClick={() => onDecide({ kind: 'answer', text: choice })}
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
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || typed === '') return
            event.preventDefault()
            if (!disabled) send()
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
          disabled={disabled}
          title={unreachable}
          onClick={() => onDecide({ kind: 'deny', message: '' })}
        >
          Let the agent decide
        </Button>
      </div>
    </section>
  )
}

const labels = {
  command: 'The command',
  edit: 'The change',
  other: 'The call',
  configuration: 'The configuration',
} as const

const requestText = (question: PendingPermission): string =>
  question.kind === 'question'
    ? 'asks a question'
    : question.kind === 'command'
      ? `asks to run a command${question.inBackground ? ' in the background' : ''}`
      : question.kind === 'edit'
        ? 'asks to change a file'
        : question.kind === 'configuration'
          ? `asks to start ${question.tool}, which runs what this repository configures`
          : `asks to use ${question.tool}`

function Heading({ question, more }: { question: PendingPermission; more: number }) {
  const titles = question.chain.map(({ title }) => title)
  return (
    <div className="flex items-start gap-2">
      <StatusIcon status="waiting" decorative className="mt-0.5" />
      <h2 className="untrusted min-w-0 flex-1">
        <span className="font-semibold">{titles.join(' › ')}</span> {requestText(question)}
      </h2>
      {more > 0 ? <span className="shrink-0 text-small text-muted">{more} more</span> : null}
    </div>
  )
}
