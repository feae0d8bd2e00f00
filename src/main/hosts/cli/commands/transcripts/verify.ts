/** `shiplog verify FILE`: checks a transcript, a ledger or an export by its chain of checksums. */
import { realpath } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { counted } from '../../../../../shared/text/counted.ts'
import { isExport } from '../../../../export/is-export.ts'
import { checkExport, type ExportCheck } from '../../../../export/read-export.ts'
import {
  exists,
  type JournalCheck,
  JournalReadError,
  verifyJournal,
} from '../../../../journal/index.ts'
import { layoutOf } from '../../../../sessions/session-files.ts'
import type { Action } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'

export function verify(name: string): Action {
  return async (context) => {
    const path = resolve(context.host.cwd, name)
    if (await beginsLikeExport(path)) return verifyExport(context, path)
    const { dataDir, ...check } = await checkOf(path)
    const ok = check.damage.length === 0 && check.tailBytes === 0
    if (context.json) await context.printJson({ path, ok, ...check })
    else {
      await printCheck(context, check)
      if (dataDir !== null && check.withheld > 0)
        await context.say(
          `Records are withheld in exports only. This is a journal of the data directory ${safeLine(dataDir)}, where ${counted(check.withheld, 'record')} must have been taken out.`,
        )
    }
    return ok ? exitCodes.done : exitCodes.damage
  }
}

async function beginsLikeExport(path: string): Promise<boolean> {
  try {
    return isExport(await realpath(path))
  } catch {
    return false
  }
}

async function verifyExport(context: CliContext, path: string): Promise<number> {
  const { header, problems, ...counts } = await checkExport(path)
  const ok = problems.length === 0
  if (context.json) await context.printJson({ path, ok, export: header, ...counts, problems })
  else {
    for (const { line, reason } of problems)
      await context.out.write(`${safeLine(`line ${line} ${reason}`)}\n`)
    await context.say(exportSummary(counts, ok))
  }
  return ok ? exitCodes.done : exitCodes.damage
}

function exportSummary(
  {
    tasks,
    records,
    withheld,
    redacted,
  }: Pick<ExportCheck, 'tasks' | 'records' | 'withheld' | 'redacted'>,
  ok: boolean,
): string {
  const copies = redacted > 0 ? ` (${redacted} with a readable copy, which nothing proves)` : ''
  const what = `${counted(records, 'record')} of ${counted(tasks, 'task')}, and ${withheld} withheld${copies}`
  return ok
    ? `In order: ${what}. Each record is unaltered and in its place; nothing else is missing.`
    : `Damaged: ${what}. Something was changed, cut or lost since it was exported.`
}

/** `dataDir` is null unless the file is a journal in a data directory, where a stub counts as damage. */
async function checkOf(path: string): Promise<JournalCheck & { dataDir: string | null }> {
  try {
    // Resolved here, because a user may name a link, and journals are not read through links.
    const file = await realpath(path)
    const dataDir = await dataDirOf(file)
    const check = await verifyJournal(file, undefined, { stubs: true })
    if (dataDir === null || check.withheld === 0) return { ...check, dataDir }
    const { damage } = await verifyJournal(file)
    return { ...check, damage, dataDir }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new CliError(exitCodes.notFound, `There is no file ${path}.`)
    if (code === 'EISDIR')
      throw new CliError(
        exitCodes.usage,
        `${path} is a folder. Name a file, such as its chat.jsonl.`,
      )
    if (error instanceof JournalReadError) throw new CliError(exitCodes.usage, error.message)
    throw error
  }
}

/** Resolves with the data directory to which a ledger or transcript belongs; null for an export, even in one. */
async function dataDirOf(file: string): Promise<string | null> {
  for (let dir = dirname(file); dir !== dirname(dir); dir = dirname(dir)) {
    const { ledger, leaseLock, sessions, archive, trash } = layoutOf(dir)
    const isOwn =
      file === ledger || [sessions, archive, trash].some((folder) => file.startsWith(folder + sep))
    if (isOwn && (await exists(ledger)) && (await exists(leaseLock))) return dir
  }
  return null
}

async function printCheck(context: CliContext, check: JournalCheck): Promise<void> {
  const { records, withheld, damage, tailBytes } = check
  for (const { line, bytes, reason } of damage) {
    const skipped = bytes > 0 ? `; ${counted(bytes, 'byte')} can't be read` : ''
    await context.out.write(`${safeLine(`line ${line}: ${reason}${skipped}`)}\n`)
  }
  if (tailBytes > 0)
    await context.out.write(
      `The last line has no newline: ${counted(tailBytes, 'byte')} are no record. They were being written when the process stopped, or the file was cut.\n`,
    )
  if (records === 0 && withheld === 0)
    await context.say("No record was found. Is it a transcript's chat.jsonl, or an export of one?")
  else await context.say(summary(check, damage.length > 0 || tailBytes > 0))
}

function summary({ records, withheld }: JournalCheck, isDamaged: boolean): string {
  const checked = `${counted(records, 'record')}${withheld > 0 ? `, ${withheld} withheld` : ''}`
  return isDamaged
    ? `Damaged: ${checked} in order. The rest was changed, cut or lost since it was written.`
    : `In order: ${checked}, in one unbroken chain. Lines cut from the end, or a chain that was rewritten from its start, would not show.`
}
