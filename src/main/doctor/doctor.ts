/**
 * `shiplog doctor`: compares everything on disk with the ledger, and repairs what can be repaired
 * without loss. It reads one file at a time. README.md lists the kinds of problems and their
 * repairs.
 */
import { join, relative, sep } from 'node:path'
import type { DoctorNote, Examination, Problem } from '../../shared/contract/doctor.ts'
import { messageOf } from '../../shared/error-message.ts'
import { refused } from '../../shared/failure.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { exists, makeDirDurable, moveDurable } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { examineFiles } from './files.ts'
import type { Case, Examined, Finding, Findings } from './finding.ts'
import { examineLedger } from './journals.ts'
import { guarded } from './on-disk.ts'
import { problemTable, tidiedAtStart } from './problems.ts'
import { examineRecords } from './records.ts'
import { examineLiveIndexes, examineOrphans, examineSessionDirs } from './session-dirs.ts'
import { examineTurnStore } from './turn-store.ts'
import {
  examineStrayWorktrees,
  examineUpdates,
  examineWorktrees,
  noteGoneFolders,
  noteStrayRefs,
} from './worktrees.ts'

export interface Doctor {
  /**
   * Runs one examination at a time. Throws FailureError (`running`) for a repair while agents are
   * running.
   */
  check(request: { repair: boolean }): Promise<Examination>
  /**
   * For a start after a crash, before anything runs: repairs the harmless leftovers of a dead
   * process (`tidiedAtStart`). Resolves with its repairs, a line each.
   */
  tidy(): Promise<string[]>
}

interface DoctorDependencies extends Examined {
  /** Milliseconds since the epoch. */
  clock: () => number
  /** Running and queued agents. */
  running: () => { rootId: TaskId }[]
  /** Returns the repairs at start-up, a line each. */
  healed: () => string[]
}

export function createDoctor(deps: DoctorDependencies): Doctor {
  const { layout } = deps
  const startedAtMs = deps.clock()
  let busy: Promise<unknown> = Promise.resolve()

  const createCase = (
    looked: Case['looked'],
    note: Case['note'],
    { nothingRuns } = { nothingRuns: false },
  ): Case => ({
    ...deps,
    startedAtMs,
    nothingRuns,
    ledgerIsWhole: deps.ledger.damage.length === 0 && deps.ledger.unknownRecords === 0,
    reported: new Map(),
    trees: new Map(),
    looked,
    note,
    toTrash: trashOf(deps),
  })

  async function tidy(): Promise<string[]> {
    const subject = createCase(
      () => undefined,
      () => undefined,
      { nothingRuns: true },
    )
    const done: string[] = []
    for await (const finding of examineLeftovers(subject)) {
      if (!tidiedAtStart.has(finding.kind)) continue
      const { detail, repaired } = await treat(finding, true)
      if (repaired) done.push(`${pathBelow(layout, finding.path)}: ${detail}`)
    }
    return done
  }

  async function examine(repair: boolean): Promise<Examination> {
    if (repair && deps.running().length > 0) {
      refused('running', 'Agents are running. Repair after they have finished, or stop them first.')
    }
    const atWork = rootsAtWork(deps)
    const notes: DoctorNote[] = []
    const found: { problem: Problem; rootId: TaskId | undefined }[] = []
    let checked = 0
    const subject = createCase(
      () => checked++,
      (note) => notes.push(note),
    )
    const toProblem = async (finding: Finding): Promise<Problem> => ({
      path: pathBelow(layout, finding.path),
      kind: finding.kind,
      ...(await treat(finding, repair)),
    })

    for await (const finding of examineAll(subject)) {
      const row = problemTable[finding.kind]
      if ((row.repair === null) !== (finding.repair === undefined))
        throw new Error(`the table of repairs disagrees about ${finding.kind}`)
      if (finding.rootId && atWork.has(finding.rootId) && !row.evenAtWork) continue
      found.push({ problem: await toProblem(finding), rootId: finding.rootId })
    }
    await noteGoneFolders(subject)
    await noteStrayRefs(subject)
    noteStart(deps, notes)

    // Work that began during the examination looks incomplete.
    const since = rootsAtWork(deps)
    const problems = found
      .filter(
        ({ problem, rootId }) =>
          !rootId || !since.has(rootId) || problemTable[problem.kind].evenAtWork,
      )
      .map(({ problem }) => problem)
    for (const rootId of new Set([...atWork, ...since])) {
      const detail = 'running, or being removed: only its journals and files were checked'
      const path = pathBelow(layout, layout.sessionDir(rootId))
      notes.push({ kind: 'not-judged', path, detail })
    }
    return { ok: problems.length === 0, checked, problems, notes }
  }

  return {
    tidy,
    check({ repair }) {
      const mine = busy.then(() => examine(repair))
      busy = mine.catch(() => {})
      return mine
    },
  }
}

