import { visibleText } from '../../../shared/text/shown-text.ts'

/** What the agent said last, as a quotation: it stands beside what Shiplog says, and must not pass for a part of it. */
export function LastWords({ text }: { text: string }) {
  const said = text.trim()
  return said === '' ? null : (
    <p className="untrusted line-clamp-3 text-muted">It said: “{visibleText(said)}”</p>
  )
}
