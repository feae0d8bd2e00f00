import { useEffect, useState } from 'react'
import type { ProjectSetup } from '../../../shared/contract/projects.ts'
import { listed } from '../../../shared/text/counted.ts'
import { CommandToAllow } from '../../components/approval/command-to-allow.tsx'

/** Whether there are commands that must be read before they can be allowed. */
export const mustBeSeen = ({ setup, git }: ProjectSetup): boolean =>
  setup !== null || gitText(git) !== ''

/** Commands of the repository: they run only after the user has seen and allowed them. */
export function SetupTrust(props: { setup: ProjectSetup; onSeen: (seen: boolean) => void }) {
  const { setup, onSeen } = props
  const gitActions = gitText(setup.git)
  const [setupSeen, setSetupSeen] = useState(false)
  const [gitSeen, setGitSeen] = useState(false)
  const seen = (setup.setup === null || setupSeen) && (gitActions === '' || gitSeen)
  useEffect(() => onSeen(seen), [seen, onSeen])
  return (
    <section
      aria-label="Set-up command"
      className="flex flex-col gap-2 rounded-md bg-amber-tint px-3 py-2"
    >
      {/* First, because the rest may be long and the user need not scroll through it. */}
      {setup.env.length > 0 ? (
        <p className="untrusted">
          <span className="font-semibold">This project asks for secrets for its agents.</span> They
          get {listed(setup.env)} from your environment.
        </p>
      ) : null}
      {setup.setup === null ? null : (
        <>
          <p>
            <span className="font-semibold">This project has a set-up command.</span> It runs as
            you, in each new worktree, before the agent starts:
          </p>
          <CommandToAllow command={setup.setup} label="The command" onSeen={setSetupSeen} />
        </>
      )}
      {gitActions === '' ? null : (
        <>
          <p>
            <span className="font-semibold">Its Git configuration runs commands.</span> The settings
            in its .git folder make Git do this, as you:
          </p>
          <CommandToAllow command={gitActions} label="What Git would do" onSeen={setGitSeen} />
        </>
      )}
      {setup.copy.length > 0 ? (
        <p className="untrusted text-small text-muted">
          Each new worktree also gets a copy of {listed(setup.copy)}.
        </p>
      ) : null}
      <p className="text-small text-muted">
        Allow this only if you trust its author. Without it, the agent can only run in the project
        folder. You are asked again when it changes.
      </p>
    </section>
  )
}

function gitText(git: ProjectSetup['git']): string {
  const fetches = git?.fetches ?? []
  const lines = fetches.map(({ remote, url }) => `fetch what is missing from ${url} (${remote})`)
  return [git?.commands ?? '', ...lines].filter(Boolean).join('\n')
}
