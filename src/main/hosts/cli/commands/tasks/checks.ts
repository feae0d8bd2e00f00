/** `shiplog tasks checks`: lists the tests, type checks, linters and builds of an agent, and whether they are current. */
import type { Check, CheckKind } from '../../../../../shared/contract/changes/checks.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { Action } from '../../action.ts'
import { exitCodes } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { renderTable } from '../../terminal/table.ts'
import { ago } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'

export function checks(id: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const found = await client.checks.list({ taskId: id })
      if (context.json) {
        await context.printJson(found)
        return exitCodes.done
      }
      const { out, host } = context
      const rows = found.checks.flatMap((check) => [
        [
          { text: outcomes[check.outcome].text, style: outcomes[check.outcome].style },
          kindNames[check.kind],
          safeLine(check.command),
          `turn ${check.turn}`,
          ago(new Date(check.at).toISOString(), host.now()),
        ],
        { note: freshnessOf(check), under: 1 },
      ])
      const never = found.neverRan.map(({ kind, command }) => [
        { text: '! never ran', style: 'yellow' as const },
        kindNames[kind],
        safeLine(command),
        '',
        '',
      ])
      if (rows.length + never.length === 0)
        await context.say('No command that checks something was found.')
      else await out.write(renderTable(columns, [...rows, ...never], out))
      if (found.more > 0) await context.say(`${counted(found.more, 'older command')} not listed.`)
      for (const { turn, name, title, outcome } of found.cited) {
        const call = safeLine(`${name} ${title ?? ''}`.trim())
        const end = outcome === 'unknown' ? 'outcome unknown' : outcome
        await out.write(`The report cites turn ${turn}: ${call}, ${end}.\n`)
      }
      if (found.citedMore > 0)
        await context.say(`It cites ${counted(found.citedMore, 'call')} more.`)
      const [first] = found.checks
      if (first)
        await context.say(
          context.err.style(
            'dim',
            `\`shiplog transcripts show ${safeLine(id)} --from ${first.seq}\` shows the newest.`,
          ),
        )
      return exitCodes.done
    })
}

function freshnessOf({ state, changed, changedMore, times, cited, end }: Check): string {
  const files = changed.length + changedMore
  const currency = {
    fresh: 'on the files that were delivered',
    stale: `${counted(files, 'file')} changed since: ${changed.slice(0, 3).map(safeLine).join(', ')}${files > 3 ? ', …' : ''}`,
    unknown: 'its files were not recorded',
  }[state]
  return [
    currency,
    ...(end === 'running' ? ['in the background; its end was not read'] : []),
    ...(end === 'killed' ? ['in the background; it was ended before it was done'] : []),
    ...(times > 1 ? [`ran ${times} times`] : []),
    ...(cited ? ['cited in the report'] : []),
  ].join(' · ')
}

const outcomes = {
  passed: { text: '✓ passed', style: 'green' },
  failed: { text: '✕ failed', style: 'red' },
  unclear: { text: '? unclear', style: 'dim' },
} as const

const kindNames: Record<CheckKind, string> = {
  tests: 'tests',
  types: 'types',
  lint: 'lint',
  build: 'build',
}

const columns = [
  { title: 'OUTCOME' },
  { title: 'KIND' },
  { title: 'COMMAND', shrinks: true },
  { title: 'TURN' },
  { title: 'WHEN', align: 'right' as const },
]
