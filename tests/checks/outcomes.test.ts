/** What is said of the checks of a transcript, and of the files that they ran on, with a turn store that lost some. */
import { expect, it } from 'vitest'
import { createChecks } from '../../src/main/checks/checks.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { createWorld } from '../retention/tasks.ts'

const manifest = JSON.stringify({
  scripts: { test: 'node --test', lint: 'eslint .', build: 'tsc -p .' },
})

/** `calls`: what ran, and the tree on which it ran; the files of `lost` are no longer known. */
async function checksOf(
  calls: { command: string; tree?: string; output?: string; detail?: object }[],
  { lost = [], last = 'last' }: { lost?: string[]; last?: string } = {},
) {
  const world = createWorld()
  const taskId = world.add({ archived: false })
  const entries = [...calls, { command: 'true', tree: last }].flatMap(
    ({ command, tree, output = '', detail }, at) => {
      const call = { runId: `${taskId}/1`, turn: 1, callId: `c${at}`, name: 'bash', at }
      const known = { kind: 'bash', exitCode: 0 }
      return [
        { ...call, type: 'tool-call', seq: 2 * at + 1, input: { command } },
        {
          ...call,
          type: 'tool-result',
          seq: 2 * at + 2,
          outcome: 'ok',
          output,
          durationMs: 1,
          detail: detail ?? known,
          tree,
        },
      ]
    },
  ) as unknown as Entry[]
  const checks = createChecks({
    state: world.state,
    archive: {
      sessionState: async () => null,
      findReport: async () => ({ kind: 'none' }) as never,
      transcriptPage: async () =>
        ({ entries, hasOlder: false, hasNewer: false, nextSeq: null }) as never,
    },
    turnStore: {
      open: () =>
        ({
          readFolder: async () => [{ name: 'package.json' }],
          readFile: async () => ({ bytes: Buffer.from(manifest), truncated: false }),
          missing: async (trees: string[]) => trees.filter((tree) => lost.includes(tree)),
          diff: async () => ({ files: [{ path: 'a.ts' }] }),
        }) as never,
    },
  })
  return checks.list(taskId)
}

it('does not call a check passed whose end was never seen', async () => {
  const running = {
    kind: 'background',
    id: 'b1',
    command: 'npm test',
    state: 'running',
    exitCode: null,
  }
  const killed = { ...running, state: 'timed-out' }
  const { checks } = await checksOf([
    { command: 'npm test', detail: running, tree: 'last' },
    { command: 'npm test', detail: killed, output: '12 passed', tree: 'last' },
  ])
  expect(checks).toMatchObject([{ command: 'npm test', end: 'killed', outcome: 'unclear' }])
})

it('calls a check fresh, stale, or unknown if its files are no longer known', async () => {
  const ran = [
    { command: 'npm test', tree: 'earlier' },
    { command: 'npm run lint', tree: 'last' },
  ]
  expect((await checksOf(ran)).checks).toMatchObject([
    { command: 'npm run lint', state: 'fresh' },
    { command: 'npm test', state: 'stale', changed: ['a.ts'] },
  ])
  expect((await checksOf(ran, { lost: ['earlier'] })).checks).toMatchObject([
    { command: 'npm run lint', state: 'fresh' },
    { command: 'npm test', state: 'unknown', changed: [] },
  ])
})

it('lists each kind of check of the project that never ran', async () => {
  const { neverRan } = await checksOf([{ command: 'npm run build', tree: 'last' }])
  expect(neverRan.map(({ command }) => command)).toEqual(['npm test', 'npm run lint'])
})
