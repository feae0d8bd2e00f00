/** `shiplog doctor`: prints problems on disk, the repairs that were made, and the remaining remedies. */
import type { Examination, Problem } from '../../../../shared/contract/doctor.ts'
import { counted } from '../../../../shared/text/counted.ts'
import type { Action, ParsedOptions } from '../action.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { type Cell, renderTable } from '../terminal/table.ts'
import { withShiplog } from '../with-shiplog.ts'

export function doctor(given: ParsedOptions): Action {
  const repair = given.repair === true
  return (context) =>
    withShiplog(context, { host: 'cli', reachable: true }, async ({ client }) => {
      const found = await client.doctor.check({ repair })
      const { logFile } = await client.app.info()
      if (context.json) await context.printJson({ ...found, logFile })
      else {
        await printFound(context, found, repair)
        await context.say(context.err.style('dim', safeLine(`Shiplog’s own log: ${logFile}`)))
      }
      return found.ok ? exitCodes.done : exitCodes.damage
    })
}

async function printFound(context: CliContext, found: Examination, repair: boolean): Promise<void> {
  const { problems, notes, checked } = found
  if (problems.length > 0) {
    const rows = problems.map((problem) => [
      stateOf(problem),
      problem.kind,
      safeLine(problem.path),
      safeLine(problem.detail),
    ])
    await context.out.write(renderTable(columns, rows, context.out))
  }
  for (const { kind, path, detail } of notes) {
    // Every command reports these at its start.
    if (kind === 'healed') continue
    await context.say(context.err.style('dim', safeLine(`Note: ${path} ${detail}`)))
  }
  await context.say(summary(problems, checked, repair))
}

const columns = [
  { title: 'STATE' },
  { title: 'PROBLEM' },
  { title: 'WHERE', shrinks: true },
  { title: 'DETAIL', shrinks: true },
]

function stateOf({ repaired, repairable }: Problem): Cell {
  if (repaired) return { text: '✓ repaired', style: 'green' }
  return repairable
    ? { text: '○ repairable', style: 'yellow' }
    : { text: '✕ kept as is', style: 'red' }
}

function summary(problems: Problem[], checked: number, repair: boolean): string {
  const checkedText = `${counted(checked, 'thing')} checked`
  if (problems.length === 0) return `Everything is in order: ${checkedText}.`
  const repaired = problems.filter((problem) => problem.repaired).length
  const open = problems.filter((problem) => problem.repairable && !problem.repaired).length
  const lasting = problems.length - repaired - open
  const sentences = [`${counted(problems.length, 'problem')} found, ${checkedText}.`]
  if (repaired > 0) {
    sentences.push(`${repaired} repaired; originals are kept beside or in the trash.`)
  }
  if (open > 0) {
    sentences.push(
      repair
        ? `${open} could not be repaired now: see why above, then run it again.`
        : `\`shiplog doctor --repair\` can repair ${open}.`,
    )
  }
  if (lasting > 0) {
    sentences.push(
      `${lasting} can't be repaired: nothing was changed, and everything readable is still read. Copy the data directory before you repair anything by hand.`,
    )
  }
  return sentences.join(' ')
}
