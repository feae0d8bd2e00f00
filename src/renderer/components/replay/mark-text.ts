/** Describes a mark of a timeline in a few words. Pure. */

import { assertNever } from '../../../shared/assert-never.ts'
import type { TimelineMark } from '../../../shared/contract/transcripts/timeline.ts'
import { counted, duration } from '../primitives/format.ts'

export function markText(mark: TimelineMark): string {
  switch (mark.kind) {
    case 'prompt':
      return `Prompt: ${mark.text}`
    case 'turn':
      return `${mark.turn === null ? 'Message' : `Turn ${mark.turn}`}${turnEnds[mark.status]}${mark.text ? `: ${mark.text}` : ''}`
    case 'call':
      return mark.text
    case 'result':
      return `${mark.name} ${outcomes[mark.outcome]} after ${duration(mark.durationMs)}`
    case 'files':
      return mark.changed === 0
        ? 'Files recorded, none changed'
        : `${counted(mark.changed, 'file')} changed${mark.path ? `: ${mark.path}${mark.changed > 1 ? ' …' : ''}` : ''}`
    case 'files-failed':
      return `Files could not be recorded: ${mark.text}`
    case 'place':
      return `In ${mark.directory}${mark.branch === null ? '' : ` on ${mark.branch}`}`
    case 'worktree':
      return mark.path === null ? 'Left its worktree' : `Worktree ${mark.branch ?? mark.path}`
    case 'run':
      return `Run ${mark.run}${reasons[mark.reason]}`
    case 'run-end':
      return `Run ${mark.run} ${mark.status}${mark.text ? `: ${mark.text}` : ''}`
    case 'resume':
      return mark.drift.length === 0
        ? 'Resumed, nothing had changed'
        : `Resumed: ${mark.drift.join(' ')}`
    case 'retry':
      return `Tried again: ${mark.text}`
    case 'permission':
      return `${mark.allowed === null ? 'Asked' : mark.allowed ? 'Allowed' : 'Denied'}: ${mark.text}`
    case 'plan':
      return `Plan: ${mark.done} of ${mark.total} done`
    case 'compaction':
      return 'Conversation compacted'
    case 'pull-request':
      return mark.url
    case 'fork':
      return mark.begins ? 'A branch of the conversation begins' : 'The branch ends'
    case 'unknown':
      return `Unknown entry: ${mark.text}`
    default:
      return assertNever(mark)
  }
}

const outcomes = {
  ok: 'done',
  error: 'failed',
  unknown: 'ended with an unknown outcome',
  'not-run': 'not tried',
} as const
const reasons = { prompt: ' started', resume: ' resumed', retry: ' retried' } as const
const turnEnds = {
  complete: '',
  interrupted: ' (interrupted)',
  superseded: ' (tried again)',
} as const
