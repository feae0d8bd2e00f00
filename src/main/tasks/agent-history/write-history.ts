/**
 * Updates one project's two files wherever they may be: reads them, merges in the ledger's entries, and writes if
 * that changes them. See FORMAT.md.
 */
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Project, Task } from '../../../shared/records/tasks.ts'
import {
  makeDirInside,
  removeDurable,
  setAside,
  systemCode,
  writeFileDurable,
} from '../../journal/index.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import { currentAgent, type Findings, historyEntries } from './entries.ts'
import {
  agentIdOf,
  emptyHistory,
  type HistoryDocument,
  historyFile,
  type ParsedHistory,
  parseHistory,
  pointerFile,
} from './format.ts'
import { mergeEntries } from './merge.ts'
import {
  findPlanningFolder,
  historyBytesMax,
  pointerBytesMax,
  readText,
  removeLeftOver,
} from './place.ts'
import { nextPointer } from './pointer.ts'
import { pruneEntries } from './prune.ts'

interface WriteHistoryDependencies {
  state: LedgerState
  layout: DataLayout
  /** Milliseconds since the epoch: older half-written files are leftovers. */
  startedAtMs: number
  findingsOf: (task: Task) => Findings | undefined
  /** Reports `text` to the user, only once per `what`. */
  tell: (what: string, text: string) => void
}

/**
 * Resolves with what the history holds now; null when it was left alone, being of a newer version. Rejects
 * when neither `.planning/` nor the data directory took it.
 */
type WriteHistory = (project: Project) => Promise<HistoryDocument | null>

export function createHistoryWriter(deps: WriteHistoryDependencies): WriteHistory {
  const { state, layout, tell } = deps
  const tidied = new Set<string>()

  async function write(project: Project): Promise<HistoryDocument | null> {
    const fallback = layout.projectDir(project.id)
    const planning = await findPlanningFolder(project.dir)
    if (planning.kind === 'found') {
      try {
        return await writeIn(planning.dir, project, { movedFrom: fallback })
      } catch (error) {
        if (systemCode(error) === undefined) throw error
        tellFallback(project, error instanceof Error ? error.message : String(error))
      }
    } else if (planning.kind === 'refused') tellFallback(project, planning.reason)
    await makeDirInside(layout.dataDir, fallback)
    return writeIn(fallback, project, { movedFrom: null })
  }

  function tellFallback(project: Project, reason: string): void {
    const kept = `projects/${project.id}/${historyFile}`
    tell(
      `fallback ${project.id}`,
      `The agent history of ${project.name} is kept in the data directory as ${kept}, because it can't be written in .planning: ${reason}.`,
    )
  }

  /** History before pointer: an interrupted agent is in the history before the pointer to it is deleted. */
  async function writeIn(
    dir: string,
    project: Project,
    { movedFrom }: { movedFrom: string | null },
  ): Promise<HistoryDocument | null> {
    if (!tidied.has(dir)) await removeLeftOver(dir, deps.startedAtMs)
    tidied.add(dir)
    const here = await readHistory(join(dir, historyFile), project)
    const moved =
      here.kind === 'missing' && movedFrom
        ? await readHistory(join(movedFrom, historyFile), project)
        : here
    if (here.kind === 'newer' || moved.kind === 'newer') return null
    const document = broughtUpToDate(moved.kind === 'ok' ? moved.document : emptyHistory(), project)
    if (here.kind === 'missing' || textOf(document) !== textOf(here.written))
      await writeFileDurable(join(dir, historyFile), textOf(document))
    await writePointer(join(dir, pointerFile), project)
    // From now on its inputs are out of date.
    if (movedFrom && here.kind === 'missing' && moved.kind === 'ok') {
      for (const name of [pointerFile, historyFile]) await removeDurable(join(movedFrom, name))
    }
    return document
  }

  /** One that can't be read is kept aside, and then there is none: the ledger knows what was in it. */
  async function readHistory(
    path: string,
    project: Project,
  ): Promise<Exclude<ParsedHistory, { kind: 'damaged' }> | { kind: 'missing' }> {
    const read = await readSettled(path)
    if (read.kind === 'newer') {
      tell(
        `newer ${project.id}`,
        `${path} is of version ${read.version}, which this Shiplog does not know: it is left as it is.`,
      )
    }
    if (read.kind !== 'damaged') return read
    const kept = basename((await setAside(path, 'damaged')) ?? path)
    tell(
      `damaged ${project.id} ${kept}`,
      `${path} can't be read (${read.reason}): it is kept as ${kept}, and was rebuilt from the ledger.`,
    )
    return { kind: 'missing' }
  }

  function broughtUpToDate(document: HistoryDocument, project: Project): HistoryDocument {
    const { entries, max_entries: max } = document
    const named = new Set(entries.map(agentIdOf))
    const agents = historyEntries(state, project.id, {
      max,
      isNamed: (id) => named.has(id),
      findingsOf: deps.findingsOf,
    })
    return { ...document, entries: pruneEntries(mergeEntries(entries, agents), max) }
  }

  async function writePointer(path: string, project: Project): Promise<void> {
    const read = await readText(path, pointerBytesMax)
    const text =
      read.kind === 'ok' ? read.text : read.kind === 'missing' ? null : 'more than any id'
    const isOurs = (id: string) => state.tasks.get(id as Task['id'])?.projectId === project.id
    const { change, stranger } = nextPointer(text, currentAgent(state, project.id), isOurs)
    if (change.kind === 'write') await writeFileDurable(path, change.text)
    else if (change.kind === 'remove') await removeDurable(path)
    if (stranger === null) return
    const shown = JSON.stringify(stranger.slice(0, shownCharsMax))
    const replaced = change.kind === 'write'
    tell(
      `stranger ${project.id}`,
      replaced
        ? `${path} named ${shown}, which is not an agent of Shiplog; it now names a running one.`
        : `${path} names ${shown}, which is no agent of Shiplog: it is left as it is.`,
    )
  }

  return write
}

/** Other tools may write in place: an unreadable file that is still changing is incomplete. */
async function readSettled(path: string): Promise<ParsedHistory | { kind: 'missing' }> {
  for (let before: string | null = null; ; ) {
    const read = await readText(path, historyBytesMax)
    if (read.kind === 'missing') return read
    if (read.kind === 'too-long') return { kind: 'damaged', reason: 'it is far too long' }
    const parsed = parseHistory(read.text)
    if (parsed.kind !== 'damaged' || read.text === before) return parsed
    before = read.text
    await wait(settleMs)
  }
}

/** A tool writes a file of this size in much less. */
const settleMs = 50

/** The start of a foreign pointer's content, for the message. */
const shownCharsMax = 60

const textOf = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`
