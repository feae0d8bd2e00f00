/** The state of a session as of one entry, as viewers show it. Pure. */
import type { TranscriptState } from '../../contract/transcripts/transcripts.ts'
import type { BriefState } from '../session/brief-state.ts'

export function transcriptStateOf(brief: BriefState): TranscriptState {
  const { seq, at, place, model, usage, run, lastTurn } = brief
  const answered = model ?? run?.model ?? null
  return { seq, at, ...place, model: answered, usage, run: run?.run ?? 0, turns: lastTurn }
}
