/** `shiplog search`: full-text search over all transcripts and reports. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import {
  type SearchAnswer,
  type SearchHit,
  searchKinds,
  unmatchedFilterText,
} from '../../../../../shared/contract/search.ts'
import { shortId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes, usageError } from '../../exit-codes.ts'
import { projectPath } from '../../paths.ts'
import { marked } from '../../terminal/marked.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { ago } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { projectAt } from '../project-named.ts'

interface SearchOptions extends ParsedOptions {
  kind?: 'report' | 'transcript'
  regex?: boolean
  project?: string
  limit: number
}

export function search(words: string[], given: ParsedOptions): Action {
  const { kind, regex: isPattern = false, project, limit } = given as SearchOptions
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client, ending }) => {
      const dir = project === undefined ? null : await projectPath(project, context.host.cwd)
      const filters = [
        ...(dir === null ? [] : [`project:"${dir.replaceAll('"', '')}"`]),
        ...(kind === 'report' ? ['kind:report'] : []),
        ...(kind === 'transcript' ? transcriptKinds : []),
      ]
      const query = [...words, ...filters].join(' ')
      if (words.join('').trim() === '')
        throw usageError(
          'Name what to search for, such as "connection refused" or "tool:bash is:error".',
        )
      const answer = await withProgress(context, client, ending, () =>
        client.search.find({ query, limit, wait: true, isPattern }, { signal: ending }),
      )
      // Without a match, the folder may be mistyped and not a project.
      if (dir !== null && answer.hits.length === 0) await projectAt(client, dir)
      if (context.json) await context.printJson(documentOf(words.join(' '), answer))
      else await print(context, answer)
      return exitCodes.done
    })
}

const transcriptKinds = searchKinds
  .filter((kind) => kind !== 'report')
  .map((kind) => `kind:${kind}`)

/** Prints the progress of a search that takes long, because a new index reads everything once. */
async function withProgress(
  context: CliContext,
  client: ShiplogClient,
  ending: AbortSignal,
  find: () => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  const done = new AbortController()
  const progress = printProgress(context, client, AbortSignal.any([done.signal, ending]))
  try {
    return await find()
  } finally {
    done.abort()
    await progress
  }
}

async function printProgress(
  context: CliContext,
  client: ShiplogClient,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await delay(progressMs, undefined, { signal })
      const { state, indexed, total } = await client.search.state(undefined, { signal })
      if (state === 'updating')
        await context.say(context.err.style('dim', `Indexing transcripts: ${indexed} of ${total}…`))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Long enough that an index which only has to catch up prints no progress. */
const progressMs = 2_000

const documentOf = (query: string, { hits, more, tookMs, index, expired }: SearchAnswer) => ({
  query,
  hits: hits.map(({ at, ...hit }) => ({ ...hit, at: new Date(at).toISOString() })),
  more,
  index,
  expired,
  took_ms: Math.round(tookMs),
})

async function print(context: CliContext, answer: SearchAnswer): Promise<void> {
  const { hits, more, index, expired } = answer
  for (const hit of hits) await context.out.write(linesOf(hit, context))
  if (hits.length === 0)
    await context.say(['No matches.', ...answer.unmatched.map(unmatchedFilterText)].join('\n'))
  else if (more) await context.say(`The first ${hits.length} matches; \`--limit\` shows more.`)
  const entry = hits.find(({ seq }) => seq !== null)
  if (entry)
    await context.say(
      context.err.style(
        'dim',
        `Read on with \`shiplog transcripts show ${shortId(entry.taskId)} --from ${entry.seq}\`.`,
      ),
    )
  if (index.state === 'unavailable')
    await context.warn(
      `The search index can't be used (${index.reason}); the transcripts were read instead.`,
    )
  if (expired > 0)
    await context.say(`${counted(expired, 'expired transcript')} could not be searched.`)
}

function linesOf({ marks, snippet, ...hit }: SearchHit, { out, host }: CliContext): string {
  const place = `${shortId(hit.taskId)}${hit.seq === null ? '' : `:${hit.seq}`}`
  const facts = [
    toolKinds.has(hit.kind) && hit.tool !== null
      ? `${hit.kind} of ${safeLine(hit.tool)}`
      : hit.kind,
    place,
    ago(new Date(hit.at).toISOString(), host.now()),
    ...(hit.archived ? ['archived'] : []),
  ]
  const heading = `${out.style('bold', safeLine(hit.title))}  ${out.style('dim', facts.join(' · '))}`
  return `${heading}\n    ${marked(snippet, marks, out)}\n`
}

const toolKinds: ReadonlySet<SearchHit['kind']> = new Set(['call', 'output'])
