/** A replay: reading the timeline, stepping, playing, where marks are drawn, and what is shown of a transcript. */
import { describe, expect, it, vi } from 'vitest'
import {
  packLanes,
  pauseText,
  timelineScale,
} from '../../../src/renderer/components/replay/timeline-scale.ts'
import { followMoments } from '../../../src/renderer/store/replay/follow-moments.ts'
import { createReplay, type Replay } from '../../../src/renderer/store/replay/replay-store.ts'
import { seqAtTime } from '../../../src/renderer/store/replay/seq-at-time.ts'
import type { TimelineMark } from '../../../src/shared/contract/transcripts/timeline.ts'
import { replayedItems } from '../../../src/shared/projections/replay/replayed-items.ts'
import { foldEntries } from '../../../src/shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../src/shared/projections/transcript/transcript-fold.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { createFakeHost } from '../../fake-host/fake-host.ts'
import { session } from '../../fixtures/entries/builder.ts'

const call = (command: string, ms = 500) => ({ call: { name: 'bash', input: { command }, ms } })

/** Two turns: entries 2 (prompt), 3-4 and 5-6 (calls), 7 (turn), 8-9 (call), 10 (turn), 11 (end). */
function twoTurns(taskId = newTaskId()) {
  const builder = session(taskId).runStart().prompt('Go')
  builder.turn([{ say: 'One.' }, call('a'), call('b')]).turn([call('c'), { say: 'Two.' }])
  return builder.runEnd().entries
}

async function opened(at: 'start' | 'end' | number = 'start', entries = twoTurns()) {
  const host = createFakeHost()
  const projectId = host.addProject('/home/ada/projects/harbour-lights')
  const taskId = host.start({ projectId, title: 'Light the harbour' })
  host.sessionOf(taskId).entries = [...entries]
  const replay = createReplay({ client: host.client, taskId, at })
  await replay.read()
  const seq = () => replay.store.getState().seq
  return { replay, host, taskId, seq, view: () => replay.store.getState() }
}

