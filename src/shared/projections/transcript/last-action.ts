/** What an agent was doing when its transcript ends, as one line. Pure. */
import type { TranscriptPage } from '../../contract/workspace.ts'
import { plainText } from '../../text/plain-text.ts'
import { toolLabel } from '../tool-labels.ts'
import { withPartial } from './live-items.ts'
import { foldEntries } from './transcript.ts'
import { emptyTranscript } from './transcript-fold.ts'
import type { TurnBlock } from './turn-blocks.ts'

/** A row of the sidebar shows far less; its tooltip may show this much. */
const actCharsMax = 200

/** `running npm test`, `waiting for Add tests`, or the last words that it said; null when neither is there. */
export function lastActionOf(page: Pick<TranscriptPage, 'entries' | 'partial'>): string | null {
  const fold = foldEntries(emptyTranscript(), page.entries)
  const turn = [...withPartial(fold, page.partial, false)].findLast((item) => item.kind === 'turn')
  const block = turn?.kind === 'turn' ? turn.blocks.findLast(hasContent) : undefined
  if (!block) return null
  const text =
    block.kind === 'tool'
      ? actOf(block)
      : `saying “${(block.text.trim().split('\n', 1)[0] ?? '').trim()}”`
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > actCharsMax ? `${line.slice(0, actCharsMax - 1)}…` : line
}

const hasContent = (block: TurnBlock): block is Extract<TurnBlock, { kind: 'tool' | 'text' }> =>
  block.kind === 'tool' || (block.kind === 'text' && block.text.trim() !== '')

function actOf({ call }: Extract<TurnBlock, { kind: 'tool' }>): string {
  // What has no result was under way when it stopped.
  const ended = call.state === 'ok' || call.state === 'error'
  const { verb, object } = toolLabel(ended ? call : { ...call, state: 'running' })
  const words = `${verb} ${object}`.trim()
  return words.charAt(0).toLowerCase() + words.slice(1)
}
