/** `shiplog files ID [PATH]`: prints the files of a task as of an entry of its transcript. */
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import {
  type MissingFiles,
  type StatedFiles,
  turnFileBytesMax,
} from '../../../../../shared/contract/transcripts/turn-files.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { notStoredReason } from '../../../../../shared/text/not-stored-text.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { safeLine, safeText } from '../../terminal/safe-text.ts'
import { type Row, renderTable } from '../../terminal/table.ts'
import { size } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'

export function files(id: string, path: string | undefined, given: ParsedOptions): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const seq = (given.at as number | undefined) ?? (await lastEntry(client, id))
      // A path with a slash at its end is a folder, as in the list.
      const isFolder = path === undefined || path.endsWith('/')
      return isFolder
        ? printFolder(context, client, { taskId: id, seq, path: (path ?? '').replace(/\/+$/, '') })
        : printFile(context, client, { taskId: id, seq, path })
    })
}

interface FilesQuery {
  taskId: string
  seq: number
  path: string
}

async function lastEntry(client: ShiplogClient, taskId: string): Promise<number> {
  const { entries } = await client.transcripts.page({ taskId, at: 'end', limit: 1 })
  return entries.at(-1)?.seq ?? 1
}

async function printFolder(
  context: CliContext,
  client: ShiplogClient,
  query: FilesQuery,
): Promise<number> {
  const found = await client.turnFiles.folder(query)
  if (found.kind === 'missing') return printMissing(context, found)
  if (context.json) {
    await context.printJson(found)
    return exitCodes.done
  }
  await printState(context, found.stated)
  const rows = found.names.map(
    ({ name, kind, bytes }): Row => [
      safeLine(kind === 'folder' ? `${name}/` : name),
      kind === 'file' ? (bytes === null ? 'lost' : size(bytes)) : kind,
    ],
  )
  if (rows.length === 0) await context.say('There were no files.')
  else await context.out.write(renderTable(columns, rows, context.out))
  if (found.more > 0) await context.say(`and ${counted(found.more, 'more name')}`)
  if (query.path === '')
    for (const left of found.stated.notStored)
      await context.say(`Not recorded: ${safeLine(left.path)} (${notStoredReason(left)})`)
  return exitCodes.done
}

const columns = [
  { title: 'NAME', shrinks: true },
  { title: 'SIZE', align: 'right' as const },
]

/** As many bytes as Git searches for a NUL. */
const binaryCheckBytes = 8_000

/** Prints the file's bytes. */
async function printFile(
  context: CliContext,
  client: ShiplogClient,
  query: FilesQuery,
): Promise<number> {
  const request = { ...query, as: 'bytes' as const, bytesMax: turnFileBytesMax }
  const found = await client.turnFiles.file(request)
  if (found.kind === 'missing') return printMissing(context, found)
  if (context.json) {
    await context.printJson(found)
    return exitCodes.done
  }
  await printState(context, found.stated)
  const { content, truncated } = found
  if (content.kind === 'bytes') {
    const bytes = Buffer.from(content.base64, 'base64')
    if (!context.out.isTTY) await context.out.write(bytes)
    else if (bytes.subarray(0, binaryCheckBytes).includes(0))
      await context.say('A binary file, not shown in a terminal: write it to a file with `>`.')
    // Escaped, because a terminal would interpret control characters.
    else await context.out.write(safeText(bytes.toString()))
  } else if (content.kind === 'submodule') await context.say(`A submodule at ${content.commit}.`)
  else {
    await context.warn(
      'The agent did not change this file, and the repository no longer has this version of it.',
    )
    return exitCodes.notFound
  }
  if (!truncated) return exitCodes.done
  await context.warn(`The file is cut at ${size(turnFileBytesMax)}.`)
  return exitCodes.failed
}

const printState = (context: CliContext, { seq, turn, failed }: StatedFiles): Promise<void> =>
  context.say(
    `As of entry ${seq}${turn === null ? '' : `, turn ${turn}`}${failed === null ? '' : `; later files could not be recorded: ${safeLine(failed)}`}`,
  )

async function printMissing(context: CliContext, found: MissingFiles): Promise<number> {
  if (context.json) await context.printJson(found)
  else await context.warn(found.message)
  return exitCodes.notFound
}
