/** A single HTML file for offline reading, without scripts. Each sub-agent is folded after the turn that started it. */
import prettyMs from 'pretty-ms'
import { imageKindOf } from '../../../../shared/agents/image-kind.ts'
import { shortId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { costText } from '../../../../shared/text/usage-text.ts'
import { childrenPlacer } from '../../children.ts'
import { type ExportRun, exportedChildren, redacted } from '../../export-run.ts'
import { transcriptItems } from '../../transcript-items.ts'
import { escaped, markdown } from './elements.ts'
import { itemHtml } from './items.ts'
import { pageBegin, pageEnd } from './page.ts'

export async function* html(run: ExportRun): AsyncGenerator<string> {
  const root = run.source.task(run.rootId)
  yield pageBegin(redacted(run, root.title, root.id))
  yield heading(run, root)
  yield await contents(run, root)
  yield* ofTask(run, root)
  yield pageEnd
}

/** Links to the report, the transcript and the sub-agents; nothing if there is only the transcript. */
async function contents(run: ExportRun, root: Task): Promise<string> {
  const children = linksToChildren(run, root)
  const report = await run.source.report(root.id)
  if (children === '' && !report) return ''
  return `<ul class="contents">${report ? '<li><a href="#report">Report</a></li>' : ''}<li><a href="#transcript">Transcript</a></li>${children === '' ? '' : `<li>Sub-agents${children}</li>`}</ul>\n`
}

function linksToChildren(run: ExportRun, task: Task): string {
  const links = exportedChildren(run, task.id).map(
    (child) =>
      `<li><a href="#${anchorOf(child)}">${titleOf(run, child)}</a> (${escaped(child.status)})${linksToChildren(run, child)}</li>`,
  )
  return links.length === 0 ? '' : `<ul>${links.join('')}</ul>`
}

/** The report is first, because most readers want it before they want to know how it came about. */
async function* ofTask(run: ExportRun, task: Task): AsyncGenerator<string> {
  const isRoot = task.id === run.rootId
  const report = await run.source.report(task.id)
  const level = isRoot ? 2 : 3
  if (report) {
    const id = isRoot ? ' id="report"' : ''
    yield `<section${id}><h${level}>Report</h${level}>${markdown(redacted(run, report.reportMarkdown, task.id))}</section>\n`
  }
  if (isRoot) yield '<div id="transcript"></div>\n'
  const imageData = async ({ sha256 }: { sha256: string }) => {
    const data = await run.source.blob(task.id, sha256)
    const kind = data && imageKindOf(data)
    return data && kind
      ? `data:${kind.mediaType};base64,${Buffer.from(data).toString('base64')}`
      : null
  }
  const anchors = isRoot ? '' : `${anchorOf(task)}-`
  const placer = childrenPlacer(run, task)
  for await (const item of transcriptItems(run, task)) {
    // It repeats the report.
    if (item.kind === 'summary' && report) continue
    yield item.kind === 'left-out'
      ? `<p class="note">${escaped(item.text)}</p>\n`
      : await itemHtml(item, { imageData, level, anchors })
    for (const child of placer.startedIn(item)) yield* ofChild(run, child)
  }
  for (const child of placer.rest()) yield* ofChild(run, child)
}

async function* ofChild(run: ExportRun, child: Task): AsyncGenerator<string> {
  run.result.tasks++
  yield `<details class="child" id="${anchorOf(child)}"><summary><strong>${titleOf(run, child)}</strong> <span class="meta">${escaped(factsOf(child).join(' · '))}</span></summary>\n`
  if (run.request.children === 'inline') yield* ofTask(run, child)
  else {
    const report = await run.source.report(child.id)
    yield report
      ? markdown(redacted(run, report.reportMarkdown, child.id))
      : '<p class="note">It has no report.</p>\n'
  }
  yield '</details>\n'
}

function heading(run: ExportRun, root: Task): string {
  run.result.tasks++
  return `<h1>${titleOf(run, root)}</h1>\n<p class="meta">${escaped(factsOf(root).join(' · '))}</p>\n`
}

const titleOf = (run: ExportRun, task: Task): string => escaped(redacted(run, task.title, task.id))

const anchorOf = ({ id }: Task): string => `task-${shortId(id)}`

function factsOf({ id, agent, model, status, startedAt, endedAt, usage }: Task): string[] {
  const tookMs = startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : null
  const cost = costText(usage)
  return [
    `Task ${shortId(id)}`,
    `agent ${agent}`,
    ...(model === null ? [] : [model]),
    status,
    ...(startedAt === null ? [] : [`started ${startedAt.slice(0, 16).replace('T', ' ')} UTC`]),
    ...(tookMs === null || tookMs < 0 ? [] : [`took ${prettyMs(tookMs, { compact: true })}`]),
    ...(cost === null ? [] : [cost]),
  ]
}
