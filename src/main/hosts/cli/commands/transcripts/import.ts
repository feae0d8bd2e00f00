/** `shiplog import shiplog FILE`: an export, as an archived root. */
import { resolve } from 'node:path'
import { shortId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { Action } from '../../action.ts'
import { exitCodes, usageError } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { withShiplog } from '../../with-shiplog.ts'

export function importFile(file: string | undefined): Action {
  if (file === undefined) throw usageError('Name the file: `shiplog import shiplog FILE`.')
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const path = resolve(context.host.cwd, file)
      const { sessions } = await client.exports.importFile({ path })
      const [root] = sessions
      if (context.json) await context.printJson({ sessions, skipped: [] })
      else if (root) {
        const what = `"${safeLine(root.title)}"`
        const withheld = sessions.reduce((sum, one) => sum + one.withheld, 0)
        const facts = [
          counted(sessions.length, 'task'),
          counted(
            sessions.reduce((sum, { lines }) => sum + lines, 0),
            'entry',
            'entries',
          ),
          ...(withheld > 0 ? [`${withheld} of them masked or left out when it was exported`] : []),
        ]
        await context.say(
          root.isNew
            ? `Imported ${what} into the archive: ${facts.join(', ')}. \`shiplog transcripts show ${shortId(root.taskId)}\` prints it.`
            : `${what} is here already, as ${shortId(root.taskId)}: nothing was changed.`,
        )
      }
      return exitCodes.done
    })
}
