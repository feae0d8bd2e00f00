import { Popover } from '@base-ui/react/popover'
import { Command } from 'cmdk'
import { ChevronDown } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { installedAgentName } from '../../../shared/agents/installed-agents.ts'
import { modelNameOf } from '../../../shared/agents/model-refs.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { canBeContinuedWith } from '../../components/task/what-next.ts'
import { useStores } from '../../store/hooks.ts'
import { useAgentOffers } from '../agents/use-agent-offers.ts'
import { rankedMatches, scoreOf } from '../palette/search.ts'
import { ModelItems } from './model-items.tsx'
import { PickerItem } from './picker-item.tsx'

/**
 * A small button with the agent of a root, which opens a list of others. Another model applies from the next run on;
 * another agent continues in a new task, with the current draft.
 */
export function AgentPicker(props: {
  task: Task
  draft: string
  open: boolean
  onOpenChange(open: boolean): void
  /** As `PROVIDER/MODEL`. */
  onChooseModel(model: string): void
  disabled?: boolean | undefined
  /** Receives the focus once the list is closed. */
  returnTo: RefObject<HTMLElement | null>
}) {
  const { task, draft, open, onOpenChange, onChooseModel, disabled, returnTo } = props
  const { spec } = task
  const name =
    spec.kind === 'model'
      ? modelNameOf(spec)
      : spec.kind === 'acp'
        ? installedAgentName(spec)
        : 'Scenario'
  const kind = spec.kind === 'model' ? 'Model' : 'Agent'
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger
        disabled={disabled}
        aria-label={`${kind}: ${name}`}
        title={name}
        className="flex h-6 min-w-0 shrink items-center gap-1.5 rounded-md px-1.5 text-small text-muted select-none hover:bg-hover hover:text-ink disabled:opacity-50"
      >
        <span className="untrusted max-w-44 truncate">
          {spec.kind === 'model' ? shortName(spec.model) : name}
        </span>
        <ChevronDown className="size-3 shrink-0" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-50 outline-none">
          <Popover.Popup
            finalFocus={returnTo}
            className="w-[min(360px,calc(100vw-32px))] overflow-hidden rounded-md bg-raised text-ui text-ink shadow-popup outline-none"
          >
            <Popover.Title className="sr-only">Agent of the next run</Popover.Title>
            <Choices
              task={task}
              name={name}
              draft={draft}
              onDone={() => onOpenChange(false)}
              onChooseModel={onChooseModel}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Omits the vendor that a router of models puts before the name. */
const shortName = (model: string): string => model.split('/').at(-1) ?? model

function Choices(props: {
  task: Task
  name: string
  draft: string
  onDone(): void
  onChooseModel(model: string): void
}) {
  const { task, name, draft, onDone, onChooseModel } = props
  const { spec } = task
  const [text, setText] = useState('')
  const isModel = spec.kind === 'model'
  return (
    <Command label="Agents and models" loop shouldFilter={false}>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder={isModel ? 'Find a model, or type PROVIDER/MODEL' : 'Find an agent'}
        className="h-9 w-full border-b bg-transparent px-3 outline-none focus-visible:outline-none"
      />
      <Command.List className="max-h-72 overflow-auto p-1">
        {isModel ? (
          <ModelItems
            spec={spec}
            text={text}
            onChoose={(model) => {
              onDone()
              onChooseModel(model)
            }}
          />
        ) : rankedMatches([name], (one) => scoreOf(text, [one])).length === 0 ? null : (
          <PickerItem value="in use" isCurrent onSelect={onDone}>
            {name}
          </PickerItem>
        )}
        <OtherAgents {...{ task, text, draft, onDone }} />
      </Command.List>
    </Command>
  )
}

/** Lists agents that continue the task as a new one. */
function OtherAgents(props: { task: Task; text: string; draft: string; onDone(): void }) {
  const { task, text, draft, onDone } = props
  const { overlay } = useStores()
  const { offers } = useAgentOffers()
  const { spec } = task
  const current = spec.kind === 'acp' ? (spec.own?.name ?? spec.program) : spec.kind
  const canContinue = canBeContinuedWith(task)
  const listed = offers.flatMap(({ value, label, hint }) => {
    if (value !== current) return [{ value, label, hint }]
    // A model is chosen above, and an interrupted agent is resumed with the settings that it has.
    const hasOthers = spec.kind === 'acp' && task.status !== 'interrupted'
    return hasOthers ? [{ value, label: `${label}, another model or mode`, hint }] : []
  })
  const matches = rankedMatches(listed, ({ label }) => scoreOf(text, [label]))
  if (matches.length === 0) return null
  return (
    <Command.Group
      heading={canContinue ? 'Continue in a new task with' : 'Once it has stopped, continue with'}
      className="mt-1 border-t pt-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-muted"
    >
      {matches.map(({ value, label, hint }) => (
        <PickerItem
          key={value}
          value={`continue with ${value}`}
          hint={hint}
          disabled={!canContinue}
          onSelect={() => {
            onDone()
            overlay.show({ kind: 'continue-from', taskId: task.id, agent: value, draft })
          }}
        >
          {label}…
        </PickerItem>
      ))}
    </Command.Group>
  )
}
