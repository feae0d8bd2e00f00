/**
 * Updates one project's two files: reads them, merges the ledger's entries, and writes the result
 * if it differs. See FORMAT.md.
 */
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../../shared/error-message.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
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
  removeLeftovers,
} from './place.ts'
import { nextPointer } from './pointer.ts'
import { pruneEntries } from './prune.ts'

interface WriteHistoryDependencies {
  state: LedgerState
  layout: DataLayout
  /** Milliseconds since the epoch: older half-written files are leftovers. */
  startedAtMs: number
  findingsOf: (task: Task) => Findings | undefined
  /** Reports `text` to the user, once for each `key`. */
  report: (key: string, text: string) => void
}

/**
 * Resolves with the new content of the history; null if it was left unchanged, because it is of a newer version.
 * Rejects if neither `.planning/` nor the data directory could be written.
 */
type WriteHistory = (project: Project) => Promise<HistoryDocument | null>

export function createHistoryWriter(deps: WriteHistoryDependencies): WriteHistory {
  const { state, layout, report } = deps
  const cleanedDirs = new Set<string>()

  async function write(project: Project): Promise<HistoryDocument | null> {
    const fallback = layout.projectDir(project.id)
    const planning = await findPlanningFolder(project.dir)
    if (planning.kind === 'found') {
      try {
        return await writeIn(planning.dir, project, { movedFrom: fallback })
      } catch (error) {
        if (systemCode(error) === undefined) throw error
        reportFallback(project, messageOf(error))
      }
    } else if (planning.kind === 'refused') reportFallback(project, planning.reason)
    await makeDirInside(layout.dataDir, fallback)
    return writeIn(fallback, project, { movedFrom: null })
  }

  function reportFallback(project: Project, reason: string): void {
    const kept = `projects/${project.id}/${historyFile}`
    report(
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
    if (!cleanedDirs.has(dir)) await removeLeftovers(dir, deps.startedAtMs)
    cleanedDirs.add(dir)
    const here = await readHistory(join(dir, historyFile), project)
    const moved =
      here.kind === 'missing' && movedFrom
        ? await readHistory(join(movedFrom, historyFile), project)
        : here
    if (here.kind === 'newer' || moved.kind === 'newer') return null
    const document = updated(moved.kind === 'ok' ? moved.document : emptyHistory(), project)
    if (here.kind === 'missing' || textOf(document) !== textOf(here.written))
      await writeFileDurable(join(dir, historyFile), textOf(document))
    await writePointer(join(dir, pointerFile), project)
    // The old files are out of date from now on.
    if (movedFrom && here.kind === 'missing' && moved.kind === 'ok') {
      for (const name of [pointerFile, historyFile]) await removeDurable(join(movedFrom, name))
    }
    return document
  }

  /** An unreadable file is renamed and counts as missing, because the ledger has its content. */
  async function readHistory(
    path: string,
    project: Project,
  ): Promise<Exclude<ParsedHistory, { kind: 'damaged' }> | { kind: 'missing' }> {
    const read = await readSettled(path)
    if (read.kind === 'newer') {
      report(
        `newer ${project.id}`,
        `${path} is of version ${read.version}, which this version of Shiplog can't read. It is left unchanged.`,
      )
    }
    if (read.kind !== 'damaged') return read
    const kept = basename((await setAside(path, 'damaged')) ?? path)
    report(
      `damaged ${project.id} ${kept}`,
      `${path} can't be read (${read.reason}). It is kept as ${kept} and was rebuilt from the ledger.`,
    )
    return { kind: 'missing' }
  }

  function updated(document: HistoryDocument, project: Project): HistoryDocument {
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
    const { change, foreign } = nextPointer(text, currentAgent(state, project.id), isOurs)
    if (change.kind === 'write') await writeFileDurable(path, change.text)
    else if (change.kind === 'remove') await removeDurable(path)
    if (foreign === null) return
    const shown = JSON.stringify(foreign.slice(0, shownCharsMax))
    const replaced = change.kind === 'write'
    report(
      `foreign ${project.id}`,
      replaced
        ? `${path} named ${shown}, which is not an agent of Shiplog; it now names a running one.`
        : `${path} names ${shown}, which is not an agent of Shiplog. It is left unchanged.`,
    )
  }

  return write
}

/** Other tools may write in place: an unreadable file that is still changing is incomplete. */
async function readSettled(path: string): Promise<ParsedHistory | { kind: 'missing' }> {
  for (let before: string | null = null; ; ) {
    const read = await readText(path, historyBytesMax)
    if (read.kind === 'missing') return read
    if (read.kind === 'too-long') return { kind: 'damaged', reason: 'it is too long' }
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