describe('a replay', () => {
  it('finds the state of an agent at a moment of another one', async () => {
    const { host, taskId, view } = await opened()
    const { marks } = view().timeline
    const at = (atMs: number) => seqAtTime({ client: host.client, taskId, atMs })
    const [first, second] = marks
    expect(await at((first?.at ?? 0) - 1)).toBeNull()
    expect(await at((second?.at ?? 0) - 1)).toBe(first?.seq)
    expect(await at(Number.MAX_SAFE_INTEGER)).toBe(marks.at(-1)?.seq)
    expect(await seqAtTime({ client: host.client, taskId: newTaskId(), atMs: 0 })).toBeNull()
  })

  it('keeps a position that was set before its timeline was loaded', async () => {
    const { host, taskId } = await opened()
    for (const [move, seq] of [
      [(replay: Replay) => replay.toStart(), 1],
      [(replay: Replay) => replay.seek(7), 7],
      [(replay: Replay) => replay.toEnd(), 11],
    ] as const) {
      const replay = createReplay({ client: host.client, taskId, at: 'end' })
      move(replay)
      await replay.read()
      expect(replay.store.getState().seq).toBe(seq)
    }
  })

  it('does not know a moment before its timeline is read that far', async () => {
    const firstKnown = async (at: 'start' | 'end' | number) => {
      const host = createFakeHost({ pageEntriesMax: 4 })
      const projectId = host.addProject('/home/ada/projects/harbour-lights')
      const taskId = host.start({ projectId, title: 'Light the harbour' })
      host.sessionOf(taskId).entries = twoTurns()
      const { store, read } = createReplay({ client: host.client, taskId, at })
      let pagesRead = 0
      const known = [store.getState().known]
      store.subscribe((view) => {
        known[++pagesRead] = view.known
      })
      await read()
      return known.indexOf(true)
    }
    expect(await firstKnown('start')).toBe(1)
    expect(await firstKnown(2)).toBe(1)
    expect(await firstKnown(7)).toBe(2)
    expect(await firstKnown('end')).toBe(4)
  })

  it('is followed by its transcript at each step, and at intervals while it is dragged', async () => {
    const { replay, host, taskId } = await opened()
    const followed: number[] = []
    const moves: boolean[] = []
    const stopReading = followMoments(replay, (_, moved) => moves.push(moved))
    host.append(taskId, { type: 'plan', runId: 'r' as never, items: [] })
    await replay.read()
    stopReading()
    expect(moves).toEqual([false])
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const stop = followMoments(replay, ({ seq }) => followed.push(seq))
      for (const seq of [3, 5]) replay.seek(seq)
      expect(followed).toEqual([3, 5])
      for (const seq of [6, 7, 8]) replay.drag(seq)
      expect(followed).toEqual([3, 5])
      // It rests, still held, and is dragged on and let go.
      vi.advanceTimersByTime(150)
      expect(followed).toEqual([3, 5, 8])
      replay.drag(9)
      replay.drag(10)
      replay.seek(10)
      expect(followed).toEqual([3, 5, 8, 10])
      vi.advanceTimersByTime(1_000)
      // Dragged slowly, it is followed as it goes.
      replay.drag(3)
      expect(followed.at(-1)).toBe(3)
      stop()
    } finally {
      vi.useRealTimers()
    }
  })

  it('reads the timeline once, and then only the new part of a live transcript', async () => {
    const { replay, host, taskId, view, seq } = await opened('end')
    expect(view()).toMatchObject({ phase: 'ready', seq: 11 })
    await replay.read()
    expect(view().timeline.marks.at(-1)).toMatchObject({ kind: 'run-end', seq: 11 })
    host.append(taskId, { type: 'plan', runId: 'r' as never, items: [] })
    await replay.read()
    // At the end it stays there; elsewhere it stays where it is.
    expect(seq()).toBe(12)
    replay.seek(5)
    host.append(taskId, { type: 'plan', runId: 'r' as never, items: [] })
    await replay.read()
    expect(seq()).toBe(5)
    expect(host.asked('transcripts.timeline')).toHaveLength(4)
    replay.toEnd()
    host.append(taskId, { type: 'plan', runId: 'r' as never, items: [] })
    await replay.read()
    expect(seq()).toBe(14)
  })

  it('steps by turn and by call, within its ends', async () => {
    const { replay, seq } = await opened()
    // With the first prompt: before it there is only that the run began.
    expect(seq()).toBe(2)
    replay.toStart()
    const stops = (unit: 'turn' | 'call', by: number, count: number) =>
      Array.from({ length: count }, () => {
        replay.step(unit, by)
        return seq()
      })
    expect(stops('turn', 1, 5)).toEqual([2, 7, 10, 11, 11])
    expect(stops('turn', -1, 4)).toEqual([10, 7, 2, 1])
    expect(stops('call', 1, 5)).toEqual([2, 3, 4, 5, 6])
    replay.seek(6)
    expect(stops('turn', -1, 1)).toEqual([2])
    expect(stops('call', -2, 1)).toEqual([1])
    replay.toEnd()
    expect(seq()).toBe(11)
  })

  it('plays by recorded time, with pauses cut, and stops at the end', async () => {
    const entries = session(newTaskId())
      .runStart()
      .prompt('Go')
      .turn([call('a', 500)])
      .wait(3_600_000)
      .turn([call('b', 500)])
      .runEnd().entries
    const { replay, seq, view } = await opened('start', entries)
    replay.toStart()
    replay.play()
    const step = (entries[1]?.at ?? 0) - (entries[0]?.at ?? 0)
    replay.tick(step - 1)
    expect(seq()).toBe(1)
    replay.tick(1)
    expect(seq()).toBe(2)
    replay.seek(5)
    expect(view().playing).toBe(false)
    replay.play()
    replay.tick(1_999)
    expect(seq()).toBe(5)
    replay.tick(1)
    expect(seq()).toBe(6)
    replay.setSpeed(16)
    replay.tick(1_000)
    expect(view()).toMatchObject({ seq: 9, playing: false })
    replay.play()
    expect(view()).toMatchObject({ seq: 1, playing: true })
  })

  it('plays a burst slowly enough to read it', async () => {
    const entries = twoTurns().map((entry) => ({ ...entry, at: 1_000 }))
    const { replay, seq, view } = await opened('start', entries)
    replay.play()
    replay.tick(999)
    expect(seq()).toBe(2)
    replay.tick(1)
    expect(seq()).toBe(3)
    replay.tick(1_000)
    expect(seq()).toBe(7)
    replay.setSpeed(16)
    replay.tick(500)
    expect(view()).toMatchObject({ seq: 11, playing: false })
  })

  it('states what failed, and continues reading on request', async () => {
    const { replay, view } = await opened()
    const failing = createReplay({
      client: { transcripts: { timeline: () => Promise.reject(new Error('no')) } } as never,
      taskId: replay.taskId,
      at: 'start',
    })
    await failing.read()
    expect(failing.store.getState()).toMatchObject({ phase: 'failed', problem: {} })
    expect(view().phase).toBe('ready')
  })
})

