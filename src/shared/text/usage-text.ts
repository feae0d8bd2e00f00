/** Formats costs and budgets for the app and the command line. */
import type { ReachedLimit } from '../projections/ledger/budget-limit.ts'
import type { Budget, BudgetPart } from '../records/tasks/budgets.ts'
import type { Usage } from '../records/usage.ts'

/** `$0.42`; below a cent, `<$0.01`. */
const dollars = (amount: number): string =>
  isBelowCent(amount) ? '<$0.01' : `$${amount.toFixed(2)}`

const isBelowCent = (amount: number): boolean => amount > 0 && amount < 0.01

/**
 * `$0.42`, `~$0.42` from Shiplog's list of prices, `~$0.42+` if a part is unknown, `cost unknown` if all of it is; null
 * if nothing was used (G6).
 */
export function costText(usage: Usage): string | null {
  const { costUsd, pricedBy, unpriced, complete, inputTokens, outputTokens } = usage
  if (costUsd === null) return complete && inputTokens + outputTokens === 0 ? null : 'cost unknown'
  // An amount below a cent is not exact anyway.
  const estimate = pricedBy === 'estimate' && !isBelowCent(costUsd) ? '~' : ''
  return `${estimate}${dollars(costUsd)}${unpriced || !complete ? '+' : ''}`
}

/** Explains the marks of `costText` in sentences; null if the cost is exact, or there is none. */
export function costHint(usage: Usage): string | null {
  const { costUsd, pricedBy, unpriced, complete } = usage
  const hints = [
    ...(pricedBy === 'estimate' ? ['Estimated from public prices.'] : []),
    ...(unpriced ? ['A model without a known price is not included.'] : []),
    ...(complete
      ? []
      : ['Some of the usage was not reported, as by a request that was cut short.']),
  ]
  if (costUsd === null && hints.length === 0) return null
  return hints.length > 0 ? hints.join(' ') : null
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `$4.10`, `12.3K tokens`, `45 min`. */
export function amountText(part: BudgetPart, amount: number): string {
  if (part === 'usd') return dollars(amount)
  if (part === 'tokens') return `${compact.format(amount)} tokens`
  return `${Math.floor(amount * 10) / 10} min`
}

/** `$5.00 · 200K tokens`; `no limit`. */
export function budgetText(budget: Budget | null | undefined): string {
  const { usd, tokens, minutes } = budget ?? {}
  const parts = [
    ...(usd === undefined ? [] : [amountText('usd', usd)]),
    ...(tokens === undefined ? [] : [amountText('tokens', tokens)]),
    ...(minutes === undefined ? [] : [amountText('minutes', minutes)]),
  ]
  return parts.length > 0 ? parts.join(' · ') : 'no limit'
}

/** Returns a sentence that the limit is reached, or why that is unknown. */
export function reachedText({ part, level, used, limit }: ReachedLimit): string {
  if (level === 'spent')
    return `The limit is reached: ${amountText(part, used)} of ${amountText(part, limit)}.`
  const why = part === 'usd' ? 'has no known price' : 'does not report what it uses'
  return `The limit of ${amountText(part, limit)} can’t be checked: a model here ${why}.`
}
