/** Marks of a timeline, and the state as of a moment that is folded from them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type TimelinePage,
  timelinePageSchema,
} from '../../../src/shared/contract/transcripts/timeline.ts'
import {
  emptyTimelineOf,
  markAt,
  stateAtSeq,
  type Timeline,
  withPage,
} from '../../../src/shared/projections/replay/replay-state.ts'
import {
  addToTimeline,
  emptyTimeline,
  openCallsOf,
} from '../../../src/shared/projections/replay/timeline.ts'
import { foldSessionState } from '../../../src/shared/projections/session/fold-session.ts'
import { emptySessionState } from '../../../src/shared/projections/session/session-state.ts'
import { transcriptStateOf } from '../../../src/shared/projections/transcript/transcript-state.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { newEntryId, newTaskId, runIdOf, type TaskId } from '../../../src/shared/records/ids.ts'
import { session } from '../../fixtures/entries/builder.ts'
import { randomHistory } from './random-history.ts'

const taskId = newTaskId()

/** The timeline of entries that are read in pages of so many. */
function timelineOf(entries: Entry[], pageEntries = entries.length): Timeline {
  let timeline = emptyTimelineOf()
  for (let from = 0; from < entries.length; from += pageEntries)
    timeline = withPage(timeline, pageOf(entries.slice(from, from + pageEntries), entries.length))
  return timeline
}

function pageOf(entries: Entry[], total: number): TimelinePage {
  const fold = emptyTimeline()
  for (const entry of entries) addToTimeline(fold, entry)
  const nextSeq = (entries.at(-1)?.seq ?? 0) + 1
  return timelinePageSchema.parse({ marks: fold.marks, open: openCallsOf(fold), nextSeq, total })
}

const kindsOf = ({ marks }: Timeline) => marks.map(({ kind }) => kind)

describe('the marks of a timeline', () => {
  it('are of prompts, calls with their results, turns, places and runs', () => {
    const { entries } = session(taskId)
      .runStart()
      .prompt('  Do\nit ')
      .turn([
        { say: 'First.' },
        { call: { name: 'bash', input: { command: 'npm test' }, ms: 900 } },
      ])
      .branch('topic')
      .turn([{ say: '' }])
      .runEnd('interrupted', { kind: 'crashed' })
    const timeline = timelineOf(entries)
    expect(timeline.marks).toMatchObject([
      { kind: 'run', seq: 1, run: 1, reason: 'prompt' },
      { kind: 'place', seq: 2, branch: 'main' },
      { kind: 'prompt', seq: 2, text: 'Do it' },
      { kind: 'call', seq: 3, turn: 1, name: 'bash', text: 'Running npm test' },
      { kind: 'result', seq: 4, call: 3, outcome: 'ok', durationMs: 900 },
      { kind: 'turn', seq: 5, turn: 1, status: 'complete', text: 'First.' },
      { kind: 'place', seq: 6, branch: 'topic' },
      { kind: 'turn', seq: 6, turn: 2, text: '' },
      { kind: 'run-end', seq: 7, status: 'interrupted' },
    ])
    expect(timeline).toMatchObject({ nextSeq: 8, total: 7 })
  })

  it('cut long texts, and make what is hidden in them visible', () => {
    const { entries } = session(taskId).prompt(`a\u202e${'b'.repeat(9_000)}`)
    const prompt = timelineOf(entries).marks.find(({ kind }) => kind === 'prompt')
    expect(prompt).toMatchObject({ text: expect.stringMatching(/^a<U\+202E>b+…$/) })
  })

  it('pair a result with its call across pages', () => {
    const { entries } = session(taskId).turn([
      { call: { name: 'bash', input: { command: 'one' } } },
      { call: { name: 'bash', input: { command: 'two' }, outcome: 'error' } },
    ])
    for (const pageEntries of [1, 2, 3]) {
      const timeline = timelineOf(entries, pageEntries)
      const calls = timeline.marks.flatMap((mark) => (mark.kind === 'result' ? [mark.call] : []))
      expect(calls, `pages of ${pageEntries}`).toEqual([1, 3])
      expect(timeline.open.size).toBe(0)
    }
  })
})

