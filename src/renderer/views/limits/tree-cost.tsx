import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { amountText } from '../../../shared/text/usage-text.ts'
import { Cost, classNames, Tokens, useClockText } from '../../components/primitives/index.ts'
import { type TreeUse, useTreeUse } from '../../store/tree-use.ts'

/** Tokens and cost of a task with its sub-agents, and the part of its budget that is nearest its limit. */
export function TreeCost({ task }: { task: Task }) {
  const use = useTreeUse(task)
  const { inputTokens, outputTokens, complete } = use.usage
  return (
    <>
      {inputTokens + outputTokens > 0 ? (
        <Tokens input={inputTokens} output={outputTokens} complete={complete} />
      ) : null}
      <Cost usage={use.usage} />
      {task.options.budget && task.parentId === null ? <BudgetMeter use={use} /> : null}
    </>
  )
}

/** `82% of $5.00`. */
function BudgetMeter({ use }: { use: TreeUse }) {
  const text = useClockText((now) => {
    const [first] = use.parts(now)
    if (!first) return ''
    return `${Math.floor((first.used / first.limit) * 100)}% of ${amountText(first.part, first.limit)}`
  })
  if (text === '') return null
  return (
    <span
      title="How far the limit is used, by this agent and all its sub-agents"
      className={classNames('tabular', Number.parseInt(text, 10) >= 80 && 'text-amber')}
    >
      {text}
    </span>
  )
}
