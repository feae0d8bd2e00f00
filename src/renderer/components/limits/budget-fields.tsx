/** The three parts of a budget as fields; an empty field means no limit. */
import type { Budget, BudgetPart } from '../../../shared/records/tasks/budgets.ts'
import { Field, TextInput } from '../primitives/index.ts'

/** As typed. */
export type BudgetTexts = Record<BudgetPart, string>

export const budgetTexts = (budget: Budget | null | undefined): BudgetTexts => ({
  usd: budget?.usd === undefined ? '' : String(budget.usd),
  tokens: budget?.tokens === undefined ? '' : String(budget.tokens),
  minutes: budget?.minutes === undefined ? '' : String(budget.minutes),
})

/** Returns the error of one part; null if it is valid. */
function budgetProblem(part: BudgetPart, text: string): string | null {
  const typed = text.trim()
  if (typed === '') return null
  const value = Number(typed)
  if (!Number.isFinite(value) || value <= 0) return 'Enter a number above 0, or leave it empty.'
  if (part === 'tokens' && !Number.isInteger(value)) return 'Enter a whole number.'
  return value > 1_000_000 && part !== 'tokens' ? 'Enter at most 1000000.' : null
}

export const isBudgetValid = (texts: BudgetTexts): boolean =>
  (Object.keys(texts) as BudgetPart[]).every((part) => budgetProblem(part, texts[part]) === null)

/** Converts valid texts; null means no limit. */
export function budgetOfTexts(texts: BudgetTexts, allowUnpriced = false): Budget | null {
  const set = (Object.entries(texts) as [BudgetPart, string][]).filter(([, text]) => text.trim())
  if (set.length === 0) return null
  const budget: Budget = Object.fromEntries(set.map(([part, text]) => [part, Number(text.trim())]))
  return allowUnpriced ? { ...budget, allowUnpriced: true } : budget
}

const labels: Record<BudgetPart, string> = {
  usd: 'Cost (USD)',
  tokens: 'Tokens',
  minutes: 'Minutes',
}
const parts: BudgetPart[] = ['usd', 'tokens', 'minutes']

export function BudgetFields(props: {
  value: BudgetTexts
  onChange(value: BudgetTexts): void
  /** The host's error about the cost. */
  error?: string | null
}) {
  const { value, onChange, error } = props
  return (
    <div className="flex flex-col gap-1">
      <div className="grid grid-cols-3 gap-3">
        {parts.map((part) => (
          <Field key={part} label={labels[part]} error={budgetProblem(part, value[part])}>
            <TextInput
              inputMode="decimal"
              value={value[part]}
              placeholder="No limit"
              onChange={(event) => onChange({ ...value, [part]: event.target.value })}
            />
          </Field>
        ))}
      </div>
      {error ? (
        <p role="alert" className="untrusted text-small text-red">
          {error}
        </p>
      ) : null}
    </div>
  )
}
