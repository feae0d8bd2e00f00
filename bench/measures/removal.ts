/** Measures removing a workspace with many children. A removal renames, so it must not cost what copying costs. */
import { cp, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { saveReport } from '../../src/main/artifacts/index.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { ProjectId, TaskId } from '../../src/shared/records/ids.ts'
import { entryBytes, finishedTask, projectAdded, writeTranscript } from '../data/finished-tasks.ts'
import { createGenerator, generatedAtMs } from '../data/generate.ts'
import { type Bench, fullSizes, megabyte, notJudged } from '../runner/bench.ts'
import { probe, run } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured, type Sample, timed } from '../runner/rounds.ts'

/** The targets: gone from the list, and durable. */
const goneMsMax = 200
const durableMsMax = 2_000
/** Recorded renames may cost no more than a durable copy. */
const overCopyingMax = 1

export async function measureRemoval(bench: Bench): Promise<Measured> {
  const { dir, sizes } = bench
  const template = join(dir, 'template')
  bench.say(`making ${sizes.children} sub-agents with ${sizes.transcriptsMb} MB of transcripts`)
  const rootId = await makeFinishedTree(bench, template)
  const dataDir = join(dir, 'data')
  const copied = join(dir, 'copy')

  /** Copies the data directory and syncs the copy, so that no side pays for creating it. */
  async function fresh(): Promise<void> {
    for (const place of [dataDir, copied]) await rm(place, { recursive: true, force: true })
    await copyTree(template, dataDir)
    await syncTree(dataDir)
  }

  const rounds = await alternate(
    {
      async shiplog() {
        await fresh()
        const sample = await probe('remove', { dataDir, rootId, tasks: sizes.children + 1 })
        await expectArchived(join(dataDir, 'archive', rootId), sizes.children)
        return sample as Sample & Removed
      },
      async copying() {
        await fresh()
        return {
          ms: await timed(async () => {
            await copyTree(join(dataDir, 'sessions'), copied)
            await removeTree(join(dataDir, 'sessions'))
          }),
        }
      },
      async copyingDurably() {
        await fresh()
        return {
          ms: await timed(async () => {
            await copyTree(join(dataDir, 'sessions'), copied)
            await syncTree(copied)
            await removeTree(join(dataDir, 'sessions'))
          }),
        }
      },
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'gone from the list': ({ shiplog }) => shiplog.goneMs,
    'removed, archived, durable': ({ shiplog }) => shiplog.ms,
    'cp -r and rm -r of its sessions': ({ copying }) => copying.ms,
    'the same, the copy synced': ({ copyingDurably }) => copyingDurably.ms,
  })
  const memory = find(rounds, 'MB', { 'memory (peak)': ({ shiplog }) => shiplog.peakMb })
  const ratios = find(rounds, 'x', {
    'removal over cp -r and rm -r': (one) => one.shiplog.ms / one.copying.ms,
    'removal over the same, the copy synced': (one) => one.shiplog.ms / one.copyingDurably.ms,
  })
  const judged =
    sizes.children >= fullSizes.children && sizes.transcriptsMb >= fullSizes.transcriptsMb
  return {
    title: `Removing a workspace with ${sizes.children} children, ${sizes.transcriptsMb} MB of transcripts`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ms['gone from the list'], { atMost: goneMsMax }),
          judge(ratios['removal over the same, the copy synced'], { atMost: overCopyingMax }),
          judge(ms['removed, archived, durable'], { atMost: durableMsMax }),
        ]
      : [],
    notes: [
      'In place, without Git: no worktree is taken away and no patch is made, on either side.',
      ...(judged ? [] : [notJudged]),
    ],
  }
}

type Removed = { ms: number; goneMs: number; peakMb: number }

/** Creates a finished root whose children all reported, with every workspace still present. Returns the root's id. */
async function makeFinishedTree({ dir, sizes, seed }: Bench, dataDir: string): Promise<TaskId> {
  const made = createGenerator(seed)
  const layout = layoutOf(dataDir)
  const projectDir = join(dir, 'project')
  await mkdir(projectDir, { recursive: true })
  const place = { projectId: made.uuid<ProjectId>(), projectDir }
  const rootId = made.uuid<TaskId>()
  const children = Array.from({ length: sizes.children }, () => made.uuid<TaskId>())
  const ledger = await openLedger(layout.ledger, dataDir)
  await ledger.record(projectAdded(place))
  const entriesEach = Math.max(
    1,
    Math.round((sizes.transcriptsMb * megabyte) / sizes.children / entryBytes),
  )
  for (const [n, id] of [rootId, ...children].entries()) {
    const parentId = id === rootId ? null : rootId
    const title = parentId ? `Child ${n}` : 'The tree'
    const prompt = made.text(200)
    const counts = await writeTranscript(dataDir, id, seed + n, parentId ? entriesEach : 1)
    await ledger.record(...finishedTask(place, { id, parentId, title, prompt }, counts))
    await saveReport(layout.sessionDir(rootId), {
      taskId: id,
      run: 1,
      title: `${title}: done`,
      markdown: made.text(1_000),
      ancestorIds: parentId ? [parentId] : [],
      nowMs: generatedAtMs,
    })
  }
  await ledger.close()
  return rootId
}

async function expectArchived(archive: string, children: number): Promise<void> {
  const kept = await readdir(join(archive, 'subagent-transcripts'))
  if (kept.length < children) throw new Error(`${kept.length} of ${children} transcripts are kept`)
}

const onWindows = process.platform === 'win32'

async function copyTree(from: string, to: string): Promise<void> {
  if (onWindows) await cp(from, to, { recursive: true })
  else await run('cp', '-r', from, to)
}

async function removeTree(dir: string): Promise<void> {
  if (onWindows) await rm(dir, { recursive: true })
  else await run('rm', '-r', dir)
}

/** Makes every file and folder of a tree durable. */
async function syncTree(dir: string): Promise<void> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true })
  const folders = [dir, ...found.filter((one) => one.isDirectory()).map(pathOf)]
  for (const path of [...found.filter((one) => one.isFile()).map(pathOf), ...folders]) {
    // Windows can't open a folder, and needs the right to write for a file's sync.
    if (onWindows && folders.includes(path)) continue
    const handle = await open(path, onWindows ? 'r+' : 'r')
    await handle.sync()
    await handle.close()
  }
}

const pathOf = ({ parentPath, name }: { parentPath: string; name: string }) =>
  join(parentPath, name)
