/** `shiplog export ID`: writes a task, alone or with its sub-agents, to a file for others. */

import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type {
  ExportChildren,
  ExportFormat,
  ExportPreview,
  ExportResult,
} from '../../../../../shared/contract/exports.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { redactionLabels } from '../../../../../shared/text/redaction-labels.ts'
import { visibleJson } from '../../../../../shared/text/shown-text.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { CliError, exitCodes, usageError } from '../../exit-codes.ts'
import { safeLine, safeText } from '../../terminal/safe-text.ts'
import { size } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { createNewFile, type NewFile } from './new-file.ts'

interface ExportOptions extends ParsedOptions {
  format?: ExportFormat
  output?: string
  children: ExportChildren
  withChildren?: boolean
  from?: number
  through?: number
  fromTurn?: number
  throughTurn?: number
  outputs: 'bounded' | 'whole'
  keep?: string[]
  redact: boolean
  files?: boolean
  content?: boolean
  force?: boolean
  preview?: boolean
}

/** Formats by the ending of a file's name. */
const formatsByEnding: Record<string, ExportFormat> = {
  '.md': 'md',
  '.markdown': 'md',
  '.html': 'html',
  '.htm': 'html',
  '.jsonl': 'jsonl',
  '.json': 'json',
}
/** Formats whose file names have an ending of two parts. */
const formatsByLongEnding: Record<string, ExportFormat> = {
  '.otlp.json': 'otlp',
  '.atif.json': 'atif',
  '.agent-trace.jsonl': 'agent-trace',
  '.claude-code.jsonl': 'claude-code',
}

export function exportTask(id: string, given: ParsedOptions): Action {
  const options = given as ExportOptions
  const { output = '-', preview = false, force = false } = options
  const format = options.format ?? formatOf(output.toLowerCase())
  const request = {
    taskId: id,
    format,
    children: options.withChildren ? 'inline' : options.children,
    fromSeq: options.from,
    throughSeq: options.through,
    fromTurn: options.fromTurn,
    throughTurn: options.throughTurn,
    outputs: options.outputs,
    redact: options.redact,
    keep: options.keep,
    files: options.files,
    content: options.content,
  } satisfies Parameters<ShiplogClient['exports']['read']>[0]
  return async (context) => {
    if (options.json && output === '-' && !preview)
      throw usageError(
        'With --json the export itself has to go to a file: name one with -o, or leave --json out.',
      )
    const path = output === '-' ? null : resolve(context.host.cwd, output)
    if (path !== null && !preview) await refuseExisting(path, force)
    return withShiplog(context, { host: 'cli' }, async ({ client, ending }) => {
      if (preview) {
        await printPreview(context, await client.exports.preview(request, { signal: ending }))
        return exitCodes.done
      }
      const events = await client.exports.read(request, { signal: ending })
      const file = path === null ? null : await createNewFile(path, { replace: force })
      const result = await write(context, events, file, format)
      if (!result) return exitCodes.done
      if (context.json) await context.printJson({ file: path, format, ...result })
      else await printResult(context, result, path, options.redact)
      return result.damaged > 0 ? exitCodes.damage : exitCodes.done
    })
  }
}

function formatOf(output: string): ExportFormat {
  const long = Object.entries(formatsByLongEnding).find(([ending]) => output.endsWith(ending))
  return long?.[1] ?? formatsByEnding[extname(output)] ?? 'md'
}

/** Resolves with null if the reader of the pipe has closed it. */
async function write(
  context: CliContext,
  events: Awaited<ReturnType<ShiplogClient['exports']['read']>>,
  file: NewFile | null,
  format: ExportFormat,
): Promise<ExportResult | null> {
  const { out } = context
  // On a terminal, hidden characters are shown as escapes, because it would interpret them.
  const shown = out.isTTY && format !== 'md' ? visibleJson : (text: string) => text
  let result: ExportResult | null = null
  try {
    for await (const event of events) {
      if (event.type === 'end') {
        const { type: _, ...counts } = event
        result = counts
      } else await (file ? file.write(event.text) : out.write(shown(event.text)))
      if (!file && out.closed) break
    }
    if (result) await file?.publish()
    return result
  } finally {
    await file?.discard()
  }
}

async function refuseExisting(path: string, force: boolean): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) throw usageError(`${path} is a folder. Name a file in it.`)
  if (found && !force)
    throw new CliError(exitCodes.refused, `${path} exists already. \`--force\` replaces it.`)
}

async function printResult(
  context: CliContext,
  result: ExportResult,
  path: string | null,
  isRedacted: boolean,
): Promise<void> {
  const { tasks, entries, bytes, masked, withheld, images, damaged } = result
  const facts = [
    ...(tasks === 1 ? [] : [counted(tasks, 'task')]),
    counted(entries, 'entry', 'entries'),
    size(bytes),
  ]
  if (path !== null) await context.say(`Wrote ${safeLine(path)}: ${facts.join(', ')}.`)
  if (masked > 0)
    await context.say(`Masked in ${counted(masked, 'place')}; \`--preview\` lists what.`)
  if (withheld > 0)
    await context.say(
      `Left out ${counted(withheld, 'entry', 'entries')} of types that this version does not know.`,
    )
  if (!isRedacted) await context.warn('Nothing was masked: read it before you share it.')
  if (isRedacted && images > 0)
    await context.say(`${counted(images, 'image')} in it: images are not searched for secrets.`)
  if (damaged > 0)
    await context.warn(
      `${counted(damaged, 'part')} of the transcript can't be read; see \`shiplog doctor\`.`,
    )
}

async function printPreview(context: CliContext, preview: ExportPreview): Promise<void> {
  const { out } = context
  if (context.json) return context.printJson(preview)
  for (const { id, kind, match, mark, kept, count, places } of preview.hits) {
    const what = `${id}  ${redactionLabels[kind]}  ${counted(count, 'time')}${kept ? ', kept' : ''}`
    const shown = kept ? safeLine(match) : `${safeLine(match)} → ${safeLine(mark)}`
    await out.write(`${out.style('bold', what)}  ${shown}\n`)
    for (const { taskId, seq, before, after } of places.slice(0, 2)) {
      const place = `${taskId.slice(0, 8)}${seq === null ? '' : `:${seq}`}`
      const context = safeText(`${before}${match}${after}`).replace(/\s+/g, ' ')
      await out.write(`    ${out.style('dim', place)}  ${context}\n`)
    }
  }
  if (preview.moreHits > 0)
    await context.say(`${counted(preview.moreHits, 'further place')} are masked and not listed.`)
  const { tasks, entries, bytes, masked, fileName } = preview
  await context.say(
    `${fileName}: ${counted(tasks, 'task')}, ${counted(entries, 'entry', 'entries')}, ${size(bytes)}; masked in ${counted(masked, 'place')}. \`--keep ID\` leaves one as it is.`,
  )
}
