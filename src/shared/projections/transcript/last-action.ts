/** The last action of an agent in a transcript, as one line. Pure. */
import type { TranscriptPage } from '../../contract/workspace.ts'
import { plainText } from '../../text/plain-text.ts'
import { toolLabel } from '../tool-calls/tool-labels.ts'
import { withPartial } from './live-items.ts'
import { foldEntries } from './transcript.ts'
import { emptyTranscript } from './transcript-fold.ts'
import type { TurnBlock } from './turn-blocks.ts'

/** Limit for a tooltip; a row of the sidebar shows less. */
const actionCharsMax = 200

/** Returns `running npm test`, `waiting for Add tests`, or the last text; null if there is neither. */
export function lastActionOf(page: Pick<TranscriptPage, 'entries' | 'partial'>): string | null {
  const fold = foldEntries(emptyTranscript(), page.entries)
  const turn = [...withPartial(fold, page.partial, false)].findLast((item) => item.kind === 'turn')
  const block = turn?.kind === 'turn' ? turn.blocks.findLast(hasContent) : undefined
  if (!block) return null
  const text =
    block.kind === 'tool'
      ? callText(block)
      : `saying “${(block.text.trim().split('\n', 1)[0] ?? '').trim()}”`
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > actionCharsMax ? `${line.slice(0, actionCharsMax - 1)}…` : line
}

const hasContent = (block: TurnBlock): block is Extract<TurnBlock, { kind: 'tool' | 'text' }> =>
  block.kind === 'tool' || (block.kind === 'text' && block.text.trim() !== '')

function callText({ call }: Extract<TurnBlock, { kind: 'tool' }>): string {
  // A call without a result was running when the agent stopped.
  const ended = call.state === 'ok' || call.state === 'error'
  const { verb, object } = toolLabel(ended ? call : { ...call, state: 'running' })
  const words = `${verb} ${object}`.trim()
  return words.charAt(0).toLowerCase() + words.slice(1)
}
