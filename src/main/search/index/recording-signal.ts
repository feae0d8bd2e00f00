/**
 * Tells the thread of the index, without a message to it, that something is being recorded: then it works a fifth of the
 * time only. Two threads of one processor core slow each other down, whatever their priorities.
 */

/** Factor of the time that it worked. */
const restFactor = 4

const recordedAt = 0
const waitingAt = 1

/** For `workerData`: both threads see the same numbers. */
export const newRecordingSignal = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))

export const noteRecorded = (signal: Int32Array): void => void Atomics.add(signal, recordedAt, 1)

/** While somebody waits for the index, it is not slowed down. Returns what ends the waiting. */
export function waitForIndex(signal: Int32Array): () => void {
  Atomics.add(signal, waitingAt, 1)
  return () => void Atomics.sub(signal, waitingAt, 1)
}

/** Returns how long the thread rests after it worked for so many milliseconds: 0 unless something was recorded meanwhile. */
export function createPace(signal: Int32Array): (workedMs: number) => number {
  let seen = Atomics.load(signal, recordedAt)
  return (workedMs) => {
    const recorded = Atomics.load(signal, recordedAt)
    const isRecording = recorded !== seen
    seen = recorded
    return isRecording && Atomics.load(signal, waitingAt) === 0 ? workedMs * restFactor : 0
  }
}
