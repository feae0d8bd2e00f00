/** The one fold of a session's past, against plain walks over all of its entries. */

import { describe, expect, it } from 'vitest'
import { isRepeatedAfterCrash, traitsOf } from '../../../src/shared/agents/tool-traits.ts'
import { foldSessionState } from '../../../src/shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  filesMax,
  listedMax,
  type SessionState,
} from '../../../src/shared/projections/session/session-state.ts'
import type { Cause } from '../../../src/shared/records/causes.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { runIdOf } from '../../../src/shared/records/ids.ts'
import { parseEntry } from '../../../src/shared/records/parse-entry.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { seed } from '../../crash/effort.ts'
import { session } from '../../fixtures/entries/builder.ts'
import { callId, uuidOf } from '../../fixtures/entries/ids.ts'
import fc from '../../random.ts'
import { randomHistory } from './random-history.ts'

const folded = (entries: Iterable<Entry>, from = emptySessionState()): SessionState => {
  for (const entry of entries) foldSessionState(from, entry)
  return from
}
const numRuns = 300

describe('[G9] the fold of random histories', () => {
  it('is the same as a whole and in any two parts, even if parts overlap', () => {
    fc.assert(
      fc.property(randomHistory, fc.nat(60), fc.nat(60), (entries, a, b) => {
        const incremental = folded(entries.slice(0, a))
        folded(entries.slice(Math.min(a, b)), incremental)
        expect(incremental).toEqual(folded(entries))
      }),
      { seed, numRuns },
    )
  })

  it('gives the same answers as a walk over all entries', () => {
    fc.assert(
      fc.property(randomHistory, (entries) => {
        const state = folded(entries)
        expect(answers(state)).toEqual(walked(entries))
      }),
      { seed, numRuns },
    )
  })

  it('changes no entry', () => {
    fc.assert(
      fc.property(randomHistory, (entries) => {
        const before = JSON.stringify(entries)
        folded(entries)
        expect(JSON.stringify(entries)).toBe(before)
      }),
      { seed, numRuns: 50 },
    )
  })
})

/** The state in the words of the walks below. */
function answers(state: SessionState) {
  return {
    turns: state.lastTurn,
    messages: state.messages,
    titled: state.titled,
    prompt: state.prompt?.seq ?? 0,
    completed: state.completed,
    lastMessage: state.message?.uuid ?? null,
    openCalls: [...state.openCalls.keys()].sort(),
    unknownCalls: [...state.unknownCalls.keys()].sort(),
    shell: { cwd: state.shell.cwd, env: [...state.shell.env].sort() },
    reported: state.reported,
    withheld: state.withheld,
    worktree: state.worktree,
    run: state.run?.seq ?? 0,
    runEnd: state.runEnd?.seq ?? 0,
    tree: state.tree?.seq ?? 0,
    written: [...state.sinceTree.written].sort(),
    unclear: state.sinceTree.anyFile || state.sinceTree.unclearCalls.size > 0,
    files: [...state.files.keys()].sort(),
    changedAt: [...state.files].map(([path, { changedAt }]) => [path, changedAt]).sort(),
    attributed: [...state.files].map(([path, one]) => [path, one.attributedSeq]).sort(),
    filesCut: state.filesCut,
    headMoves: state.headMoves,
    links: [...state.links].sort(),
    children: [...state.children].sort(),
    inputTokens: state.usage.inputTokens,
    plan: state.plan,
    agentSession: state.agentSession,
    keptFromSeq: state.keptFromSeq,
    beganAt: state.beganAt,
  }
}