describe('positions of marks', () => {
  const mark = (seq: number, at: number, kind: 'plan' | 'run' | 'run-end' = 'plan') =>
    ({ kind, seq, at }) as TimelineMark
  const minutes = (n: number) => n * 60_000

  it('are in order, even if the clock went back', () => {
    const { positions, markNear } = timelineScale(
      [0, 10, 10, 5, 20].map((at, index) => mark(index + 1, at)),
    )
    for (const [index, position] of positions.entries()) {
      expect(position).toBeGreaterThan(index === 0 ? 0 : (positions[index - 1] as number))
      expect(position).toBeLessThan(1)
      expect(markNear(position)).toBe(index)
    }
    expect([markNear(0), markNear(1)]).toEqual([0, 4])
    expect(timelineScale([]).markNear(0.5)).toBe(-1)
  })

  it('collapse long pauses, and mark idle ones', () => {
    const scale = timelineScale([
      mark(1, 0, 'run'),
      mark(2, minutes(10)),
      mark(3, minutes(11), 'run-end'),
      mark(4, minutes(191), 'run'),
      mark(5, minutes(192)),
    ])
    expect(scale.pauses.map(pauseText)).toEqual(['10 min', '3 h idle'])
    for (const { from, to } of scale.pauses) expect(to - from).toBeLessThan(0.2)
    const between = scale.positionOf(minutes(100))
    expect(between).toBeGreaterThan(scale.pauses[1]?.from ?? 1)
    expect(between).toBeLessThan(scale.pauses[1]?.to ?? 0)
    expect(scale.positionOf(-1)).toBe(0)
  })

  it('of sub-agents use as few lanes as possible without overlap', () => {
    const span = (fromMs: number, toMs: number) => ({ fromMs, toMs })
    const [a, b, c, d] = [span(0, 10), span(5, 15), span(10, 20), span(12, 13)]
    expect(packLanes([d, c, b, a])).toEqual([[a, c], [b], [d]])
  })
})

describe('the transcript at a moment', () => {
  const entries = twoTurns()
  const { items } = foldEntries(emptyTranscript(), entries)
  /** For each turn its texts and commands, with `…` after one that runs. */
  const shownAt = (seq: number) =>
    replayedItems(items, seq).map((item) =>
      item.kind === 'turn'
        ? item.blocks.map((block) =>
            block.kind === 'tool'
              ? `${(block.call.input as { command: string }).command}${block.call.state === 'running' ? '…' : ''}`
              : 'text' in block
                ? block.text
                : '',
          )
        : item.kind,
    )

  it('is as it was shown live at that moment', () => {
    expect(shownAt(2)).toEqual(['run-start', 'prompt'])
    expect(shownAt(3)).toEqual(['run-start', 'prompt', ['One.', 'a…']])
    expect(shownAt(4)).toEqual(['run-start', 'prompt', ['One.', 'a']])
    expect(shownAt(5)).toEqual(['run-start', 'prompt', ['One.', 'a', 'b…']])
    expect(shownAt(8)).toEqual(['run-start', 'prompt', ['One.', 'a', 'b'], ['c…']])
    expect(shownAt(0)).toEqual([])
  })

  it('has the same items at the end, and reuses unchanged ones', () => {
    expect(replayedItems(items, 11)).toBe(items)
    expect(replayedItems(items, 8)[2]).toBe(items[2])
  })
})
