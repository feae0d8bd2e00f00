import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { TaskId } from '../../../shared/records/ids.ts'
import { useStores } from '../../store/hooks.ts'
import type { Arrival } from '../../store/window/arrival.ts'

/**
 * Calls `arrive` when a link or command has brought the reader here, after a closing dialog has returned the focus to
 * its opener. `isHere`: whether the caller is the destination.
 */
export function useArrival(
  taskId: TaskId,
  isHere: (at: Arrival['at']) => boolean,
  arrive: (at: Arrival['at']) => void,
): void {
  const { arrivals } = useStores()
  const arrival = useStore(arrivals.store, (state) => state.arrival)
  const wanted = arrival !== null && arrival.taskId === taskId && isHere(arrival.at)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `arrive` is a new function in each render
  useEffect(() => {
    if (!wanted || !arrival) return
    let frame = 0
    const inFrames = (count: number) => {
      frame = requestAnimationFrame(() => {
        if (count > 1) return inFrames(count - 1)
        arrivals.done(arrival)
        arrive(arrival.at)
      })
    }
    inFrames(framesOfDialog)
    return () => cancelAnimationFrame(frame)
  }, [wanted, arrival, arrivals])
}

/** A closing dialog returns the focus in the next frame, and the shell may move it two frames later. */
const framesOfDialog = 3