/** The same by walking, each answer on its own. */
function walked(all: Entry[]): ReturnType<typeof answers> {
  const entries = outsideForks(all)
  const inAll = <Type extends Entry['type']>(type: Type) =>
    all.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type)
  const of = <Type extends Entry['type']>(type: Type) =>
    entries.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type)
  const after = (seq: number) => entries.filter((entry) => entry.seq > seq)
  const messages = of('message')
  const complete = messages.filter((one) => one.role === 'assistant' && one.status === 'complete')
  const lastComplete = complete.at(-1)?.seq ?? 0
  const tree = of('workspace-snapshot').at(-1)
  const compaction = of('compaction').at(-1)
  const run = of('run-start').at(-1)
  const lastFailure = of('run-end').findLast(({ status }) => status === 'failed')?.seq ?? 0
  const files = all.filter(
    (entry) => entry.type !== 'attribution-snapshot' || entries.includes(entry),
  )
  const fileEntries = files.flatMap((entry): { path: string; at: number }[] => {
    if (entry.type === 'file-history-snapshot') return [{ path: entry.path, at: entry.at }]
    if (entry.type === 'attribution-snapshot')
      return Object.keys(entry.files).map((path) => ({ path, at: entry.at }))
    if (entry.type !== 'workspace-snapshot') return []
    return entry.changed.map((path) => ({ path, at: entry.at }))
  })
  const paths = [...new Set(fileEntries.map(({ path }) => path))].sort()
  return {
    turns: Math.max(0, ...all.map((one) => ('turn' in one && one.turn ? one.turn : 0))),
    messages: inAll('message').length,
    titled: of('title').length > 0,
    prompt: messages.findLast(({ role }) => role === 'user')?.seq ?? 0,
    completed: {
      turns: complete.length,
      seq: lastComplete,
      resultSeq: of('tool-result').findLast(({ seq }) => seq <= lastComplete)?.seq ?? 0,
    },
    lastMessage: messages.findLast(({ role }) => role === 'assistant')?.uuid ?? null,
    openCalls: openIn(entries, () => true),
    unknownCalls: openIn(
      after(run?.seq ?? 0).filter(
        (one) =>
          (one.type === 'tool-call' && !isRepeatedAfterCrash(one.name)) ||
          (one.type === 'tool-result' && one.outcome !== 'unknown'),
      ),
      () => true,
    ),
    shell: shellIn(entries),
    reported: after(lastFailure).some(
      (one) => one.type === 'tool-result' && one.name === 'agent_report' && one.outcome === 'ok',
    ),
    withheld: of('run-start').findLast(({ withheld }) => withheld)?.withheld ?? null,
    worktree: of('worktree-state').at(-1)?.worktreeSession ?? null,
    run: run?.seq ?? 0,
    runEnd: of('run-end').at(-1)?.seq ?? 0,
    tree: tree?.seq ?? 0,
    written: [
      ...new Map(
        after(tree?.seq ?? 0).flatMap((one) =>
          one.type === 'file-history-snapshot' ? [[one.path, one.after] as const] : [],
        ),
      ),
    ].sort(),
    unclear: isUnclear(after(tree?.seq ?? 0)),
    files: paths,
    changedAt: paths
      .map(
        (path) =>
          [
            path,
            Math.max(...fileEntries.filter((one) => one.path === path).map(({ at }) => at)),
          ] as [string, number],
      )
      .sort(),
    attributed: paths
      .map(
        (path) =>
          [
            path,
            of('attribution-snapshot').findLast(({ files }) => Object.hasOwn(files, path))?.seq ??
              0,
          ] as [string, number],
      )
      .sort(),
    filesCut: inAll('workspace-snapshot').some(({ changedMore }) => changedMore > 0),
    headMoves: movesIn(of('workspace-snapshot')),
    links: [...new Set(inAll('pr-link').map(({ url }) => url))].sort(),
    children: [
      ...new Set(
        of('tool-result').flatMap(({ name, detail }) => {
          const { kind, tasks } = (detail ?? {}) as { kind?: string; tasks?: { taskId: TaskId }[] }
          return name === 'task' && kind === 'tasks' ? (tasks ?? []).map((one) => one.taskId) : []
        }),
      ),
    ].sort(),
    inputTokens: inAll('message').reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0),
    plan: of('plan').at(-1)?.items ?? null,
    agentSession: of('agent-session').at(-1)?.ref ?? null,
    keptFromSeq: compaction ? (compaction.keptFromSeq ?? compaction.seq) : 1,
    beganAt: all[0]?.at ?? null,
  }
}

function outsideForks(entries: Entry[]): Entry[] {
  let depth = 0
  return entries.filter(({ type }) => {
    if (type === 'fork-end') depth = Math.max(0, depth - 1)
    const isOutside = depth === 0
    if (type === 'fork-start') depth++
    return isOutside
  })
}

