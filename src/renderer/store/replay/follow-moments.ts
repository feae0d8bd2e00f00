import type { Replay, ReplayView } from './replay-store.ts'

/** A drag counts as resting after this. */
const restMs = 100
/**
 * During a drag the transcript follows at this interval: a jump takes longer than a frame, and the handle must not
 * wait.
 */
const draggedEveryMs = 400

/**
 * Calls `onMoment` for the moments at which the transcript is shown: each step and each moment while playing; during a
 * drag, at intervals and where it rests. `moved`: the reader moved it; false if more of the timeline was read.
 */
export function followMoments(
  { store }: Pick<Replay, 'store'>,
  onMoment: (view: ReplayView, moved: boolean) => void,
): () => void {
  let followedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = () => {
    followedAt = performance.now()
    onMoment(store.getState(), true)
  }
  const unsubscribe = store.subscribe((view, before) => {
    if (view.timeline !== before.timeline) return onMoment(view, false)
    if (view.seq === before.seq && view.dragging === before.dragging) return
    clearTimeout(timer)
    const waits = view.dragging && performance.now() - followedAt < draggedEveryMs
    if (waits) timer = setTimeout(follow, restMs)
    else follow()
  })
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
