/** Above a value: its label. The value itself has it as its accessible name. */
export function Caption({ label }: { label: string }) {
  return (
    <p aria-hidden data-aside className="mb-0.5 text-small text-faint">
      {label}
    </p>
  )
}