/** Calls with no result after them. */
function openIn(entries: Entry[], counts: (call: Entry) => boolean) {
  return [
    ...new Set(
      entries.flatMap((one, index) =>
        one.type === 'tool-call' &&
        counts(one) &&
        !entries
          .slice(index)
          .some((later) => later.type === 'tool-result' && later.callId === one.callId)
          ? [one.callId]
          : [],
      ),
    ),
  ].sort()
}

function isUnclear(entries: Entry[]): boolean {
  return entries.some((one, index) => {
    if (one.type !== 'tool-call') return false
    const changes = traitsOf(one.name)?.changes
    if (changes === 'any-files') return true
    return (
      changes === 'one-file' &&
      !entries
        .slice(index)
        .some(
          (later) =>
            later.type === 'tool-result' &&
            later.callId === one.callId &&
            later.outcome !== 'unknown' &&
            traitsOf(later.name)?.changes === 'one-file',
        )
    )
  })
}

function shellIn(entries: Entry[]) {
  const shells = entries.flatMap((one) => (one.type === 'tool-result' && one.shell) || [])
  const env = new Map<string, string>()
  for (const { env: changed, hidden = [] } of shells) {
    for (const [variable, value] of Object.entries(changed))
      value === null ? env.delete(variable) : env.set(variable, value)
    for (const variable of hidden) env.delete(variable)
  }
  return { cwd: shells.at(-1)?.cwd ?? null, env: [...env].sort() }
}

function movesIn(snapshots: Extract<Entry, { type: 'workspace-snapshot' }>[]) {
  const moves: { from: string | null; to: string }[] = []
  for (const [index, { turn, changed, head }] of snapshots.entries()) {
    const before = snapshots[index - 1]
    const isOwn = turn !== null || changed.length > 0
    if (!isOwn || head === null || before?.head === null || before?.head === head) continue
    moves.push({ from: before?.head ?? null, to: head })
  }
  return moves
}

describe('the parts that grow with a session', () => {
  const sessionId = uuidOf('large') as TaskId
  const entry = (seq: number, fields: object): Entry =>
    parseEntry({ v: 1, seq, at: seq, uuid: uuidOf(`${seq}`), parentUuid: null, ...fields })
  const snapshot = (seq: number, changed: string[]) =>
    entry(seq, {
      type: 'workspace-snapshot',
      runId: runIdOf(sessionId, 1),
      turn: seq,
      head: null,
      branch: null,
      tree: 'a'.repeat(40),
      changed,
      changedMore: 0,
    })

  it('keeps the last changed files, and states that there were more', () => {
    const state = emptySessionState()
    const paths = (from: number) => Array.from({ length: 1_000 }, (_, n) => `src/file-${from + n}`)
    const thousands = filesMax / 1_000
    for (let n = 0; n < thousands; n++) foldSessionState(state, snapshot(n + 1, paths(n * 1_000)))
    expect(state).toMatchObject({ filesCut: false, files: { size: filesMax } })
    // Changed again, it is not among the oldest any more.
    foldSessionState(state, snapshot(100, ['src/file-0']))
    for (let n = 0; n < 5; n++)
      foldSessionState(state, snapshot(101 + n, paths(50_000 + n * 1_000)))
    expect(state.files.size).toBe(filesMax)
    expect(state.filesCut).toBe(true)
    expect(state.files.has('src/file-0')).toBe(true)
    expect(state.files.has('src/file-1')).toBe(false)
    expect(state.files.has('src/file-54999')).toBe(true)
  })

  it('keeps fewer files where their paths are long', () => {
    const state = emptySessionState()
    for (let n = 0; n < 1_000; n++)
      foldSessionState(state, snapshot(n + 1, [`${n}-${'x'.repeat(4_000)}`]))
    expect(state.files.size).toBeLessThan(600)
    expect(state.filePathChars).toBe([...state.files.keys()].join('').length)
  })

  it('treats calls that it can’t distinguish as ones that may have changed any file', () => {
    const state = emptySessionState()
    const call = (seq: number) =>
      entry(seq, {
        type: 'tool-call',
        messageUuid: uuidOf('m'),
        runId: runIdOf(sessionId, 1),
        turn: 1,
        callId: `c${seq}`,
        name: 'write_file',
        input: { path: 'a' },
      })
    for (let n = 1; n <= listedMax; n++) foldSessionState(state, call(n))
    expect(state.sinceTree.anyFile).toBe(false)
    foldSessionState(state, call(listedMax + 1))
    expect(state.sinceTree).toMatchObject({ anyFile: true, unclearCalls: { size: 0 } })
    expect(state.openCalls.size).toBe(listedMax)
  })

  it('lists the newest pull requests', () => {
    const state = emptySessionState()
    for (let n = 1; n <= listedMax + 1; n++)
      foldSessionState(
        state,
        entry(n, { type: 'pr-link', url: `https://example.com/a/b/pull/${n}`, source: 'person' }),
      )
    expect(state.links).toHaveLength(listedMax)
    expect(state.links).not.toContain('https://example.com/a/b/pull/1')
  })
})

