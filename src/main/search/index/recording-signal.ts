/**
 * Shared memory that signals to the index thread that entries are being recorded; the thread then works only a fifth of
 * the time. Two threads on one processor core slow each other down, whatever their priorities.
 */

/** Rest time as a multiple of the work time. */
const restFactor = 4

const recordedAt = 0
const waitingAt = 1

/** For `workerData`: memory that both threads share. */
export const newRecordingSignal = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))

export const noteRecorded = (signal: Int32Array): void => void Atomics.add(signal, recordedAt, 1)

/** Disables slowing down until the returned function is called. */
export function waitForIndex(signal: Int32Array): () => void {
  Atomics.add(signal, waitingAt, 1)
  return () => void Atomics.sub(signal, waitingAt, 1)
}

/** Returns a function from work time to rest time, in milliseconds; 0 if nothing was recorded during the work. */
export function createPace(signal: Int32Array): (workedMs: number) => number {
  let seen = Atomics.load(signal, recordedAt)
  return (workedMs) => {
    const recorded = Atomics.load(signal, recordedAt)
    const isRecording = recorded !== seen
    seen = recorded
    return isRecording && Atomics.load(signal, waitingAt) === 0 ? workedMs * restFactor : 0
  }
}
