import { setTimeout as sleep } from 'node:timers/promises'

const wordsPerPiece = 3
/** Fast enough not to bore, slow enough to be seen to stream. */
const pieceDelayMs = 12
/** A long text takes larger pieces instead of more of them: at most a second and a half. */
const piecesMax = 120

/** Gives a text in pieces of a few words, a moment apart. Throws the signal's reason on abort. */
export async function* inPieces(text: string, signal: AbortSignal): AsyncGenerator<string> {
  const words = text.match(/\s*\S+\s*/g) ?? (text ? [text] : [])
  const size = Math.max(wordsPerPiece, Math.ceil(words.length / piecesMax))
  for (let at = 0; at < words.length; at += size) {
    if (at > 0) await pause(pieceDelayMs, signal)
    signal.throwIfAborted()
    yield words.slice(at, at + size).join('')
  }
}

/** Waits. Throws the signal's reason on abort. */
export async function pause(timeMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(timeMs, undefined, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
