import { useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { budgetText } from '../../../shared/text/usage-text.ts'
import {
  BudgetFields,
  budgetOfTexts,
  budgetTexts,
  isBudgetValid,
} from '../../components/limits/budget-fields.tsx'
import { useStores, useTask } from '../../store/hooks.ts'
import { useTreeUse } from '../../store/tree-use.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { usedText } from './used-text.ts'

/** Changes the budget of a root and all its sub-agents. */
export function BudgetDialog({ taskId }: { taskId: TaskId }) {
  const { client } = useStores()
  const task = useTask(taskId)
  const [texts, setTexts] = useState(() => budgetTexts(task?.options.budget))
  const [allowUnpriced, setAllowUnpriced] = useState(task?.options.budget?.allowUnpriced ?? false)
  const used = useTreeUse(task)
  const words = usedText(used)
  if (!task) return null
  const isUnpriced = task.budgetReached?.some(({ level }) => level === 'unpriced') ?? false
  return (
    <FormDialog
      title="Limits"
      action="Set limits"
      doing="set the limits"
      canSubmit={isBudgetValid(texts)}
      submit={async () => {
        await client.tasks.setBudget({ taskId, budget: budgetOfTexts(texts, allowUnpriced) })
      }}
    >
      <p className="text-muted">
        For this agent and all its sub-agents, from the beginning. Used so far: {words}. Now:{' '}
        {budgetText(task.options.budget)}.
      </p>
      <BudgetFields value={texts} onChange={setTexts} />
      {isUnpriced || allowUnpriced ? (
        <label className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent-fill)]"
            checked={allowUnpriced}
            onChange={(event) => setAllowUnpriced(event.target.checked)}
          />
          Continue although part of the usage has no known price; only the rest counts
        </label>
      ) : null}
    </FormDialog>
  )
}
