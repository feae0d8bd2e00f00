import { useState } from 'react'
import {
  BudgetFields,
  type BudgetTexts,
  budgetOfTexts,
  budgetTexts,
  isBudgetValid,
} from '../../components/limits/budget-fields.tsx'
import { QuotaField } from '../../components/limits/quota-field.tsx'
import { Skeleton } from '../../components/primitives/index.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useLimitSettings } from '../limits/use-limit-settings.ts'
import { SettingsForm } from './settings-form.tsx'

/** The limits of new agents. */
export function LimitsSection() {
  const { settings, problem, save, reload } = useLimitSettings()
  const [edited, setEdited] = useState<BudgetTexts | null>(null)
  const [waits, setWaits] = useState<number | null>(null)
  const [reads, setReads] = useState<boolean | null>(null)
  if (problem && !settings)
    return <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
  if (!settings) return <Skeleton lines={2} />
  const texts = edited ?? budgetTexts(settings.budget)
  const discard = () => {
    setEdited(null)
    setWaits(null)
    setReads(null)
  }
  return (
    <SettingsForm
      what="limits"
      label="Limits"
      description="For each new agent with all its sub-agents; you can change them when you start one. At 80% you get a notice. When a limit is reached the agents pause and you decide."
      isChanged={
        edited !== null ||
        (waits !== null && waits !== settings.quotaWaits) ||
        (reads !== null && reads !== (settings.readsRecord ?? false))
      }
      isValid={isBudgetValid(texts)}
      save={async () => {
        await save({
          budget: budgetOfTexts(texts, settings.budget?.allowUnpriced),
          quotaWaits: waits ?? settings.quotaWaits,
          readsRecord: reads ?? settings.readsRecord,
        })
        discard()
      }}
      discard={discard}
    >
      <BudgetFields value={texts} onChange={setEdited} />
      <QuotaField value={waits ?? settings.quotaWaits} onChange={setWaits} />
      <label className="flex min-h-7 items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-[var(--accent-fill)]"
          checked={reads ?? settings.readsRecord ?? false}
          onChange={(event) => setReads(event.target.checked)}
        />
        Let agents read the transcripts and reports of their sub-agents
      </label>
    </SettingsForm>
  )
}
