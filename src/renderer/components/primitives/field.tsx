import { Field as Base } from '@base-ui/react/field'
import { Select as BaseSelect } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { type ComponentProps, createContext, type ReactNode, useContext } from 'react'
import { classNames } from './class-names.ts'

const control =
  'w-full rounded-md border border-line-field bg-raised px-2 text-ui text-ink disabled:opacity-50 aria-invalid:border-red data-invalid:border-red focus-visible:outline-offset-0'

/** The label of the Field around a control. Base UI names the control by it, but not the list that a Select opens. */
const FieldLabel = createContext<string | undefined>(undefined)

/** A label, a control below it, and a hint or an error. The label names the control. */
export function Field(props: {
  label: string
  hint?: ReactNode
  /** The error and its remedy; replaces the hint. */
  error?: string | null
  className?: string
  children: ReactNode
}) {
  const { label, hint, error, className, children } = props
  return (
    <Base.Root invalid={Boolean(error)} className={classNames('flex flex-col gap-1', className)}>
      <Base.Label className="text-ui font-semibold">{label}</Base.Label>
      <FieldLabel value={label}>{children}</FieldLabel>
      {hint && !error ? (
        <Base.Description className="text-small text-muted">{hint}</Base.Description>
      ) : null}
      {error ? (
        <Base.Error match className="untrusted text-small text-red">
          {error}
        </Base.Error>
      ) : null}
    </Base.Root>
  )
}

export function TextInput({ className, ...rest }: ComponentProps<typeof Base.Control>) {
  return (
    <Base.Control
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={classNames(control, 'h-7', className as string)}
    />
  )
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <Base.Control
      render={<textarea rows={4} {...rest} />}
      className={classNames(control, 'resize-y py-1.5', className)}
    />
  )
}

interface SelectOption<Value extends string> {
  value: Value
  label: string
  /** A second, quieter line. */
  hint?: string
  disabled?: boolean
}

/** `label` is the accessible name without a Field. */
export function Select<Value extends string>(props: {
  label?: string
  value: Value
  onChange(value: NoInfer<Value>): void
  options: SelectOption<NoInfer<Value>>[]
  disabled?: boolean
  /** Without a border, for a toolbar. */
  quiet?: boolean
  /** Present if other controls open it as well. */
  open?: boolean
  onOpenChange?(open: boolean): void
  className?: string
}) {
  const { label, value, onChange, options, disabled, quiet = false, className } = props
  const { open, onOpenChange } = props
  const fieldLabel = useContext(FieldLabel)
  return (
    <BaseSelect.Root
      items={options}
      open={open}
      onOpenChange={onOpenChange}
      value={value}
      disabled={disabled}
      onValueChange={(next) => next !== null && onChange(next as Value)}
    >
      <BaseSelect.Trigger
        aria-label={label}
        className={classNames(
          quiet ? 'rounded-md px-2 text-ui text-muted hover:bg-hover hover:text-ink' : control,
          'flex h-7 items-center justify-between gap-2 text-left select-none',
          className,
        )}
      >
        <BaseSelect.Value className="truncate" />
        <BaseSelect.Icon>
          <ChevronDown className="size-3.5 text-muted" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner
          sideOffset={4}
          align={quiet ? 'start' : 'center'}
          alignItemWithTrigger={false}
          className="z-50 outline-none"
        >
          <BaseSelect.Popup
            aria-label={label ?? fieldLabel}
            className="max-h-[min(24rem,var(--available-height))] min-w-(--anchor-width) overflow-auto rounded-md bg-raised p-1 text-ui text-ink shadow-popup outline-none"
          >
            {options.map((option) => (
              <BaseSelect.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className="flex min-h-7 items-start gap-2 rounded-sm py-1 pr-3 pl-1.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover"
              >
                <span className="flex size-5 items-center justify-center">
                  <BaseSelect.ItemIndicator>
                    <Check className="size-3.5" />
                  </BaseSelect.ItemIndicator>
                </span>
                <span>
                  <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                  {option.hint ? (
                    <span className="block text-small text-muted">{option.hint}</span>
                  ) : null}
                </span>
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  )
}
