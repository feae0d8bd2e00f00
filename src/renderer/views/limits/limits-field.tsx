import { ChevronRight } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Budget } from '../../../shared/records/tasks/budgets.ts'
import { budgetText } from '../../../shared/text/usage-text.ts'
import {
  BudgetFields,
  type BudgetTexts,
  budgetOfTexts,
  budgetTexts,
  isBudgetValid,
} from '../../components/limits/budget-fields.tsx'
import { QuotaField } from '../../components/limits/quota-field.tsx'
import { classNames } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { useLimitSettings } from './use-limit-settings.ts'

/** The limits of a new tree. A `budget` that is undefined is taken from the settings; null is no limit. */
interface ChosenLimits {
  budget: Budget | null | undefined
  quotaWaits: number | undefined
  isValid: boolean
}
export const defaultLimits: ChosenLimits = {
  budget: undefined,
  quotaWaits: undefined,
  isValid: true,
}

/** A line with the current limits, which expands to the fields. */
export function LimitsField(props: {
  onChange(limits: ChosenLimits): void
  /** The model of the agent, as `PROVIDER/MODEL`; null: it is no model of a provider. */
  model: string | null
  /** The host's error about the budget. */
  error?: string | null
}) {
  const { onChange, model, error } = props
  const { settings } = useLimitSettings()
  const [opened, setOpened] = useState(false)
  const [typed, setTyped] = useState<BudgetTexts | null>(null)
  const [waits, setWaits] = useState<number | undefined>(undefined)
  const bodyId = useId()
  const body = useRef<HTMLDivElement>(null)
  // In a short window the fields would open below the edge of the dialog.
  useEffect(() => {
    if (opened) body.current?.scrollIntoView({ block: 'nearest' })
  }, [opened])
  const open = opened || Boolean(error)
  const texts = typed ?? budgetTexts(settings?.budget)
  const quotaWaits = waits ?? settings?.quotaWaits ?? 0
  const unpriced = useIsUnpriced(texts.usd.trim() === '' ? null : model)
  const report = (budget: BudgetTexts | null, quotaWaits: number | undefined) => {
    const isValid = budget === null || isBudgetValid(budget)
    onChange({
      budget: budget !== null && isValid ? budgetOfTexts(budget) : undefined,
      quotaWaits,
      isValid,
    })
  }
  return (
    <div className="flex flex-col gap-3">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => setOpened(!open)}
        className="-mx-1 flex h-7 w-fit items-center gap-1.5 rounded-md px-1 hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={classNames('size-3.5 text-muted transition-transform', open && 'rotate-90')}
        />
        <span className="font-semibold">Limits</span>
        <span className="text-small text-muted">
          {isBudgetValid(texts) ? budgetText(budgetOfTexts(texts)) : 'needs a number'}
          {quotaWaits > 0 ? ' · waits for quotas' : ''}
        </span>
      </button>
      {unpriced && !error ? (
        <p role="status" className="untrusted text-small text-amber">
          {model} has no known price, so the cost limit{' '}
          {typed === null ? 'does not count it' : 'can’t be enforced'}. Set a limit of tokens or
          minutes.
        </p>
      ) : null}
      {open ? (
        <div ref={body} id={bodyId} className="flex flex-col gap-2">
          <BudgetFields
            value={texts}
            onChange={(next) => {
              setTyped(next)
              report(next, waits)
            }}
            error={error}
          />
          <p className="text-small text-muted">
            For this agent and all its sub-agents. When a limit is reached they pause and you
            decide.
          </p>
          <QuotaField
            value={quotaWaits}
            onChange={(next) => {
              setWaits(next)
              report(typed, next)
            }}
          />
        </div>
      ) : null}
    </div>
  )
}

/** False while it is not known, and without a model. */
function useIsUnpriced(model: string | null): boolean {
  const { client } = useStores()
  const [found, setFound] = useState<{ model: string; priced: boolean | null } | null>(null)
  useEffect(() => {
    if (model === null || model.trim() === '') return
    let wanted = true
    client.models.priced({ model: model.trim() }).then(
      ({ priced }) => wanted && setFound({ model, priced }),
      // The start reports what prevents it.
      () => {},
    )
    return () => {
      wanted = false
    }
  }, [client, model])
  return found !== null && found.model === model && found.priced === false
}
