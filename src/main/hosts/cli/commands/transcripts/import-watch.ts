/** `shiplog import TOOL [PATH] --watch`: imports sessions as they begin and grow, until the user interrupts. */
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import type { ImportTool } from '../../../../../shared/records/exported-tasks.ts'
import { shortId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { toolName } from '../../../../../shared/text/import-text.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'

export async function watch(
  context: CliContext,
  client: ShiplogClient,
  { signal, ...request }: { tool: ImportTool; path?: string; signal: AbortSignal },
): Promise<number> {
  let scans = 0
  let problem: string | null = null
  try {
    for await (const event of await client.imports.watch(request, { signal })) {
      if (event.type === 'progress') continue
      if (context.json) await context.printJsonLine(event)
      else if (event.type === 'skipped')
        await context.warn(`${event.skipped.session} was left out: ${event.skipped.reason}`)
      else if (event.type === 'scanned') {
        if (scans++ === 0)
          await context.say(
            `Watching ${counted(event.sessions, 'session')} of ${toolName(request.tool)}. Press Ctrl-C to end.`,
          )
        if (event.problem !== problem && event.problem !== null)
          await context.warn(`Changes may be found late: ${event.problem}.`)
        problem = event.problem
      } else if (event.session.isNew || event.session.isUpdated)
        await context.say(
          `${event.session.isNew ? 'Imported' : 'Updated '}  ${shortId(event.session.taskId)}  ${safeLine(event.session.title)}`,
        )
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return exitCodes.done
}
