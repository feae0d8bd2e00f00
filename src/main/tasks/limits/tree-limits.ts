/**
 * Enforces the budgets of trees (Q2). The total usage of a tree is compared with its budget before
 * each turn, so that the budget is exceeded by at most one turn per agent. If it is used up, the
 * agents wait for the user; if nobody can be asked, their runs end.
 */

import { isCostIncluded } from '../../../shared/agents/agent-specs.ts'
import { refused } from '../../../shared/failure.ts'
import {
  budgetUse,
  type RunUsage,
  timeAtWork,
  usageOfTasks,
} from '../../../shared/projections/ledger/tree-usage.ts'
import type { PromptId, TaskId } from '../../../shared/records/ids.ts'
import {
  type Budget,
  type BudgetLevel,
  type BudgetPart,
  hasLimit,
  nearShare,
} from '../../../shared/records/tasks/budgets.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Usage } from '../../../shared/records/usage.ts'
import { amountText } from '../../../shared/text/usage-text.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { Interruption } from '../../runs/interruption.ts'
import type { RunLimits } from '../../runs/run-limits.ts'
import { type Board, createBoard } from '../activity/board.ts'
import type { TaskLedger } from '../state/task-ledger.ts'

export type UsageBoard = Board<RunUsage>

export interface TreeLimits {
  /** The usage so far of the runs that have not ended. */
  readonly usage: UsageBoard
  /** `whilePaused` runs its work while the agent has no slot. */
  forRun(
    taskId: TaskId,
    run: number,
    whilePaused: (work: () => Promise<void>) => Promise<void>,
  ): RunLimits
  /** Null: no limit. A paused tree continues if the new budget is enough. Throws FailureError. */
  setBudget(taskId: TaskId, budget: Budget | null): Promise<void>
  /** Gives these runs one last turn, regardless of the budget. */
  wrapUp(taskIds: TaskId[]): void
  /**
   * Makes the agent summarise its conversation before its next turn, in this run or the next.
   * Durable when it resolves.
   */
  compact(taskId: TaskId): Promise<void>
  /** Discards the live usage of a run that has ended. */
  ended(taskId: TaskId): void
}

interface Reached {
  part: BudgetPart
  level: BudgetLevel
  used: number
  limit: number
}

