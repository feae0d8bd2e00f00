/**
 * Histories that need not make sense: any entry at any time, from few ids and paths, so that they meet. What holds
 * for these holds for whatever a crash or an older version leaves.
 */

import { toolNames } from '../../../src/shared/agents/tools.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { runIdOf } from '../../../src/shared/records/ids.ts'
import { parseEntry } from '../../../src/shared/records/parse-entry.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { uuidOf } from '../../fixtures/entries/ids.ts'
import fc from '../../random.ts'

const sessionId = uuidOf('random history') as TaskId

const run = fc.integer({ min: 1, max: 3 })
const turn = fc.integer({ min: 1, max: 6 })
const messageUuid = fc.constantFrom('m1', 'm2', 'm3', 'm4').map(uuidOf)
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5')
const name = fc.constantFrom(...toolNames, 'no_tool_of_ours')
const path = fc.constantFrom('a.ts', 'b.ts', 'c/d.ts', '__proto__', 'constructor')
const hash = fc.constantFrom('0', '1', '2').map((digit) => digit.repeat(64))
const hashOrNone = fc.option(hash)
const commit = fc.constantFrom('a', 'b', 'c').map((digit) => digit.repeat(40))
const text = fc.constantFrom('', ' ', 'Looking.', 'Done.')
const variable = fc.constantFrom('PATH', 'CI', 'TOKEN', '__proto__')
const chars = fc.integer({ min: 0, max: 9 })

const image = fc.record({
  mediaType: fc.constant('image/png'),
  sha256: hash,
  bytes: fc.constant(70),
})
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'reasoning'), text }),
  fc.record({ type: fc.constant('tool-call'), callId, name }),
  image.map((one) => ({ type: 'image', ...one })),
)
const ofRun = { runId: run.map((n) => runIdOf(sessionId, n)) }
const ofCall = { messageUuid, ...ofRun, turn, callId, name }
const awaited = fc.constantFrom('k1', 'k2').map((word) => ({
  taskId: uuidOf(word),
  title: word,
  agent: 'a',
  status: 'completed',
  cause: null,
  report: null,
}))

