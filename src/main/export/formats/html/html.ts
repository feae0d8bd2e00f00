/** A single HTML file for offline reading, without scripts. Each sub-agent follows the turn that started it. */
import { imageKindOf } from '../../../../shared/agents/image-kind.ts'
import { shortId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { childrenPlacer } from '../../children.ts'
import { type ExportRun, redacted } from '../../export-run.ts'
import { transcriptItems } from '../../transcript-items.ts'
import { escaped, markdown } from './elements.ts'
import { itemHtml } from './items.ts'
import { pageBegin, pageEnd } from './page.ts'

export async function* html(run: ExportRun): AsyncGenerator<string> {
  const root = run.source.task(run.rootId)
  yield pageBegin(redacted(run, root.title, root.id))
  yield* ofTask(run, root)
  yield pageEnd
}

async function* ofTask(run: ExportRun, task: Task): AsyncGenerator<string> {
  yield heading(run, task)
  const imageData = async ({ sha256 }: { sha256: string }) => {
    const data = await run.source.blob(task.id, sha256)
    const kind = data && imageKindOf(data)
    return data && kind
      ? `data:${kind.mediaType};base64,${Buffer.from(data).toString('base64')}`
      : null
  }
  const placer = childrenPlacer(run, task)
  for await (const item of transcriptItems(run, task)) {
    yield item.kind === 'left-out'
      ? `<p class="note">${escaped(item.text)}</p>\n`
      : await itemHtml(item, imageData)
    for (const child of placer.startedIn(item)) yield* ofChild(run, child)
  }
  for (const child of placer.rest()) yield* ofChild(run, child)
}

async function* ofChild(run: ExportRun, child: Task): AsyncGenerator<string> {
  yield '<div class="child">\n'
  if (run.request.children === 'inline') yield* ofTask(run, child)
  else {
    yield heading(run, child)
    const report = await run.source.report(child.id)
    yield report
      ? markdown(redacted(run, report.reportMarkdown, child.id))
      : '<p class="note">It has no report.</p>\n'
  }
  yield '</div>\n'
}

function heading(run: ExportRun, task: Task): string {
  run.result.tasks++
  const facts = [
    `Task ${shortId(task.id)}`,
    `agent ${task.agent}`,
    ...(task.model === null ? [] : [task.model]),
    task.status,
    ...(task.startedAt === null ? [] : [`started ${task.startedAt}`]),
  ]
  const title = escaped(redacted(run, task.title, task.id))
  const tag = task.id === run.rootId ? 'h1' : 'h2'
  return `<${tag}>${title}</${tag}>\n<p class="meta">${escaped(facts.join(' · '))}</p>\n`
}
