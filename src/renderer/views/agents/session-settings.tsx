import { useState } from 'react'
import type { InstalledAgentState, SessionOption } from '../../../shared/agents/agent-checks.ts'
import { Button, Field, NoticeLine, Select } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { showProblem } from '../app/toasts.ts'
import type { SessionSettings as Settings } from './use-agent-choice.ts'

/** The agent's own default: no value is sent. */
const agentDefault = ''

/** Model, mode and other settings of an installed agent's sessions, as offered in its newest check. */
export function SessionSettings(props: {
  agent: InstalledAgentState
  value: Settings
  onChange(value: Settings): void
  onChecked(): void
}) {
  const { agent, value, onChange, onChecked } = props
  const { check, signedIn, signIn } = agent
  if (!check || (check.modes === null && check.options.length === 0))
    return <UncheckedAgent agent={agent} onChecked={onChecked} />
  const isMode = ({ category }: SessionOption) => category === 'mode'
  const modeOption = check.options.find(isMode)
  const modes = check.modes?.choices ?? modeOption?.choices ?? []
  const options = check.options.filter((one) => !isMode(one))
  const setOption = (id: string, chosen: string | boolean | null) => {
    const { [id]: _, ...others } = value.options
    onChange({ ...value, options: chosen === null ? others : { ...others, [id]: chosen } })
  }
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        {options.map((option) => (
          <OptionField
            key={option.id}
            option={option}
            value={value.options[option.id] ?? null}
            onChange={(chosen) => setOption(option.id, chosen)}
          />
        ))}
        {modes.length > 0 ? (
          <Field
            label="Mode"
            hint={value.mode === null ? null : 'It may do more without asking in this mode.'}
          >
            <Select
              value={
                modes.some((one) => one.value === value.mode)
                  ? (value.mode ?? agentDefault)
                  : agentDefault
              }
              onChange={(mode) => onChange({ ...value, mode: mode === agentDefault ? null : mode })}
              options={[
                {
                  value: agentDefault,
                  label: agent.own ? 'Its default' : 'Asks before it acts',
                  hint: agent.own?.mode ?? (agent.own ? undefined : 'Your permissions decide'),
                },
                ...modes.map((mode) => ({
                  value: mode.value,
                  label: mode.name,
                  hint: mode.description ?? undefined,
                })),
              ]}
            />
          </Field>
        ) : null}
      </div>
      {signedIn === false ? (
        <NoticeLine tone="warning" text={`${agent.name} is not signed in. ${signIn.text}.`} />
      ) : null}
    </>
  )
}

function OptionField(props: {
  option: SessionOption
  value: string | boolean | null
  onChange(value: string | boolean | null): void
}) {
  const { option, value, onChange } = props
  const { name, description, current, choices } = option
  const ownName = choices.find((one) => one.value === current)?.name ?? (current ? 'On' : 'Off')
  const offered =
    choices.length > 0
      ? choices.map((one) => ({
          value: one.value,
          label: one.name,
          hint: one.description ?? undefined,
        }))
      : [
          { value: 'true', label: 'On' },
          { value: 'false', label: 'Off' },
        ]
  const shown = value === null ? agentDefault : String(value)
  return (
    <Field label={name} hint={description}>
      <Select
        value={offered.some((one) => one.value === shown) ? shown : agentDefault}
        onChange={(chosen) => {
          if (chosen === agentDefault) onChange(null)
          else onChange(choices.length > 0 ? chosen : chosen === 'true')
        }}
        options={[{ value: agentDefault, label: `Default (${ownName})` }, ...offered]}
      />
    </Field>
  )
}

/** Its models and modes are unknown until it has been checked. */
function UncheckedAgent(props: { agent: InstalledAgentState; onChecked(): void }) {
  const { agent, onChecked } = props
  const { id, name, check, signedIn, signIn } = agent
  const { client } = useStores()
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    await client.agents.check({ id }).then(
      () => onChecked(),
      (error: unknown) => showProblem(problemOf(error, `check ${name}`)),
    )
    setBusy(false)
  }
  if (check?.outcome === 'ready')
    return <p className="text-small text-muted">{name} chooses its model and mode itself.</p>
  return (
    <div className="flex flex-col gap-2">
      {check ? (
        <NoticeLine
          tone="warning"
          text={
            signedIn === false
              ? `${name} is not signed in. ${signIn.text}.`
              : `${name} could not be started at its last check: ${check.why}`
          }
        />
      ) : null}
      <div className="flex items-center gap-3">
        <Button
          busy={busy}
          disabled={unreachable !== undefined && !busy}
          title={unreachable}
          onClick={() => void run()}
        >
          {busy ? 'Checking…' : check ? 'Check again' : 'Show its models and modes'}
        </Button>
        <p className="min-w-0 flex-1 text-small text-muted">
          {check ? null : `Starts ${name} once in an empty folder to read them.`}
        </p>
      </div>
    </div>
  )
}
