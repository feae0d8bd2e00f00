/** `shiplog prune`: runs retention now, previews it, or undoes it. */
import { isDefinedError, ORPCError } from '@orpc/client'
import { totalBytes } from '../../../../shared/collections/total-bytes.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { ClockAhead, RemovedItem, Sweep } from '../../../../shared/contract/retention.ts'
import { shortId, type TaskId } from '../../../../shared/records/ids.ts'
import { clockAheadText } from '../../../../shared/text/clock-ahead-text.ts'
import { counted } from '../../../../shared/text/counted.ts'
import type { Action, ParsedOptions } from '../action.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { renderTable } from '../terminal/table.ts'
import { createTypedAnswers, InputEnded } from '../terminal/typed-answers.ts'
import { ago, commandLines, size } from '../terminal/wording.ts'
import { withShiplog } from '../with-shiplog.ts'

export function prune(given: ParsedOptions): Action {
  const { undo } = given
  if (typeof undo === 'string') return undoSweep(undo)
  const dryRun = given.dryRun === true
  const only = onlyTtl(given.transcriptTtlDays as number | 'never' | undefined)
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client, ending }) => {
      const preview = async () =>
        client.retention.preview({ settings: { ...(await client.retention.settings()), ...only } })
      if (dryRun) {
        const planned = await preview()
        if (planned.clockAhead) await context.warn(`${clockAheadText(planned.clockAhead)}.`)
        await print(context, planned)
        return exitCodes.done
      }
      const sweepNow = (clockIsRight: boolean) =>
        client.retention.sweep({ ...only, ...(clockIsRight ? { clockIsRight } : {}) })
      const sweep = await sweepNow(given.yes === true).catch(async (error) => {
        if (!isClockAhead(error)) throw error
        const planned = await preview()
        const { clockAhead } = planned
        if (clockAhead === null) return sweepNow(false)
        if (!(await isClockRight(context, { clockAhead, planned, ending }))) {
          throw new CliError(
            exitCodes.refused,
            `${clockAheadText(clockAhead)}, so nothing was removed. If today’s date is right, call again with --yes.`,
          )
        }
        return sweepNow(true)
      })
      await print(context, sweep)
      return exitCodes.done
    })
}

const print = (context: CliContext, sweep: Sweep): Promise<void> =>
  context.json ? context.printJson(sweep) : printSweep(context, sweep)

const isClockAhead = (error: unknown): boolean =>
  error instanceof ORPCError &&
  error.code === 'REFUSED' &&
  (error.data as { reason?: unknown }).reason === 'clock-ahead'

/** Lists the items and asks the user. False if standard input is not a terminal. */
async function isClockRight(
  context: CliContext,
  { clockAhead, planned, ending }: { clockAhead: ClockAhead; planned: Sweep; ending: AbortSignal },
): Promise<boolean> {
  const { host, err, json } = context
  if (json || host.stdin.isTTY !== true || !err.isTTY) return false
  await printSweep(context, planned)
  await context.warn(
    `${clockAheadText(clockAhead)}: either Shiplog was not used since, or the clock is wrong.`,
  )
  try {
    const ask = createTypedAnswers(host, ending)
    const answer = await ask('Is today’s date right, and remove all this? [y/N] ')
    return /^y(es)?$/i.test(answer.trim())
  } catch (error) {
    if (error instanceof InputEnded) return false
    throw error
  }
}

/** Returns the setting that the option overrides. */
function onlyTtl(days: number | 'never' | undefined): { transcriptTtlDays?: number | null } {
  return days === undefined ? {} : { transcriptTtlDays: days === 'never' ? null : days }
}

function undoSweep(receiptId: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const done = await client.retention.undo({ receiptId }).catch(async (error) => {
        const isUnknown = isDefinedError(error) && error.code === 'NOT_FOUND'
        throw isUnknown ? await noSuchReceipt(client, receiptId, context.host.now()) : error
      })
      if (context.json) await context.printJson(done)
      else {
        await context.say(`Restored ${counted(done.restored.length, 'transcript')} from the trash.`)
        for (const { id, why } of done.left)
          await context.warn(`${shortId(id)} stays in the trash: ${why}`)
      }
      return exitCodes.done
    })
}

