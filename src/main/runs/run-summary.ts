/** A summary of a run: the title of its report and the first paragraph. The report has the rest. */
import type { EntryBody } from '../../shared/records/entries.ts'

const summaryCharsMax = 2_000

export function summaryOf(report: { title: string; markdown: string }): EntryBody {
  const paragraphs = report.markdown.split(/\n\s*\n/).map((text) => text.trim())
  const first = paragraphs.find((text) => text !== '' && !text.startsWith('#')) ?? ''
  const text = [report.title.trim(), first].filter((part) => part !== '').join('\n\n')
  return { type: 'summary', text: text.slice(0, summaryCharsMax) }
}
