import { useRef, useState } from 'react'
import type { OwnAgent } from '../../../shared/agents/agent-checks.ts'
import { Field, TextArea, TextInput, toast } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'

/** Any program that speaks the Agent Client Protocol, as an agent of the user's own. */
export function OwnAgentDialog(props: { agent: OwnAgent | null; onSaved(): void }) {
  const { agent, onSaved } = props
  const { client } = useStores()
  const first = useRef<HTMLInputElement>(null)
  const [name, setName] = useState(agent?.name ?? '')
  const [command, setCommand] = useState(agent?.command ?? '')
  const [mode, setMode] = useState(agent?.mode ?? '')
  const [passes, setPasses] = useState(agent?.passes.join(' ') ?? '')
  const [sets, setSets] = useState(
    Object.entries(agent?.sets ?? {})
      .map(([variable, value]) => `${variable}=${value}`)
      .join('\n'),
  )
  const [problem, setProblem] = useState<Problem | null>(null)
  const errorOf = (field: string) => (problem?.field === field ? problem.message : null)
  const badLine = sets.split('\n').find((line) => line.trim() !== '' && !line.includes('='))
  const submit = async () => {
    setProblem(null)
    try {
      await client.agents.saveOwn({
        name: name.trim(),
        command: command.trim(),
        ...(mode.trim() !== '' && { mode: mode.trim() }),
        passes: passes.split(/[\s,]+/).filter(Boolean),
        sets: variablesIn(sets),
      })
    } catch (error) {
      const found = problemOf(error, 'save the agent')
      if (found.field) setProblem(found)
      throw error
    }
    onSaved()
    // The row shows the reason if this fails.
    const listed = await client.agents.list().catch(() => null)
    const saved = listed?.agents.find(({ id }) => id === name.trim())
    if (saved && !saved.available)
      toast.error(`${name.trim()} was saved, but it can’t start: ${saved.why}.`)
    else toast.success(`${name.trim()} was saved. Check it to see what it can do.`)
  }
  return (
    <FormDialog
      title={agent ? `Change ${agent.name}` : 'Add a command'}
      action="Save"
      doing="save the agent"
      canSubmit={name.trim() !== '' && command.trim() !== '' && badLine === undefined}
      submit={submit}
      submitsByModEnter
      focus={first}
    >
      <p className="text-muted">
        Any program that speaks the Agent Client Protocol on its standard input and output.
      </p>
      {agent ? null : (
        <Field label="Name" hint="Shown where you choose an agent." error={errorOf('name')}>
          <TextInput
            ref={first}
            value={name}
            placeholder="copilot"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <Field
        label="Command"
        hint="The program and its arguments. No shell runs it."
        error={errorOf('command')}
      >
        <TextInput
          ref={agent ? first : undefined}
          value={command}
          placeholder="copilot --acp"
          className="font-mono text-code"
          onChange={(event) => setCommand(event.target.value)}
        />
      </Field>
      <Field
        label="Mode"
        hint="The session mode, by the agent’s name for it. Leave it empty for its default."
        error={errorOf('mode')}
      >
        <TextInput value={mode} onChange={(event) => setMode(event.target.value)} />
      </Field>
      <Field
        label="Secret variables to pass on"
        hint="Their names, in the environment that Shiplog was started in. All others are withheld."
        error={errorOf('passes')}
      >
        <TextInput
          value={passes}
          placeholder="GH_TOKEN"
          className="font-mono text-code"
          onChange={(event) => setPasses(event.target.value)}
        />
      </Field>
      <Field
        label="Variables"
        hint="One NAME=VALUE per line. No secrets: these values are recorded."
        error={badLine === undefined ? errorOf('sets') : `“${badLine}” is not NAME=VALUE.`}
      >
        <TextArea
          rows={2}
          value={sets}
          className="font-mono text-code"
          onChange={(event) => setSets(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}

const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => {
        const at = line.indexOf('=')
        return [line.slice(0, at).trim(), line.slice(at + 1)]
      }),
  )
