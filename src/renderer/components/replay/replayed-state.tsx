import type { ReactNode } from 'react'
import type { PlanItem } from '../../../shared/agents/agent-records.ts'
import type { ReplayState } from '../../../shared/projections/replay/replay-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { TaskStatus } from '../../../shared/records/tasks/task-status.ts'
import { modeLabel } from '../permissions/mode-options.ts'
import { counted, exactCount, roundedCount, timeOfDayWithSeconds } from '../primitives/format.ts'
import {
  Cost,
  Skeleton,
  StatusIcon,
  statusLabel,
  TextButton,
  TitleText,
  Tokens,
} from '../primitives/index.ts'

/** A sub-agent at the moment. */
export interface ReplayedAgent {
  id: TaskId
  title: string
  /** Its status at the moment; null: it had not started. */
  status: TaskStatus | null
  /** The status that its parent last received, and when; null: none. */
  lastReported: { status: TaskStatus; at: number } | null
}

/** The state at the moment: place, agent, plan, sub-agents, and changes while it was stopped. */
export function ReplayedState(props: {
  state: ReplayState
  /** Null: the plan is being read. Empty: there was none. */
  plan: PlanItem[] | null
  agents: readonly ReplayedAgent[]
  onAgent(id: TaskId): void
}) {
  const { state, plan, agents, onAgent } = props
  const { directory, branch, worktree, run, resume, running } = state
  const model = state.model ?? state.runModel
  const used = state.usage.inputTokens + state.usage.outputTokens
  return (
    <div className="flex flex-col gap-4 p-4">
      <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1">
        <Fact name="Run">{run ? runText(run) : 'Not started'}</Fact>
        {running.length > 0 ? (
          <Fact name="Doing">
            {running.map(({ seq, text }) => (
              <span key={seq} className="block truncate" title={text}>
                {text}
              </span>
            ))}
          </Fact>
        ) : null}
        <Fact name="Directory">{directory ? <Code text={directory} /> : unknown}</Fact>
        <Fact name="Branch">{branch ? <Code text={branch} /> : 'None'}</Fact>
        <Fact name="Worktree">{worktree ? <Code text={worktree.path} /> : 'None'}</Fact>
        {model === null ? null : <Fact name="Model">{model}</Fact>}
        {state.permissions ? <Fact name="Permissions">{modeLabel(state.permissions)}</Fact> : null}
        {state.contextTokens === null ? null : (
          <Fact name="Context">
            <span className="tabular" title={`${exactCount(state.contextTokens)} tokens`}>
              {roundedCount(state.contextTokens)} tokens
              {state.compactions > 0 ? `, compacted ${counted(state.compactions, 'time')}` : ''}
            </span>
          </Fact>
        )}
        {/* A script uses no model. */}
        {model === null && used === 0 ? null : (
          <Fact name="Used">
            <Tokens
              input={state.usage.inputTokens}
              output={state.usage.outputTokens}
              complete={state.usage.complete}
            />{' '}
            <Cost usage={state.usage} className="text-muted" />
          </Fact>
        )}
        {state.failedCalls > 0 ? (
          <Fact name="Errors">{counted(state.failedCalls, 'failed call')}</Fact>
        ) : null}
        {state.pullRequest ? (
          <Fact name="Pull request">
            <Code text={state.pullRequest} />
          </Fact>
        ) : null}
      </dl>
      {resume ? (
        <Part title="Last resume">
          {resume.drift.length === 0 ? (
            <p className="text-muted">Nothing had changed.</p>
          ) : (
            <ul className="untrusted list-disc pl-4">
              {resume.drift.map((line) => (
                <li key={line}>{line}</li>
              ))}
              {resume.driftMore > 0 ? <li>and {resume.driftMore} more</li> : null}
            </ul>
          )}
        </Part>
      ) : null}
      {state.plan ? (
        <Part title={`Plan, ${state.plan.done} of ${state.plan.total} done`}>
          {plan === null ? <Skeleton lines={3} /> : <Plan items={plan} />}
        </Part>
      ) : null}
      {agents.length > 0 ? (
        <Part title={`Sub-agents, ${agents.length}`}>
          <ul className="flex flex-col gap-1">
            {agents.map((agent) => (
              <Agent key={agent.id} agent={agent} onOpen={() => onAgent(agent.id)} />
            ))}
          </ul>
        </Part>
      ) : null}
    </div>
  )
}

const unknown = <span className="text-muted">Unknown</span>

const runText = ({ run, ended }: NonNullable<ReplayState['run']>): string =>
  ended ? `Run ${run}, ${ended.status}` : `Run ${run}, running`

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="untrusted min-w-0">{children}</dd>
    </>
  )
}

const Code = ({ text }: { text: string }) => (
  <span className="font-mono text-code wrap-anywhere">{text}</span>
)

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  )
}

const planSigns = { pending: '○', 'in-progress': '◐', completed: '✓' } as const

function Plan({ items }: { items: PlanItem[] }) {
  return (
    <ul className="untrusted flex flex-col gap-0.5">
      {items.map(({ text, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item of a plan is its place
        <li key={index} className={`flex gap-2 ${status === 'completed' ? 'text-muted' : ''}`}>
          <span aria-hidden>{planSigns[status]}</span>
          <span className="min-w-0">
            {text}
            <span className="sr-only"> ({status})</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Agent({ agent, onOpen }: { agent: ReplayedAgent; onOpen(): void }) {
  const { title, status, lastReported } = agent
  return (
    <li className="flex min-w-0 items-start gap-2">
      <StatusIcon status={status ?? 'queued'} />
      <span className="flex min-w-0 flex-1 flex-col">
        <TextButton className="min-w-0 truncate text-left" onClick={onOpen}>
          <TitleText title={title} />
        </TextButton>
        <span className="text-small text-muted">{reportedText(status, lastReported)}</span>
      </span>
    </li>
  )
}

/** Describes the status that the parent last received, if it differs from the sub-agent's own. */
function reportedText(
  status: TaskStatus | null,
  lastReported: ReplayedAgent['lastReported'],
): string {
  if (lastReported === null) return 'The parent had seen no status of it'
  const at = timeOfDayWithSeconds(new Date(lastReported.at).toISOString())
  const known = statusLabel(lastReported.status)
  return lastReported.status === status
    ? `The parent saw this at ${at}`
    : `The parent last saw it as “${known}”, at ${at}`
}