const body = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    role: fc.constantFrom('user', 'assistant', 'assistant'),
    uuid: messageUuid,
    parts: fc.array(part, { maxLength: 3 }),
    cwd: fc.constantFrom('/w', '/w/below'),
    timestamp: fc.constant('2026-11-21T12:00:00.000Z'),
    gitBranch: fc.constantFrom('main', null),
    sessionId: fc.constant(sessionId),
    ...ofRun,
    turn: fc.option(turn),
    status: fc.constantFrom('complete', 'complete', 'interrupted', 'superseded'),
    model: fc.constantFrom(undefined, null, 'model-1', 'model-2'),
    usage: fc.constantFrom(undefined, null, { ...noUsage, inputTokens: 7, costUsd: 0.5 }),
  }),
  fc.record({
    type: fc.constant('tool-call'),
    ...ofCall,
    input: fc.constantFrom({ command: 'ls' }, { path: 'a.ts', content: 'x' }, {}, 'text', null),
  }),
  fc.record({
    type: fc.constant('tool-result'),
    ...ofCall,
    outcome: fc.constantFrom('ok', 'error', 'unknown'),
    output: text,
    images: fc.option(fc.array(image, { maxLength: 2 }), { nil: undefined }),
    detail: fc.option(
      fc.record({ kind: fc.constant('tasks'), tasks: fc.array(awaited, { maxLength: 2 }) }),
    ),
    durationMs: fc.constant(1),
    shell: fc.option(
      fc.record({
        cwd: fc.constantFrom('/w', '/w/below'),
        env: fc.dictionary(variable, fc.option(text), { maxKeys: 3 }),
        hidden: fc.array(variable, { maxLength: 2 }),
      }),
    ),
  }),
  fc.record({
    type: fc.constant('file-history-snapshot'),
    messageUuid,
    callId,
    path,
    before: hashOrNone,
    after: hashOrNone,
  }),
  fc.record({
    type: fc.constant('attribution-snapshot'),
    messageUuid,
    files: fc.dictionary(path, fc.record({ agentChars: chars, otherChars: chars }), { maxKeys: 3 }),
  }),
  fc.record({
    type: fc.constant('workspace-snapshot'),
    ...ofRun,
    turn: fc.option(turn),
    head: fc.option(commit),
    branch: fc.constantFrom('main', null),
    tree: commit,
    changed: fc.array(path, { maxLength: 3 }),
    changedMore: fc.constantFrom(0, 0, 0, 4),
  }),
  fc.record({ type: fc.constant('pr-link'), url: link(), source: fc.constant('person') }),
  fc.record({
    type: fc.constant('run-start'),
    ...ofRun,
    run,
    reason: fc.constantFrom('prompt', 'resume', 'retry'),
    agent: fc.constant('lead'),
    model: fc.constantFrom(undefined, null, 'model-1'),
    withheld: fc.constantFrom(undefined, [], ['API_KEY']),
  }),
  fc.record({
    type: fc.constant('run-end'),
    ...ofRun,
    run,
    status: fc.constantFrom('completed', 'interrupted', 'failed'),
    cause: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('worktree-state'),
    worktreeSession: fc.option(
      fc.constant({ originalCwd: '/p', worktreePath: '/w', worktreeBranch: 'b' }),
    ),
  }),
  fc.record({ type: fc.constant('title'), title: text }),
  fc.record({ type: fc.constant('summary'), text }),
  fc.record({
    type: fc.constant('resume'),
    ...ofRun,
    drift: fc.constant([]),
  }),
  fc.record({
    type: fc.constant('agent-session'),
    ...ofRun,
    ref: fc.constantFrom({ agent: 'acp:a', id: '1' }, { agent: 'acp:a', id: '2' }),
  }),
  fc.record({
    type: fc.constant('plan'),
    ...ofRun,
    items: fc.array(fc.constant({ text: 'Test', status: 'pending' }), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constant('compaction'),
    ...ofRun,
    summary: text,
    keptFromSeq: fc.option(fc.integer({ min: 1, max: 9 })),
  }),
  fc.record({
    type: fc.constant('retrying'),
    ...ofRun,
    turn,
    cause: fc.constant({ kind: 'crashed' }),
    untilMs: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('permission'),
    ...ofRun,
    callId: fc.option(callId),
    question: text,
    options: fc.constant([]),
    answer: fc.constant({ optionId: null, allowed: false, by: 'nobody' }),
  }),
  fc.record({ type: fc.constant('foreign'), source: fc.constant('agent'), content: text }),
  fc.record({ type: fc.constantFrom('fork-start', 'fork-end'), forkId: messageUuid }),
  fc.record({ type: fc.constant('of-a-newer-version') }),
)

function link() {
  return fc.constantFrom('https://example.com/a/b/pull/1', 'https://example.com/a/b/pull/2')
}

/** Entries as they are read back, with the seqs from 1 on and a clock that also goes back. */
export const randomHistory: fc.Arbitrary<Entry[]> = fc
  .array(fc.tuple(body, fc.integer({ min: -500, max: 2_000 })), { maxLength: 60 })
  .map((bodies) => {
    let at = 1_000_000
    return bodies.map(([fields, step], index) => {
      at += step
      const stamp = { v: 1, seq: index + 1, at, parentUuid: null, uuid: uuidOf(`entry ${index}`) }
      const record = JSON.parse(JSON.stringify({ ...stamp, ...fields }))
      return parseEntry(record)
    })
  })
  // Else one misspelt field would leave nothing but unknown entries.
  .map((entries) => {
    const strange = entries.find(
      (entry) => entry.type === 'unknown' && entry.originalType !== 'of-a-newer-version',
    )
    if (strange?.type === 'unknown') throw new Error(`${strange.originalType}: ${strange.reason}`)
    return entries
  })
