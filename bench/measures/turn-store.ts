/**
 * Measures a turn's snapshot against `git status`, and the growth of the store over a thousand turns of small edits.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGit, type TurnSnapshot } from '../../src/main/git/index.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createStoresOf, storeDirOf } from '../../src/main/turn-store/places.ts'
import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { ProjectId, TaskId } from '../../src/shared/records/ids.ts'
import { createGenerator } from '../data/generate.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { alternate, find, judge, type Measured, timed } from '../runner/rounds.ts'

/** The targets. */
const overStatusMax = 3
const growthMax = 3

const filesPerFolder = 50
const linesPerFile = 60
/** An agent works on a few files of many. */
const editedFiles = 40
/** Lines that the edit of a turn replaces. */
const editLines = 8

export async function measureTurnStore(bench: Bench): Promise<Measured> {
  const { dir, sizes, seed } = bench
  bench.say(`making a repository of ${sizes.files} files`)
  const project = join(dir, 'project')
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'gc.auto=0', ...args], { cwd: project, env: gitEnv })
  await mkdir(project)
  await git('init', '-q', '-b', 'main')
  const made = createGenerator(seed)
  const lines = (count: number) =>
    Array.from({ length: count }, () => made.text(48).replaceAll('\n', ' '))
  const nameOf = (n: number) =>
    `src/part-${Math.floor(n / filesPerFolder / filesPerFolder)}/folder-${Math.floor(n / filesPerFolder)}/file-${n}.txt`
  const body = lines(linesPerFile).join('\n')
  for (let n = 0; n < sizes.files; n++) {
    if (n % filesPerFolder === 0) await mkdir(join(project, nameOf(n), '..'), { recursive: true })
    await writeFile(join(project, nameOf(n)), `${n}\n${body}\n`)
  }
  await git('add', '-A')
  await git('commit', '-q', '-m', 'First')
  // Refreshes Git's index, so that later runs need not read files to find them unchanged.
  await git('status')

  const projectId = made.uuid<ProjectId>()
  const taskId = made.uuid<TaskId>()
  const layout = layoutOf(join(dir, 'data'))
  const state = emptyLedgerState(join(dir, 'data'))
  const event = {
    type: 'project.added',
    projectId,
    name: 'project',
    dir: project,
    git: true,
  } as const
  foldLedgerRecord(state, { seq: 1, at: 0, event })
  const { stores } = createGit({ storesOf: createStoresOf(state, layout) })
  let last: TurnSnapshot | null = null
  const take = async () => {
    last = await stores.take({
      dir: project,
      ref: `sessions/${taskId}`,
      last,
      since: last?.tree ?? null,
      commits: { base: null, ref: `commits/${taskId}` },
    })
  }
  let edits = 0
  let editedBytes = 0
  async function edit(): Promise<void> {
    const file = join(project, nameOf((((edits++ * 7) % editedFiles) * 1_000) % sizes.files))
    const text = (await readFile(file, 'utf8')).split('\n')
    const fresh = lines(editLines)
    text.splice(1 + (edits % (linesPerFile - editLines)), editLines, ...fresh)
    editedBytes += fresh.join('\n').length
    await writeFile(file, text.join('\n'))
  }

  const coldMs = await timed(take)
  await take()
  const rounds = await alternate(
    {
      status: async () => ({ ms: await timed(() => git('status', '--porcelain')) }),
      unchanged: async () => ({ ms: await timed(take) }),
      async edited() {
        await edit()
        return { ms: await timed(take) }
      },
    },
    { rounds: bench.rounds },
  )

  bench.say(`${sizes.turns} turns of small edits`)
  const store = storeDirOf(layout, projectId)
  await stores.pack(store)
  const before = await bytesBelow(join(store, 'objects'))
  editedBytes = 0
  for (let n = 0; n < sizes.turns; n++) {
    await edit()
    await take()
  }
  await stores.pack(store)
  const grownBytes = (await bytesBelow(join(store, 'objects'))) - before

  const ms = find(rounds, 'ms', {
    'the first snapshot': () => coldMs,
    'git status': ({ status }) => status.ms,
    'a snapshot where nothing changed': ({ unchanged }) => unchanged.ms,
    'a snapshot after one edit': ({ edited }) => edited.ms,
  })
  const ratios = find(rounds, 'x', {
    'a snapshot where nothing changed over git status': (one) => one.unchanged.ms / one.status.ms,
    'a snapshot after one edit over git status': (one) => one.edited.ms / one.status.ms,
    'growth of the store, packed, over the changed bytes': () => grownBytes / editedBytes,
  })
  const judged = sizes.files >= fullSizes.files && sizes.turns >= fullSizes.turns
  return {
    title: `The files of turns in a repository of ${sizes.files} files`,
    rounds: rounds.length,
    figures: Object.values(ms),
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ratios['a snapshot after one edit over git status'], { atMost: overStatusMax }),
          judge(ratios['growth of the store, packed, over the changed bytes'], {
            atMost: growthMax,
          }),
        ]
      : [],
    notes: [
      `${sizes.turns} turns replaced ${editLines} lines each, ${editedBytes} bytes in all; the store grew by ${grownBytes}.`,
      ...(judged ? [] : [notJudged]),
    ],
  }
}

const gitEnv = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@localhost',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@localhost',
}

async function bytesBelow(dir: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}
