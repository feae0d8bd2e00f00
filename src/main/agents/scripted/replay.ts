import type { DoneStep } from './progress.ts'

/** The rest of the recorded part of an interrupted turn, consumed step by step. */
export interface Replay {
  /** How much of a text is still to be sent: all, the rest, or nothing. */
  unsentPart(kind: 'text' | 'reasoning', text: string): string
  /** The record of the next call, when that is a call of this tool. */
  takeCall(name: string): Extract<DoneStep, { kind: 'call' }> | null
  /** Whether nothing after this point is known to have been done. */
  isOver(): boolean
}

export function createReplay(done: DoneStep[]): Replay {
  const left = structuredClone(done)

  /** The part that is still to be sent. Neighbouring texts of one kind were recorded as one, with white space between them. */
  function unsentPart(kind: 'text' | 'reasoning', text: string): string {
    let rest = text
    for (;;) {
      const [next] = left
      if (next?.kind !== kind) {
        // A later step was done, so this one was too, and its end is only missing from the record.
        const isStarted = rest !== text
        return isStarted && left.length > 0 ? '' : rest
      }
      const recordedText = next.text.trimStart()
      const wanted = rest.trimStart()
      if (recordedText.startsWith(wanted)) {
        next.text = recordedText.slice(wanted.length)
        if (next.text.trim() === '') left.shift()
        return ''
      }
      left.shift()
      // The recorded text differs, because the prompt was another one. The new one is not sent either.
      if (!wanted.startsWith(recordedText)) return ''
      rest = wanted.slice(recordedText.length)
    }
  }

  return {
    unsentPart,
    takeCall(name) {
      const index = left.findIndex((item) => item.kind === 'call')
      const call = left[index]
      if (call?.kind !== 'call' || call.name !== name) return null
      left.splice(0, index + 1)
      return call
    },
    isOver: () => left.length === 0,
  }
}
