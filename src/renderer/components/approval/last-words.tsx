import { visibleText } from '../../../shared/text/shown-text.ts'

/** What the agent said last, as a quotation: it stands beside what Shiplog says, and must not pass for a part of it. */
export function LastWords({ text }: { text: string }) {
  // A quotation mark in it would end the quotation.
  const said = visibleText(text.trim()).replaceAll(/[“”]/g, '"')
  return said === '' ? null : (
    <p className="untrusted line-clamp-3 shrink-0 text-muted">It said: “{said}”</p>
  )
}