export function createTreeLimits(deps: {
  ledger: Ledger
  taskLedger: TaskLedger
  clock: () => number
  /** Reports whether the user can be asked. If not, a tree whose budget is used up ends. */
  canAsk: () => boolean
  /** Messages for its running agents, and their delivery. */
  messages: {
    of(taskId: TaskId): ReturnType<RunLimits['messages']>
    deliver(taskId: TaskId, promptId: PromptId, record: () => Promise<void>): Promise<boolean>
  }
  /** Called with a sentence for the user. */
  onNotice: (text: string) => void
  /** Called when a run's reported tokens increased, which shows that its model answered. */
  onAnswered?: (taskId: TaskId) => void
}): TreeLimits {
  const { ledger, taskLedger, clock } = deps
  const { state } = ledger
  const usage: UsageBoard = createBoard((a, b) => a === b)
  const live = new Map<TaskId, RunUsage>()
  /** Roots with a turn that did not report its cost, or not all of its tokens. */
  const unmeasured = { usd: new Set<TaskId>(), tokens: new Set<TaskId>() }
  const wrappingUp = new Set<TaskId>()
  /** Wake functions of paused agents, which then check the budget again. */
  const pauses = new Set<() => void>()
  /** Pending writes by limit, because several agents may reach one at once. */
  const recording = new Map<string, Promise<void>>()

  function reachedBy(rootId: TaskId, budget: Budget): Reached[] {
    const tree = [...state.tasks.values()].filter((task) => task.rootId === rootId)
    const used = usageOfTasks(tree, live)
    const workedMs = timeAtWork(tree, taskLedger.get(rootId).budgetPauses, clock())
    const reached = budgetUse(budget, used, workedMs).flatMap((one): Reached[] => {
      if (one.used >= one.limit) return [{ ...one, level: 'spent' }]
      return one.used >= one.limit * nearShare ? [{ ...one, level: 'near' }] : []
    })
    const part = budget.allowUnpriced ? undefined : uncountedPart(rootId, budget, tree)
    if (part) reached.push({ part, level: 'unpriced', used: 0, limit: budget[part] ?? 0 })
    return reached
  }

  /** A limit of money or tokens can't be checked against unknown usage; that is reported instead. */
  function uncountedPart(
    rootId: TaskId,
    budget: Budget,
    tree: Task[],
  ): 'usd' | 'tokens' | undefined {
    const priced = tree.filter(({ spec }) => !isCostIncluded(spec))
    const isUnpriced = () => usageOfTasks(priced, live).unpriced || unmeasured.usd.has(rootId)
    if (budget.usd !== undefined && isUnpriced()) return 'usd'
    return budget.tokens !== undefined && unmeasured.tokens.has(rootId) ? 'tokens' : undefined
  }

  /** Records that a limit was reached, once per budget. */
  async function recordReached(rootId: TaskId, reached: Reached): Promise<void> {
    const { part, level, used } = reached
    const { title, budgetReached = [] } = taskLedger.get(rootId)
    if (budgetReached.some((one) => one.part === part && one.level === level)) return
    const key = `${rootId} ${part} ${level}`
    const recorded =
      recording.get(key) ??
      ledger
        .record({ type: 'task.budget-reached', taskId: rootId, part, level, used })
        .then(() => level === 'near' && deps.onNotice(`"${title}" has used ${usedText(reached)}.`))
        .then(() => undefined)
        .finally(() => recording.delete(key))
    recording.set(key, recorded)
    await recorded
  }

  async function beforeTurn(
    taskId: TaskId,
    signal: AbortSignal,
    whilePaused: (work: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      if (wrappingUp.has(taskId)) return
      const { rootId } = taskLedger.get(taskId)
      const { budget } = taskLedger.get(rootId).options
      if (!hasLimit(budget)) return
      const reached = reachedBy(rootId, budget)
      for (const one of reached) await recordReached(rootId, one)
      const over = reached.find(({ level }) => level !== 'near')
      if (!over) return
      if (!deps.canAsk()) throw new Interruption({ kind: 'budget', detail: overText(over) })
      // Checked again: a stop, a wrap up or a larger budget may have come while that was recorded.
      signal.throwIfAborted()
      if (wrappingUp.has(taskId) || taskLedger.get(rootId).budgetReached === undefined) continue
      await whilePaused(() => nextChange(signal))
    }
  }

  /** The request is cleared first, so that a summary that fails is not retried in every later run. */
  async function takeCompaction(taskId: TaskId): Promise<boolean> {
    if (!taskLedger.get(taskId).compactionWanted) return false
    await ledger.record({ type: 'task.compaction-set', taskId, wanted: false })
    return true
  }

  function nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => reject(signal.reason)
    pauses.add(resolve)
    signal.addEventListener('abort', abort, { once: true })
    return promise.finally(() => {
      pauses.delete(resolve)
      signal.removeEventListener('abort', abort)
    })
  }

  const wake = () => {
    for (const resolve of [...pauses]) resolve()
  }

  return {
    usage,
    forRun: (taskId, run, whilePaused) => ({
      beforeTurn: (signal) => beforeTurn(taskId, signal, whilePaused),
      isWrappingUp: () => wrappingUp.has(taskId),
      takeCompaction: () => takeCompaction(taskId),
      messages: () => deps.messages.of(taskId),
      deliver: (promptId, record) => deps.messages.deliver(taskId, promptId, record),
      used(sum, measured = { usd: sum.complete, tokens: sum.complete }) {
        const before = live.get(taskId)?.usage
        const now = { run, usage: sum }
        live.set(taskId, now)
        usage.set(taskId, now)
        // Without new tokens no model answered, so nothing follows about the quota.
        if (tokensOf(sum) > (before ? tokensOf(before) : 0)) deps.onAnswered?.(taskId)
        const { rootId } = taskLedger.get(taskId)
        if (!measured.usd) unmeasured.usd.add(rootId)
        if (!measured.tokens) unmeasured.tokens.add(rootId)
      },
    }),
    async setBudget(taskId, budget) {
      const { title, parentId } = taskLedger.get(taskId)
      if (parentId !== null)
        refused('not-a-root', `"${title}" is a sub-agent: the budget belongs to its root.`)
      await ledger.record({
        type: 'task.budget-set',
        taskId,
        budget: hasLimit(budget) ? budget : null,
      })
      unmeasured.usd.delete(taskId)
      unmeasured.tokens.delete(taskId)
      wake()
    },
    wrapUp(taskIds) {
      for (const taskId of taskIds) wrappingUp.add(taskId)
      wake()
    },
    async compact(taskId) {
      if (!taskLedger.get(taskId).compactionWanted)
        await ledger.record({ type: 'task.compaction-set', taskId, wanted: true })
    },
    ended(taskId) {
      wrappingUp.delete(taskId)
      live.delete(taskId)
      usage.clear(taskId)
    },
  }
}

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens

const usedText = ({ part, used, limit }: Reached): string =>
  `${amountText(part, used)} of its budget of ${amountText(part, limit)}`

function overText(reached: Reached): string {
  const { part, level, used, limit } = reached
  if (level === 'unpriced')
    return part === 'usd'
      ? `a model of the tree has no known price, so the limit of ${amountText(part, limit)} can't be enforced. Set a limit of tokens or minutes`
      : `a model of the tree does not report its usage, so the limit of ${amountText(part, limit)} can't be enforced. Set a limit of minutes`
  return `${amountText(part, used)} of ${amountText(part, limit)}`
}
