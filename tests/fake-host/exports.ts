/**
 * The answers about exports. What is masked is given (`options.ts`); the text is the transcript's Markdown, or a line
 * an entry, with each value of a hit replaced by its mark.
 */
import type { ExportRequest, ExportResult } from '../../src/shared/contract/exports.ts'
import { createTranscriptMarkdown } from '../../src/shared/projections/transcript/transcript-markdown.ts'
import { type Implementer, withAnswers } from './implementer.ts'
import type { Memory } from './memory.ts'
import { refuseTrashed } from './transcripts.ts'

export function exportAnswers(os: Implementer, memory: Memory) {
  const { sessionOf, find, given } = memory

  function made({ taskId, format, redact, keep, fromSeq = 1, throughSeq = 1e9 }: ExportRequest) {
    const task = find(taskId)
    refuseTrashed(task)
    const entries = sessionOf(task.id).entries.filter(
      ({ seq }) => seq >= fromSeq && seq <= throughSeq,
    )
    const hits = (redact ? (given.exportHits ?? []) : []).map((hit) => ({
      ...hit,
      kept: keep.includes(hit.id),
    }))
    const rendered = createTranscriptMarkdown()
    const whole =
      format === 'md'
        ? `# ${task.title}\n\n${rendered.add(entries)}${rendered.end()}`
        : entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    const masked = hits.filter(({ kept }) => !kept)
    const text = masked.reduce((left, { match, mark }) => left.replaceAll(match, mark), whole)
    const result: ExportResult = {
      bytes: new TextEncoder().encode(text).length,
      tasks: 1,
      entries: entries.length,
      masked: masked.reduce((sum, { count }) => sum + count, 0),
      withheld: 0,
      images: 0,
      damaged: sessionOf(task.id).damage.length,
      ...given.exportResult,
    }
    return { text, hits, result, fileName: `export-${task.id.slice(0, 8)}.${format}` }
  }

  return {
    preview: os.exports.preview.handler(({ input }) => {
      const { hits, result, fileName } = made(input)
      return { ...result, hits, moreHits: 0, fileName }
    }),
    read: os.exports.read.handler(({ input }) => withAnswers(events(input))),
  }

  async function* events(request: ExportRequest) {
    const { text, result } = made(request)
    yield { type: 'text' as const, text }
    yield { type: 'end' as const, ...result }
  }
}