it('[G6] knows the cost of the agent’s session, even from turns without its sum, and starts at 0 with another session', () => {
  const sessionId = uuidOf('cost') as TaskId
  const runId = runIdOf(sessionId, 1)
  const state = emptySessionState()
  const fold = (fields: object) => {
    const seq = state.seq + 1
    foldSessionState(
      state,
      parseEntry({ v: 1, seq, at: seq, uuid: uuidOf(`cost ${seq}`), parentUuid: null, ...fields }),
    )
    return state.agentSessionCost.reportedUsd
  }
  const session = (id: string) =>
    fold({ type: 'agent-session', runId, ref: { agent: 'acp:x', id } })
  const turn = (costUsd: number, more: object = {}) =>
    fold({
      type: 'message',
      role: 'assistant',
      parts: [],
      cwd: '/',
      gitBranch: null,
      sessionId,
      timestamp: new Date(0).toISOString(),
      runId,
      turn: 1,
      status: 'complete',
      usage: { ...noUsage, costUsd, pricedBy: 'agent' },
      ...more,
    })
  session('a')
  expect([turn(1), turn(1)]).toEqual([1, 2])
  expect(session('a')).toBe(2)
  expect([turn(1, { sessionCostUsd: 5 }), turn(1, { sessionCostUsd: 1 })]).toEqual([5, 1])
  expect(turn(1, { usage: { ...noUsage, costUsd: 1, pricedBy: 'estimate' } })).toBe(1)
  expect(session('b')).toBe(0)
  expect(turn(1, { sessionCostUsd: 4 })).toBe(4)
  const ended = (cause: Cause | null) => {
    const status = cause === null ? 'completed' : 'interrupted'
    fold({ type: 'run-end', runId, run: 1, status, cause })
    return state.agentSessionCost
  }
  expect(ended({ kind: 'stopped', by: 'person' })).toMatchObject({ savedUsd: 4, wasKilled: false })
  turn(1, { sessionCostUsd: 6 })
  expect(ended({ kind: 'crashed' })).toEqual({ reportedUsd: 6, savedUsd: 4, wasKilled: false })
  const died = { kind: 'agent-died', detail: '', signal: 'SIGKILL', exitCode: null } as const
  expect(ended(died)).toEqual({ reportedUsd: 6, savedUsd: 4, wasKilled: true })
  expect(ended(null)).toEqual({ reportedUsd: 6, savedUsd: 6, wasKilled: false })
})

it('[P4] knows that a call has not run unless it was allowed', () => {
  const taskId = uuidOf('asked') as TaskId
  const id = callId('asked')
  const answer = { optionId: null, by: 'person' } as const
  const notRun = [null, { ...answer, allowed: true }, { ...answer, allowed: false }].map(
    (given) => {
      const { entries } = session(taskId)
        .turn([{ call: { id: 'asked', name: 'bash', input: {}, outcome: 'running' } }])
        .add({
          type: 'permission',
          runId: runIdOf(taskId, 1),
          callId: id,
          question: 'make',
          options: [],
          answer: given,
        })
      return folded(entries).openCalls.get(id)?.notRun ?? false
    },
  )
  expect(notRun).toEqual([true, false, true])
})
