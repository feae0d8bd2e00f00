/** Asks in the terminal how a tree that has reached a limit continues (Q2). */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import {
  type ReachedLimit,
  raisedAmount,
  reachedLimit,
} from '../../../../shared/projections/ledger/budget-limit.ts'
import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { BudgetPart } from '../../../../shared/records/tasks/budgets.ts'
import { isRunning } from '../../../../shared/records/tasks/task-status.ts'
import { amountText, reachedText } from '../../../../shared/text/usage-text.ts'
import type { CliContext } from '../context.ts'
import { safeLine } from './safe-text.ts'

export interface PausedTree {
  /** The root of the tree. */
  taskId: TaskId
  title: string
  reached: ReachedLimit
}

/** The trees whose running agents are paused by a limit. */
export function pausedTrees(state: LedgerState): PausedTree[] {
  const atWork = new Set(
    [...state.tasks.values()].flatMap(({ rootId, status }) => (isRunning(status) ? [rootId] : [])),
  )
  return [...atWork].flatMap((rootId) => {
    const root = state.tasks.get(rootId)
    const reached = root && reachedLimit(root)
    return reached ? [{ taskId: rootId, title: root.title, reached }] : []
  })
}

/** Asks until the answer is a valid one, and carries it out. Rejects when that fails. */
export async function askAboutBudget(
  context: CliContext,
  client: ShiplogClient,
  { taskId, title, reached }: PausedTree,
  answer: (text: string) => Promise<string>,
): Promise<void> {
  const { part, level, budget } = reached
  await context.say('')
  await context.say(
    `"${safeLine(title)}": ${reachedText(reached)} Its agents pause before their next step.`,
  )
  const next = raisedAmount(reached)
  const continueChoice =
    level === 'spent' ? `[r]aise it to ${amountText(part, next)}` : '[c]ontinue without checking it'
  const question = `${continueChoice}, [w]rap up and report, [s]top, or another limit in ${unitOf[part]}: `
  for (let hint = ''; ; ) {
    const typed = (await answer(hint + question)).trim().toLowerCase()
    if (/^w(rap up)?$/.test(typed)) {
      await client.tasks.wrapUp({ taskId })
      return context.say('Asked to report.')
    }
    if (/^s(top)?$/.test(typed)) {
      await client.tasks.stop({ taskId })
      return
    }
    if (level === 'unpriced' && /^c(ontinue)?$/.test(typed)) {
      await client.tasks.setBudget({ taskId, budget: { ...budget, allowUnpriced: true } })
      return
    }
    const isRaised = level === 'spent' && /^r(aise)?$/.test(typed)
    const amount = isRaised ? next : amountIn(typed, part)
    if (amount === null) {
      hint = `Type ${level === 'spent' ? 'r' : 'c'}, w, s or a number.\n`
    } else if (level === 'spent' && amount <= reached.used) {
      hint = `It has to be more than the ${amountText(part, reached.used)} that are used already.\n`
    } else {
      await client.tasks.setBudget({ taskId, budget: { ...budget, [part]: amount } })
      return context.say(`The limit is ${amountText(part, amount)} now.`)
    }
  }
}

const unitOf: Record<BudgetPart, string> = {
  usd: 'US dollars',
  tokens: 'tokens',
  minutes: 'minutes',
}

/** `50k` is 50,000 tokens; null: no amount that a limit can have. */
function amountIn(text: string, part: BudgetPart): number | null {
  const [, digits = '', scale = ''] =
    /^\$?(\d+(?:\.\d+)?)\s*([km]?)$/.exec(text.replaceAll(/[,_]/g, '')) ?? []
  const amount = Number.parseFloat(digits) * (scale === 'k' ? 1e3 : scale === 'm' ? 1e6 : 1)
  if (!(amount > 0)) return null
  return part === 'tokens' ? Math.ceil(amount) : amount
}