/** Strays come first, because moved files need no further examination. */
async function* examineAll(subject: Case): Findings {
  const { ledger, dataDir } = subject.layout
  yield* guarded({ path: ledger }, () => examineLedger(subject))
  yield* guarded({ path: dataDir }, () => examineOrphans(subject))
  yield* guarded({ path: dataDir }, () => examineStrayWorktrees(subject))
  yield* guarded({ path: dataDir }, () => examineFiles(subject))
  yield* guarded({ path: dataDir }, () => examineSessionDirs(subject))
  yield* examineRecords(subject)
  yield* guarded({ path: dataDir }, () => examineWorktrees(subject))
  yield* examineUpdates(subject)
  // Last, because the trees come from the transcripts read before.
  yield* guarded({ path: subject.layout.turnStore }, () => examineTurnStore(subject))
}

/** Examines the places where crashes leave files; long files are not read. */
async function* examineLeftovers(subject: Case): Findings {
  const { dataDir } = subject.layout
  yield* guarded({ path: dataDir }, () => examineOrphans(subject))
  yield* guarded({ path: dataDir }, () => examineStrayWorktrees(subject))
  yield* guarded({ path: dataDir }, () => examineFiles(subject))
  yield* guarded({ path: dataDir }, () => examineLiveIndexes(subject))
}

async function treat(
  { detail, repair }: Finding,
  wanted: boolean,
): Promise<Pick<Problem, 'detail' | 'repairable' | 'repaired'>> {
  if (!repair || !wanted) return { detail, repairable: repair !== undefined, repaired: false }
  try {
    await repair()
    return { detail, repairable: true, repaired: true }
  } catch (error) {
    const why = messageOf(error)
    return {
      detail: `${detail}; it could not be repaired: ${why}`,
      repairable: true,
      repaired: false,
    }
  }
}

function rootsAtWork({ running, ledger }: DoctorDependencies): Set<TaskId> {
  const roots = new Set(running().map((task) => task.rootId))
  for (const { rootId, workspace } of ledger.state.tasks.values()) {
    const beingRemoved = workspace && workspace.removal !== null && workspace.removal !== 'removed'
    if (beingRemoved || workspace?.restoring) roots.add(rootId)
  }
  return roots
}

function noteStart({ healed, ledger, layout }: DoctorDependencies, notes: DoctorNote[]): void {
  for (const detail of healed()) notes.push({ kind: 'healed', path: '', detail })
  if (ledger.unknownRecords > 0) {
    const detail = `${ledger.unknownRecords} records are of a type or version that this Shiplog does not know; they are kept`
    notes.push({ kind: 'not-understood', path: pathBelow(layout, layout.ledger), detail })
  }
}

/** The path relative to the data directory, as problems and notes show it. */
const pathBelow = ({ dataDir }: DataLayout, path: string): string =>
  relative(dataDir, path).split(sep).join('/') || '.'

/** `trash/doctor-<time>/<original path>`. */
function trashOf({ layout, clock }: DoctorDependencies): Case['toTrash'] {
  const time = new Date(clock()).toISOString().replaceAll(/[:.]/g, '-')
  return async (path) => {
    const wanted = join(layout.trash, `doctor-${time}`, relative(layout.dataDir, path))
    let free = wanted
    for (let n = 2; await exists(free); n++) free = `${wanted}-${n}`
    await makeDirDurable(join(free, '..'))
    await moveDurable(path, free)
  }
}
