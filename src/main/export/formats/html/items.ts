/** Renders transcript items as HTML. */

import type { ImageRef } from '../../../../shared/agents/agent-records.ts'
import { assertNever } from '../../../../shared/assert-never.ts'
import { describeToolCall } from '../../../../shared/projections/tool-calls/describe-tool-call.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import type { ToolCallView } from '../../../../shared/projections/transcript/turn-blocks.ts'
import { formatCause } from '../../../../shared/records/causes.ts'
import { answerText } from '../../../../shared/text/permission-text.ts'
import { diff, escaped, folded, markdown, pre } from './elements.ts'

/** Resolves with the image as a `data:` URL; null: the image was deleted. */
type ImageData = (image: ImageRef) => Promise<string | null>

interface ItemPlace {
  imageData: ImageData
  /** The level of the headings: 2 for the root, 3 within a sub-agent. */
  level: 2 | 3
  /** The beginning of the anchors of this transcript, which are unique in the page. */
  anchors: string
}

export async function itemHtml(item: TranscriptItem, place: ItemPlace): Promise<string> {
  const { imageData } = place
  const section = (of: { seq: number; at: string | null }, title: string, content: string) =>
    sectionHtml(of, { title, content, place })
  const images = async (refs: readonly ImageRef[]) =>
    (await Promise.all(refs.map((ref) => image(ref, imageData)))).join('')
  switch (item.kind) {
    case 'prompt': {
      const title = item.toRunning ? 'Message while it was running' : 'Prompt'
      const content = `${await images(item.images)}${markdown(item.text)}`
      return section(item, title, `<div class="prompt">${content}</div>`)
    }
    case 'turn': {
      const parts: string[] = []
      for (const block of item.blocks) {
        if (block.kind === 'text') parts.push(markdown(block.text))
        else if (block.kind === 'reasoning') parts.push(folded('Reasoning', markdown(block.text)))
        else if (block.kind === 'image') parts.push(await image(block, imageData))
        else parts.push(call(block.call), await images(block.call.images))
      }
      const status = item.status === 'complete' ? '' : ` (${turnStatus[item.status]})`
      return section(item, `Turn ${item.turn}${status}`, parts.join(''))
    }
    case 'run-start':
      return section(item, `Run ${item.run} started`, '')
    case 'run-end':
      return section(
        item,
        `Run ${item.run} ${item.status}`,
        item.cause ? paragraph(formatCause(item.cause)) : '',
      )
    case 'resume':
      return section(
        item,
        'Resumed',
        item.drift.length === 0 ? paragraph('Nothing had changed.') : list(item.drift),
      )
    case 'worktree':
      return section(
        item,
        item.path === null ? 'Worktree left' : 'Worktree entered',
        item.path === null ? '' : paragraph(`${item.path} on ${item.branch ?? 'no branch'}`),
      )
    case 'pr-link':
      return section(item, 'Pull request', markdown(`<${item.url}>`))
    case 'plan':
      return section(
        item,
        'Plan',
        list(item.items.map(({ text, status }) => `${text} (${status})`)),
      )
    case 'compaction':
      return section(
        item,
        'Compaction',
        paragraph(
          `From here on the agent has this summary in place of the entries before ${item.keptFromSeq}.`,
        ) +
          (await images(item.images)) +
          folded('Summary', markdown(item.summary)),
      )
    case 'retry':
      return section(
        item,
        'Attempt failed',
        paragraph(`Turn ${item.turn} was retried: ${formatCause(item.cause)}`),
      )
    case 'fork':
      return section(
        item,
        item.edge === 'start' ? 'Abandoned branch begins' : 'Abandoned branch ends',
        '',
      )
    case 'summary':
      return section(item, 'Summary', markdown(item.text))
    case 'note':
      return `<p class="note" id="${anchor(place, item.seq)}">${escaped(item.text)}</p>\n`
    case 'foreign':
      return section(
        item,
        `Entry of ${item.source}`,
        folded('Content', pre(JSON.stringify(item.content, null, 2))),
      )
    case 'unknown':
      return section(
        item,
        `Entry of type ${item.entry.originalType}`,
        folded('Original record', pre(JSON.stringify(item.entry.record, null, 2))),
      )
    default:
      return assertNever(item)
  }
}

const turnStatus = {
  interrupted: 'interrupted',
  superseded: 'failed, and retried',
  live: 'in progress',
}

const outcomes: Record<ToolCallView['state'], string> = {
  ok: '',
  error: 'failed',
  unknown: 'outcome unknown',
  running: 'still running',
  'not-loaded': 'not loaded',
}

function call({ name, input, state, output, detail, permission }: ToolCallView): string {
  const outcome = outcomes[state]
  const title = `<code>${escaped(describeToolCall(name, input))}</code>${outcome === '' ? '' : ` <span class="failed">${outcome}</span>`}`
  const parts: string[] = []
  if (permission) parts.push(paragraph(answerText(permission, { whole: true })))
  if (detail?.kind === 'report') parts.push(markdown(`**${detail.title}**\n\n${detail.markdown}`))
  else {
    if (detail?.kind === 'edit' && detail.patch !== null) parts.push(diff(detail.patch))
    else if (input !== null && state !== 'not-loaded') parts.push(inputHtml(name, input))
    if (output !== null && output !== '') parts.push(pre(output, 'output'))
  }
  return folded(title, parts.join(''), detail?.kind === 'edit' || detail?.kind === 'report')
}

function inputHtml(name: string, input: unknown): string {
  const { command } = (input ?? {}) as { command?: unknown }
  return pre(
    name === 'bash' && typeof command === 'string' ? command : JSON.stringify(input, null, 2),
  )
}

async function image(ref: ImageRef, imageData: ImageData): Promise<string> {
  const data = await imageData(ref)
  return data === null
    ? paragraph('An image that is not kept any more.')
    : `<p><img alt="" src="${escaped(data)}"></p>`
}

function sectionHtml(
  { seq, at }: { seq: number; at: string | null },
  { title, content, place }: { title: string; content: string; place: ItemPlace },
): string {
  const id = anchor(place, seq)
  const text = at === null ? `Entry ${seq}` : `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
  const when = at === null ? text : `<time datetime="${escaped(at)}">${escaped(text)}</time>`
  const heading = `h${place.level}`
  return `<section id="${id}"><${heading}>${escaped(title)} <a class="meta" href="#${id}">${when}</a></${heading}>${content}</section>\n`
}

const anchor = ({ anchors }: ItemPlace, seq: number): string => `${anchors}seq-${seq}`
const paragraph = (text: string): string => `<p>${escaped(text)}</p>`
const list = (texts: string[]): string =>
  `<ul>${texts.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`
