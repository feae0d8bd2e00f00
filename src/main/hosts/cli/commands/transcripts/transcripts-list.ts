/** `shiplog transcripts list`: the transcripts that are kept, live and archived. */
import type { TranscriptSummary } from '../../../../../shared/contract/workspace.ts'
import { shortId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { folderLabels } from '../../../../../shared/text/folder-labels.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { projectPath } from '../../paths.ts'
import { summaryJson } from '../../task-json.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { type Row, renderTable } from '../../terminal/table.ts'
import { ago, size, statusWording } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { projectAt } from '../project-named.ts'
import { continuesText, hintsFor } from '../tasks/task-tree.ts'

export function list(given: ParsedOptions): Action {
  const project = given.project as string | undefined
  return async (context) => {
    const projectDir =
      project === undefined ? undefined : await projectPath(project, context.host.cwd)
    return withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { transcripts } = await client.workspace.listTranscripts({ projectDir })
      if (transcripts.length === 0 && projectDir !== undefined) await projectAt(client, projectDir)
      if (context.json) {
        await context.printJson({ transcripts: transcripts.map(summaryJson) })
        return exitCodes.done
      }
      if (transcripts.length === 0) {
        await context.say('No transcripts are kept yet.')
        return exitCodes.done
      }
      await printList(context, transcripts)
      return exitCodes.done
    })
  }
}

/** Prints two lines for each transcript: its title and its facts. */
async function printList(context: CliContext, transcripts: TranscriptSummary[]): Promise<void> {
  const { out, host } = context
  const titles = new Map(transcripts.map((one) => [one.taskId, one]))
  const projects = folderLabels(transcripts.map(({ projectDir }) => projectDir))
  const rows = transcripts.flatMap((one): Row[] => {
    const { sign, word, style } = statusWording[one.status]
    const from = one.resumedFrom?.taskId ?? null
    const facts = [
      safeLine(one.agent),
      counted(one.runs, 'run'),
      one.transcriptExpired ? 'expired' : counted(one.entries, 'entry', 'entries'),
      size(one.bytes),
      ...(one.archived ? ['archived'] : []),
      safeLine(projects.get(one.projectDir) ?? one.projectDir),
      ...(from === null ? [] : [continuesText(from, titles.get(from))]),
    ]
    return [
      [
        { text: `${sign} ${word}`, style },
        safeLine(one.title),
        shortId(one.taskId),
        ago(one.endedAt ?? one.startedAt, host.now()),
      ],
      { note: facts.join(' · '), under: 1 },
    ]
  })
  await out.write(renderTable(listColumns, rows, out))
  for (const line of hintsFor(transcripts.map((one) => ({ ...one, id: one.taskId }))))
    await context.say(line)
}

const listColumns = [
  { title: 'STATUS' },
  { title: 'TASK', shrinks: true },
  { title: 'ID' },
  { title: 'LAST', align: 'right' as const },
]
