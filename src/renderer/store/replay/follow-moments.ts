import type { Replay, ReplayView } from './replay-store.ts'

/** A hand that drags rests after this. */
const restMs = 100
/** While it drags, the transcript follows this often: a jump takes longer than a frame, and the handle must not wait. */
const draggedEveryMs = 400

/**
 * Calls `onMoment` for the moments at which the transcript is shown: for each step and while playing; of a drag, now and
 * then and where it rests. `moved`: by the reader, and not because more of the timeline was read.
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
