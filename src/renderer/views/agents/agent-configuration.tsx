import type { ConfigurationToAllow } from '../../../shared/contract/agents.ts'
import { CommandToAllow } from '../../components/approval/command-to-allow.tsx'
import { NoticeLine } from '../../components/primitives/index.ts'

/** Shows what a repository configures for an installed agent, which runs only after the user has seen and allowed it. */
export function AgentConfiguration(props: {
  name: string
  configuration: ConfigurationToAllow
  onSeen(seen: boolean): void
}) {
  const { name, configuration, onSeen } = props
  const { text, unshowable } = configuration
  return (
    <>
      {unshowable.length > 0 ? (
        <NoticeLine
          tone="warning"
          text={`${name} does not start where ${unshowable.map(({ path, why }) => `${path} ${why}`).join(', and ')}.`}
        />
      ) : null}
      {text === '' ? null : (
        <section
          aria-label="Configuration of the agent"
          className="flex flex-col gap-2 rounded-md bg-amber-tint px-3 py-2"
        >
          <p>
            <span className="font-semibold">This repository configures {name}.</span> The commands
            and code in it run as you, without further questions:
          </p>
          <CommandToAllow command={text} label="The configuration" onSeen={onSeen} />
          <p className="text-small text-muted">
            {name} does not start without it. You are asked again when it changes.
          </p>
        </section>
      )}
    </>
  )
}
