import type { ProjectSetup } from '../../../shared/contract/projects.ts'
import { CommandToAllow } from '../../components/approval/command-to-allow.tsx'

/** A command that came with the repository: it runs only after the person has seen and allowed it. */
export function SetupTrust(props: { setup: ProjectSetup; onSeen: (seen: boolean) => void }) {
  const { setup, onSeen } = props
  return (
    <section
      aria-label="Set-up command"
      className="flex flex-col gap-2 rounded-md bg-amber-tint px-3 py-2"
    >
      <p>
        <span className="font-semibold">This project brings a set-up.</span>{' '}
        {setup.setup === null
          ? 'This project asks for more variables for its agents.'
          : 'Its command runs in each new worktree, as you, before the agent begins:'}
      </p>
      {setup.setup === null ? null : (
        <CommandToAllow command={setup.setup} label="The command" onSeen={onSeen} />
      )}
      {setup.env.length > 0 ? (
        <p className="untrusted text-small">
          Its agents are given {setup.env.join(', ')} from your environment.
        </p>
      ) : null}
      {setup.copy.length > 0 ? (
        <p className="untrusted text-small text-muted">
          It also gets a copy of {setup.copy.join(', ')}.
        </p>
      ) : null}
      <p className="text-small text-muted">
        Allow this only if you trust its author. Without it, the agent can only run in the project
        folder. You are asked again when <code className="font-mono">.shiplog/project.yaml</code>{' '}
        changes.
      </p>
    </section>
  )
}