describe('the state as of a moment', () => {
  it('is that of the session’s own fold, wherever pages end', () => {
    fc.assert(
      fc.property(randomHistory, fc.integer({ min: 1, max: 9 }), (history, pageEntries) => {
        const entries = history.map(asPrompts)
        const timeline = timelineOf(entries, pageEntries)
        const session = emptySessionState()
        for (const entry of entries) {
          foldSessionState(session, entry)
          const { directory, branch, model, usage, run, turns } = transcriptStateOf(session)
          const state = stateAtSeq(timeline, entry.seq)
          expect({
            directory: state.directory,
            branch: state.branch,
            model: state.model ?? state.runModel,
            usage: state.usage,
            run: state.run?.run ?? 0,
            turns: state.turns,
          }).toEqual({ directory, branch, model, usage, run, turns })
        }
      }),
      { numRuns: 60, seed: 20261123 },
    )
  })

  it('contains nothing later, whether reached forward or backward from stored states', () => {
    const builder = session(taskId).runStart().prompt('Go')
    for (let turn = 1; turn <= 300; turn++)
      builder.turn([
        {
          call: {
            name: 'bash',
            input: { command: `make ${turn}` },
            outcome: turn % 3 ? 'ok' : 'error',
          },
        },
      ])
    const { entries } = builder
    const timeline = timelineOf(entries, 70)
    const calls = timeline.marks.filter(({ kind }) => kind === 'call')
    for (const turn of [300, 1, 150, 149, 2]) {
      const state = stateAtSeq(timeline, calls[turn - 1]?.seq ?? 0)
      expect(state.turns).toBe(turn)
      expect(state.failedCalls).toBe(Math.floor((turn - 1) / 3))
      expect(state.running).toMatchObject([{ text: `Running make ${turn}` }])
    }
    expect(markAt(timeline, 0)).toBe(-1)
    expect(stateAtSeq(timeline, 0)).toMatchObject({ seq: 0, at: null, turns: 0, run: null })
  })

  it('contains of a sub-agent only what its parent had received by then', () => {
    const child = newTaskId()
    const detail = (status: 'spawned' | 'completed') => ({
      kind: 'tasks' as const,
      tasks: [{ taskId: child, title: 'C', agent: 'a', status, cause: null, report: null }],
    })
    const call = (name: string, status: 'spawned' | 'completed') => ({
      call: { name, input: {}, detail: detail(status) },
    })
    const { entries } = session(taskId)
      .turn([call('task', 'spawned')])
      .turn([{ say: 'Meanwhile.' }])
      .turn([call('task_await', 'completed')])
    const timeline = timelineOf(entries)
    const told = (seq: number) => stateAtSeq(timeline, seq).agents.get(child as TaskId)
    expect(told(1)).toBeUndefined()
    expect(told(4)).toMatchObject({ status: 'spawned', seq: 2, firstSeq: 2 })
    expect(told(6)).toMatchObject({ status: 'completed', seq: 6, firstSeq: 2 })
  })

  it('contains nothing of an abandoned branch but its usage, and no call after the end of its run', () => {
    const forkId = newEntryId()
    const plan = (done: number) => ({
      type: 'plan' as const,
      runId: runIdOf(taskId, 1),
      items: [{ text: 'One', status: done > 0 ? ('completed' as const) : ('pending' as const) }],
    })
    const { entries } = session(taskId)
      .runStart()
      .add(plan(0))
      .add({ type: 'fork-start', forkId })
      .add(plan(1))
      .turn([{ call: { name: 'bash', input: {}, outcome: 'error' } }])
      .add({ type: 'fork-end', forkId })
      .turn([{ call: { name: 'bash', input: { command: 'make' }, outcome: 'running' } }])
      .runEnd('interrupted', { kind: 'crashed' })
    const timeline = timelineOf(entries)
    const last = entries.length
    expect(stateAtSeq(timeline, last - 3)).toMatchObject({
      plan: { done: 0 },
      failedCalls: 0,
      usage: { outputTokens: expect.any(Number) },
    })
    expect(stateAtSeq(timeline, last - 1).running).toMatchObject([{ text: 'Running make' }])
    expect(stateAtSeq(timeline, last).running).toEqual([])
  })

  it('names the entry that last stated the files, and why a later snapshot failed', () => {
    const snapshot = {
      type: 'workspace-snapshot',
      runId: 'r',
      turn: 1,
      head: null,
      branch: 'main',
      tree: 'a'.repeat(40),
      changed: ['x.ts'],
      changedMore: 2,
    }
    const failed = { type: 'snapshot-failed', runId: 'r', turn: 2, reason: 'timed out' }
    const { entries } = session(taskId)
      .turn([{ say: 'One.' }])
      .add(snapshot as never)
      .turn([{ say: 'Two.' }])
      .add(failed as never)
    const timeline = timelineOf(entries)
    expect(kindsOf(timeline)).toEqual(['place', 'turn', 'files', 'turn', 'files-failed'])
    expect(timeline.marks[2]).toMatchObject({ changed: 3, path: 'x.ts' })
    expect(stateAtSeq(timeline, 3)).toMatchObject({ filesSeq: 2, filesFailed: null })
    expect(stateAtSeq(timeline, 4)).toMatchObject({ filesSeq: 2, filesFailed: 'timed out' })
  })
})

/** A prompt belongs to no turn, and has no usage; a random one may. */
function asPrompts(entry: Entry): Entry {
  const isPrompt = entry.type === 'message' && entry.role === 'user'
  return isPrompt ? { ...entry, usage: null, turn: null } : entry
}
