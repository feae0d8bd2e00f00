/** `shiplog transcripts find`: prints all matches of a text in one transcript. */
import type { FindPlace } from '../../../../../shared/contract/transcripts/find.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { marked } from '../../terminal/marked.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { withShiplog } from '../../with-shiplog.ts'

interface FindOptions extends ParsedOptions {
  regex?: boolean
  case?: boolean
  word?: boolean
  limit: number
}

export function find(id: string, text: string, given: ParsedOptions): Action {
  const { regex: isPattern = false, case: matchCase = false, limit } = given as FindOptions
  const query = { text, matchCase, wholeWord: (given as FindOptions).word ?? false, isPattern }
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client, ending }) => {
      const events = await client.transcripts.find(
        { taskId: id, query, limit, snippets: true },
        { signal: ending },
      )
      const places: FindPlace[] = []
      let counts = { matches: 0, placeCount: 0, searched: 0 }
      for await (const event of events) {
        counts = event
        if (context.json) places.push(...event.places)
        else for (const place of event.places) await context.out.write(linesOf(place, context))
      }
      const { matches, placeCount, searched } = counts
      if (context.json) await context.printJson({ query, matches, placeCount, searched, places })
      else await context.say(summaryOf(id, { ...counts, limit }))
      return exitCodes.done
    })
}

function linesOf(
  { seq, kind, tool, count, snippet = '', marks = [] }: FindPlace,
  context: CliContext,
) {
  const { out } = context
  const facts = [
    tool === null ? kind : `${kind} of ${safeLine(tool)}`,
    ...(count > 1 ? [counted(count, 'match', 'matches')] : []),
  ]
  const heading = `${out.style('bold', String(seq))}  ${out.style('dim', facts.join(' · '))}`
  return `${heading}\n    ${marked(snippet, marks, out)}\n`
}

function summaryOf(
  id: string,
  found: { matches: number; placeCount: number; limit: number },
): string {
  const { matches, placeCount, limit } = found
  if (matches === 0) return 'No matches.'
  const where = `${counted(matches, 'match', 'matches')} in ${counted(placeCount, 'text')}`
  const more = placeCount > limit ? `; the first ${limit} are listed, \`--limit\` shows more` : ''
  return `${where}${more}. \`shiplog transcripts show ${id} --from ENTRY\` reads on.`
}
