import { useEffect, useId, useState } from 'react'
import {
  type SandboxSetting,
  type SandboxSupport,
  sandboxLabels,
  sandboxSettingSchema,
} from '../../../shared/records/projects/sandbox.ts'
import { NoticeLine } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'

const hints: Record<SandboxSetting, string> = {
  off: 'They can do whatever you can, once they are allowed.',
  writes:
    'And what a commit needs in .git. Caches in your home folder, such as npm’s, can’t be written.',
  'writes-and-network': 'Servers on this computer can’t be reached either.',
}

/** The choice of a sandbox for the commands of a project's agents, and whether this system has one. */
export function SandboxFields(props: {
  value: SandboxSetting
  onChange(value: SandboxSetting): void
}) {
  const { value, onChange } = props
  const { client } = useStores()
  const name = useId()
  const [support, setSupport] = useState<SandboxSupport | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    let wanted = true
    client.app.sandbox().then(
      (found) => wanted && setSupport(found),
      (error: unknown) => wanted && setProblem(problemOf(error, 'look for a sandbox')),
    )
    return () => {
      wanted = false
    }
  }, [client])
  const isMissing = support?.program === null
  return (
    <section className="flex flex-col gap-2 border-t pt-4">
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-semibold">Sandbox for commands</legend>
        {sandboxSettingSchema.options.map((setting) => (
          <label key={setting} className="flex gap-2">
            <input
              type="radio"
              name={name}
              checked={value === setting}
              onChange={() => onChange(setting)}
              className="mt-0.5 size-4 shrink-0 accent-[var(--accent-fill)]"
            />
            <span>
              {sandboxLabels[setting]}
              <span className="block text-small text-muted">{hints[setting]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isMissing ? (
        <NoticeLine
          tone={value === 'off' ? 'info' : 'warning'}
          text={`Commands run without a sandbox here: ${support.why}.`}
        />
      ) : null}
      <p className="text-small text-muted">
        {support?.program ? `By ${support.program}. ` : ''}Applies to agents’ commands from each
        agent’s next run on. The set-up command runs in it too, with network and with the caches of
        package managers.
      </p>
      {problem ? <ProblemNotice problem={problem} /> : null}
    </section>
  )
}
