/** Markdown for readers: a task's transcript, each sub-agent after the turn that started it. */
import {
  createItemMarkdown,
  quote,
} from '../../../shared/projections/transcript/transcript-markdown.ts'
import { shortId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../shared/text/counted.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { childrenPlacer } from '../children.ts'
import { type ExportRun, redacted } from '../export-run.ts'
import { transcriptItems } from '../transcript-items.ts'

export async function* markdown(run: ExportRun): AsyncGenerator<string> {
  // Agents' output may contain escape sequences and hidden characters, and the document may be read in a terminal.
  for await (const text of ofTask(run, run.source.task(run.rootId), 1)) yield visibleText(text)
}

/** Markdown has six levels of headings. */
const levelMax = 6

async function* ofTask(run: ExportRun, task: Task, level: number): AsyncGenerator<string> {
  const { request } = run
  yield heading(run, task, level)
  const render = createItemMarkdown({ level: Math.min(level + 1, levelMax) })
  const placer = childrenPlacer(run, task)
  const ofChild = (child: Task) =>
    request.children === 'inline'
      ? ofTask(run, child, Math.min(level + 2, levelMax))
      : summary(run, child, Math.min(level + 2, levelMax))
  for await (const item of transcriptItems(run, task)) {
    yield item.kind === 'left-out' ? `*${item.text}*\n\n` : render(item)
    for (const child of placer.startedIn(item)) yield* ofChild(child)
  }
  for (const child of placer.rest()) yield* ofChild(child)
  if (task.id !== run.rootId) yield `*End of ${oneLine(redacted(run, task.title, task.id))}.*\n\n`
}

async function* summary(run: ExportRun, task: Task, level: number): AsyncGenerator<string> {
  yield heading(run, task, level)
  const report = await run.source.report(task.id)
  const text = report ? redacted(run, report.reportMarkdown, task.id) : 'It has no report.'
  yield `${quote(text)}\n\n`
}

function heading(run: ExportRun, task: Task, level: number): string {
  run.result.tasks++
  const title = oneLine(redacted(run, task.title, task.id))
  const below = run.source.children(task.id).length
  const facts = [
    `Task ${shortId(task.id)}`,
    `agent ${oneLine(task.agent)}`,
    ...(task.model === null ? [] : [oneLine(task.model)]),
    task.status,
    ...(task.startedAt === null ? [] : [`started ${task.startedAt}`]),
    ...(below === 0 ? [] : [counted(below, 'sub-agent')]),
    ...(below > 0 && run.request.children === 'none' ? ['which are not in this export'] : []),
  ]
  return `${'#'.repeat(level)} ${title}\n\n${facts.join(' · ')}\n\n`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
