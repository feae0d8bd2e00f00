/**
 * Whatever is done to agents, in whatever order, and whenever Shiplog dies meanwhile: the lifecycle table
 * holds. Everything is real but the agents, which do as they are told. A crash is another life on a copy of
 * the data directory as it was at that moment. A seed that breaks it becomes a test of its own.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { isSoak, reportFigure, seed, soakFactor } from '../crash/effort.ts'
import { scratchParent } from '../crash/places.ts'
import fc from '../random.ts'
import type { Stage } from './lifecycle-property/puppets.ts'
import { createStage } from './lifecycle-property/puppets.ts'
import { type Act, createWorld } from './lifecycle-property/world.ts'

const current = vi.hoisted((): { stage: Stage | null } => ({ stage: null }))
vi.mock('../../src/main/agents/scripted/parse-scenario.ts', () => ({ parseScenario: () => null }))
vi.mock('../../src/main/agents/scripted/scripted-program.ts', () => ({
  createScriptedProgram: () => current.stage?.program,
}))

const who = fc.nat(11)
const simple = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Act>({ kind: 'start' }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      who,
      order: fc.constantFrom(
        'spawn',
        'spawn',
        'spawn',
        'speak',
        'await',
        'report',
        'report',
        'fail',
        'leave',
      ),
      dependsOn: fc.nat(3),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'stop',
        'retry',
        'abandon',
        'anotherAttempt',
        'continue',
        'prompt',
        'remove',
        'restore',
      ),
      who,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('resume' as const),
      who,
      by: fc.constantFrom('task', 'task', 'most-recent', 'group', 'tree', 'all'),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'prune' }) },
) as fc.Arbitrary<Act>
const acts = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: simple },
    { weight: 1, arbitrary: fc.constant<Act>({ kind: 'restart' }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('crash' as const),
        during: fc.option(simple),
        ticks: fc.nat(60),
      }),
    },
  ) as fc.Arbitrary<Act>,
  { minLength: 8, maxLength: 30, size: 'max' },
)

async function play(sequence: Act[]): Promise<void> {
  const stage = createStage()
  current.stage = stage
  const world = await createWorld(stage, mkdtempSync(join(scratchParent, 'shiplog-lifecycle-')))
  try {
    // So that there is something to begin with.
    const opening: Act[] = [
      { kind: 'start' },
      { kind: 'order', who: 0, order: 'spawn', dependsOn: 0 },
    ]
    for (const act of [...opening, ...sequence]) {
      await world.act(act)
      expect(await world.wrong(), JSON.stringify(act)).toEqual([])
    }
    await world.finish()
    expect(await world.wrong(), 'at the end').toEqual([])
  } finally {
    await world.close()
  }
}

/** One takes a tenth to half a second. */
const sequences = isSoak ? 30 * soakFactor : 8

it('[T3][T4][T6][S1][S3][S5] holds for any sequence of start, stop, crash, resume, retry, abandon, restart, continue and prune', {
  timeout: isSoak ? 1_200_000 : 180_000,
}, async () => {
  await fc.assert(fc.asyncProperty(acts, play), { seed, numRuns: sequences })
  reportFigure('sequences of the life cycle', sequences)
})