/** Lists the receipts that can be undone, because the id is likely that of something else. */
async function noSuchReceipt(client: ShiplogClient, text: string, now: number): Promise<CliError> {
  const { receipts } = await client.retention.receipts()
  const lines = receipts
    .filter(({ inTrash }) => inTrash > 0)
    .slice(0, receiptsNamedMax)
    .map(({ id, at, inTrash }): [string, string] => [
      `shiplog prune --undo ${id.slice(0, 8)}`,
      `takes back ${counted(inTrash, 'transcript')}, removed ${ago(at, now)}`,
    ])
  const message = `There is no receipt with the id ${text}.`
  if (lines.length > 0) return new CliError(exitCodes.notFound, message, commandLines(lines))
  return new CliError(
    exitCodes.notFound,
    `${message} The trash holds nothing from a clean-up, so there is nothing to restore.`,
  )
}

/** More would scroll the message off the screen. */
const receiptsNamedMax = 5

async function printSweep(context: CliContext, sweep: Sweep): Promise<void> {
  const { removed, kept, dryRun, receipt } = sweep
  const now = context.host.now()
  if (removed.length > 0) {
    const rows = removed.map((item) => [
      fates[item.kind],
      safeLine(item.title),
      item.kind === 'trashed-file' ? '' : shortId(item.id as TaskId),
      size(item.bytes),
      reasons[item.reason],
      ago(item.lastActiveAt, now),
    ])
    await context.out.write(renderTable(columns, rows, context.out))
  }
  const sentences = [...clauses(removed, dryRun, now)]
  if (sentences.length === 0) sentences.push('Nothing is old enough to remove.')
  sentences.push(`${counted(kept, 'transcript')} ${kept === 1 ? 'is' : 'are'} kept.`)
  if (receipt && removed.some((item) => item.kind === 'transcript'))
    sentences.push(`\`shiplog prune --undo ${receipt.slice(0, 8)}\` puts the transcripts back.`)
  await context.say(sentences.join(' '))
}

const columns = [
  { title: 'GOES' },
  { title: 'WHAT', shrinks: true },
  { title: 'ID' },
  { title: 'SIZE', align: 'right' as const },
  { title: 'WHY' },
  { title: 'LAST', align: 'right' as const },
]

const fates: Record<RemovedItem['kind'], string> = {
  transcript: 'to the trash',
  'trashed-transcript': 'permanently',
  'trashed-workspace': 'permanently',
  'trashed-worktree': 'permanently',
  'trashed-file': 'permanently',
}

const reasons: Record<RemovedItem['reason'], string> = {
  age: 'inactive for too long',
  count: 'over the limit',
  bytes: 'over the size limit',
  trash: 'expired in the trash',
  'trash-bytes': 'the trash is full',
  person: 'manual',
}

/** Sentences such as `Would remove 12 transcripts, 340 MB, oldest 92d ago.` */
function* clauses(removed: RemovedItem[], dryRun: boolean, now: number): Generator<string> {
  const swept = removed.filter((item) => item.kind === 'transcript')
  if (swept.length > 0) {
    const did = dryRun ? 'Would remove' : 'Moved to the trash:'
    yield `${did} ${counted(swept.length, 'transcript')}, ${size(totalBytes(swept))}, oldest ${ago(oldestOf(swept), now)}.`
  }
  const deleted = removed.filter((item) => item.kind !== 'transcript')
  if (deleted.length > 0) {
    const did = dryRun ? 'Would delete' : 'Deleted'
    yield `${did} ${counted(deleted.length, 'item')} in the trash permanently, ${size(totalBytes(deleted))}.`
  }
}

const oldestOf = (items: RemovedItem[]): string | null =>
  items
    .map((item) => item.lastActiveAt)
    .filter((at) => at !== null)
    .sort()[0] ?? null
