import { quotaWaitsMax } from '../../../shared/records/tasks/tree-options.ts'

/** Whether a tree waits for a spent quota, and how often. 0: it does not wait. */
export function QuotaField(props: { value: number; onChange(waits: number): void }) {
  const { value, onChange } = props
  return (
    <div className="flex flex-wrap items-center gap-x-2">
      <label className="flex min-h-7 items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-[var(--accent-fill)]"
          checked={value > 0}
          onChange={(event) => onChange(event.target.checked ? quotaWaitsDefault : 0)}
        />
        When a quota is used up, wait for it and continue
      </label>
      {value > 0 ? (
        <label className="flex items-center gap-2 text-muted">
          up to
          <input
            type="number"
            min={1}
            max={quotaWaitsMax}
            value={value}
            onChange={(event) => {
              const waits = Math.round(Number(event.target.value))
              if (waits >= 1 && waits <= quotaWaitsMax) onChange(waits)
            }}
            className="tabular h-7 w-14 rounded-md border border-line-field bg-raised px-2 text-ink"
          />
          times
        </label>
      ) : null}
    </div>
  )
}

/** Covers a working day with a five-hour limit. */
const quotaWaitsDefault = 3
