/**
 * `shiplog import [TOOL] [PATH]`: imports sessions of another tool as archived roots. With `--scan` it only lists them,
 * with `--watch` it continues as they grow. Without a tool, the content of the file determines it.
 */
import { resolve } from 'node:path'
import prettyMs from 'pretty-ms'
import type {
  ImportedSession,
  ImportProgress,
  ImportSourceFound,
  SkippedSession,
} from '../../../../../shared/contract/imports.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import { type ImportTool, importToolSchema } from '../../../../../shared/records/exported-tasks.ts'
import { shortId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { expiringText, toolName } from '../../../../../shared/text/import-text.ts'
import { exists } from '../../../../journal/index.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { CliError, exitCodes, usageError } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { size } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { watch } from './import-watch.ts'

/** Time between two lines about the progress. */
const progressMs = 2_000
/** Folders that a scan lists; `--json` has all. */
const listedProjects = 20
/** Sessions that the result lists; `--json` has all. */
const listedSessions = 20

export function importSessions(
  first: string | undefined,
  second: string | undefined,
  options: ParsedOptions,
): Action {
  const { tool, path } = toolAndPath(first, second)
  if (tool === undefined && path !== undefined && options.watch === true)
    throw usageError(`Name the tool: \`shiplog import TOOL ${path} --watch\`.`)
  if (tool === undefined && path === undefined && options.scan !== true)
    throw usageError('Name the tool whose sessions are imported, or see what there is: `--scan`.', [
      ...importToolSchema.options.map((one) => `shiplog import ${one}`),
      'shiplog import FILE',
      'shiplog import --scan',
    ])
  if (path === undefined && options.scan !== true && (tool === 'atif' || tool === 'shiplog'))
    throw usageError(`Name the file: \`shiplog import ${tool} PATH\`.`)
  return (context) =>
    withShiplog(context, { host: 'cli', reachable: true }, async ({ client, ending }) => {
      const place = path === undefined ? {} : { path: resolve(context.host.cwd, path) }
      if (options.scan === true) await scan(context, client, { ...(tool && { tool }), ...place })
      else if (options.watch === true && tool)
        return watch(context, client, { tool, ...place, signal: ending })
      else {
        const tools = tool ? [tool] : await toolsOf(client, place.path ?? '')
        return run(context, client, { tools, ...place, signal: ending })
      }
      return exitCodes.done
    })
}

function toolAndPath(
  first: string | undefined,
  second: string | undefined,
): { tool?: ImportTool; path?: string | undefined } {
  if (first === undefined) return {}
  const tool = importToolSchema.safeParse(first)
  if (tool.success) return { tool: tool.data, path: second }
  if (second !== undefined) throw usageError(`${first} is not one of the tools: ${toolList}.`)
  return { path: first }
}

const toolList = importToolSchema.options.join(', ')

/** The tools whose logs are at an absolute path, by their content. */
async function toolsOf(client: ShiplogClient, path: string): Promise<ImportTool[]> {
  const { sources } = await client.imports.scan({ path })
  if (sources.length > 0) return sources.map(({ tool }) => tool)
  throw (await exists(path))
    ? usageError(
        `${path} is no log that Shiplog reads: it has no session of Claude Code or Codex, no ATIF trajectory, and is no Shiplog export in JSONL or JSON.`,
      )
    : new CliError(exitCodes.notFound, `There is no file or folder ${path}.`, [
        `The tools are ${toolList}.`,
      ])
}

async function scan(
  context: CliContext,
  client: ShiplogClient,
  request: { tool?: ImportTool; path?: string },
): Promise<void> {
  const { sources } = await client.imports.scan(request)
  if (context.json) return context.printJson({ sources })
  if (sources.length === 0)
    await context.say(
      `No sessions of ${request.tool ? toolName(request.tool) : 'other tools'} were found.`,
    )
  for (const source of sources) await printSource(context, source)
}

async function printSource(context: CliContext, source: ImportSourceFound): Promise<void> {
  const { tool, sessions, subAgents, bytes, projects, expiringSoon, hidden, imported } = source
  const name = toolName(tool)
  await context.say(
    `${counted(sessions, 'session')} of ${name} with ${counted(subAgents, 'sub-agent')}, ${size(bytes)}, ${counted(projects, 'project')}, in ${safeLine(source.path)}.`,
  )
  if (expiringSoon > 0) await context.say(`${expiringText(source)}.`)
  if (hidden > 0) await context.say(`${name} itself does not list ${hidden} of them.`)
  if (imported > 0)
    await context.say(
      `The archive has ${imported === sessions ? 'all' : imported} of them already.`,
    )
  for (const project of source.byProject.slice(0, listedProjects))
    await context.say(
      `  ${String(project.sessions).padStart(4)}  ${size(project.bytes).padStart(8)}  ${safeLine(project.dir ?? 'of no known folder')}`,
    )
  const more = source.byProject.length - listedProjects
  if (more > 0) await context.say(`  and ${counted(more, 'project')} more`)
  if (sessions > imported) await context.say(`\`shiplog import ${tool}\` keeps them.`)
}

async function run(
  context: CliContext,
  client: ShiplogClient,
  { tools, path, signal }: { tools: ImportTool[]; path?: string; signal: AbortSignal },
): Promise<number> {
  const sessions: ImportedSession[] = []
  const skipped: SkippedSession[] = []
  const startedAt = performance.now()
  let shownAt = startedAt
  for (const tool of tools)
    for await (const event of await client.imports.run(
      { tool, ...(path !== undefined && { path }) },
      { signal },
    )) {
      if (event.type === 'session') sessions.push(event.session)
      else if (event.type === 'skipped') skipped.push(event.skipped)
      else if (!context.json && performance.now() - shownAt >= progressMs) {
        shownAt = performance.now()
        await context.say(context.err.style('dim', progressLine(event, shownAt - startedAt)))
      }
    }
  // To a script, a session that was left out must not look like success: its tool may delete it.
  const exitCode = skipped.length > 0 ? exitCodes.failed : exitCodes.done
  if (context.json) {
    await context.printJson({ sessions, skipped })
    return exitCode
  }
  const added = sessions.filter(({ isNew }) => isNew)
  const updated = sessions.filter(({ isUpdated }) => isUpdated)
  const same = sessions.length - added.length - updated.length
  const done = [
    `Imported ${counted(added.length, 'session')} of ${tools.map(toolName).join(' and ')} into the archive`,
    ...(updated.length > 0 ? [`updated ${updated.length}`] : []),
    ...(same > 0 ? [`${same} ${same === 1 ? 'was' : 'were'} here already`] : []),
  ]
  if (sessions.length > 0 || skipped.length === 0) await context.say(`${done.join(', ')}.`)
  for (const one of [...added, ...updated].slice(0, listedSessions))
    await context.say(`  ${shortId(one.taskId)}  ${safeLine(one.title)}`)
  const more = added.length + updated.length - listedSessions
  if (more > 0) await context.say(`  and ${more} more: \`shiplog tasks list --all\``)
  const damaged = sessions.reduce((sum, one) => sum + one.damaged, 0)
  const withheld = sessions.reduce((sum, one) => sum + one.withheld, 0)
  if (withheld > 0)
    await context.say(
      `${counted(withheld, 'entry', 'entries')} had been masked or left out before.`,
    )
  if (damaged > 0)
    await context.warn(`${counted(damaged, 'line')} could not be read; the transcripts show where.`)
  for (const { session, reason } of skipped)
    await context.warn(`${session} was left out: ${reason}`)
  return exitCode
}

function progressLine({ sessions, sessionsTotal, bytes, bytesTotal }: ImportProgress, ms: number) {
  const perSecond = (bytes / ms) * 1_000
  const left =
    perSecond > 0 && bytes < bytesTotal ? ((bytesTotal - bytes) / perSecond) * 1_000 : null
  return [
    `${sessions} of ${counted(sessionsTotal, 'session')}`,
    `${size(bytes)} of ${size(bytesTotal)}`,
    `${size(Math.round(perSecond))}/s`,
    ...(left === null ? [] : [`${prettyMs(left, { compact: true })} left`]),
  ].join(' · ')
}
