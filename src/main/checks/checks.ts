/**
 * Finds the checks that an agent ran in its transcript: the newest run of each command, and whether the files have
 * changed since. Uses no model, and writes nothing.
 */

import { readPages } from '../../shared/async/read-pages.ts'
import type { Check, CitedCall, TaskChecks } from '../../shared/contract/changes/checks.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { ProjectTurns, TurnStore } from '../turn-store/turn-store.ts'
import { type ProjectChecks, projectChecksOf, projectFiles } from './project-checks.ts'
import { addCommand, emptyReading, type RanCommand } from './ran-commands.ts'
import { checksIn, type FoundCheck } from './recognise.ts'

export interface Checks {
  /** Throws FailureError as `ArchiveReader.transcriptPage`. */
  list(taskId: TaskId): Promise<TaskChecks>
}

const pageEntries = 500
/** Commands in one answer: a longer list is of no use to a reader. */
const checksMax = 50
/** Names of changed files in one answer; the others are counted. */
const changedMax = 20
/** Calls of one answer that the report refers to. */
const citedMax = 50
/** Answers for finished transcripts that are kept. */
const answersMax = 50
/** No manifest is larger. */
const manifestBytesMax = 1 << 20

interface Reading {
  commands: readonly RanCommand[]
  /** Calls that the report refers to. */
  cited: CitedCall[]
  citedMore: number
  /** The last recorded tree; null if there is none. */
  tree: string | null
}

export function createChecks({
  state,
  archive,
  turnStore,
}: {
  state: LedgerState
  archive: Pick<ArchiveReader, 'transcriptPage' | 'sessionState' | 'findReport'>
  turnStore: Pick<TurnStore, 'open'>
}): Checks {
  const answers = new Map<string, TaskChecks>()

  async function read(taskId: TaskId): Promise<Reading> {
    const reading = emptyReading()
    const report = await archive.findReport(taskId)
    const named = wordsOf(report.kind === 'found' ? report.report.reportMarkdown : '')
    const cited: CitedCall[] = []
    let tree: string | null = null
    const pages = readPages(1, (fromSeq) =>
      archive.transcriptPage(taskId, { fromSeq, limit: pageEntries, previews: true }),
    )
    for await (const page of pages) {
      for (const entry of page.entries) {
        if ('tree' in entry && entry.tree !== undefined) tree = entry.tree
        const ended = addCommand(reading, entry)
        if (ended && named.has(ended.callId)) cited.push(ended)
      }
    }
    const { commands } = reading
    const citedMore = Math.max(0, cited.length - citedMax)
    return { commands, cited: cited.slice(0, citedMax), citedMore, tree }
  }

  async function answer(taskId: TaskId, reading: Reading): Promise<TaskChecks> {
    const projectId = state.tasks.get(taskId)?.projectId
    const turns = projectId === undefined ? null : turnStore.open(projectId)
    const project = await projectOf(turns, reading.tree)
    const newest = new Map<string, { found: FoundCheck; ran: RanCommand; times: number }>()
    for (const ran of reading.commands) {
      for (const found of checksIn(ran, project.scripts)) {
        const times = (newest.get(found.command)?.times ?? 0) + 1
        // The newest comes last.
        newest.delete(found.command)
        newest.set(found.command, { found, ran, times })
      }
    }
    const isCited = new Set(reading.cited.map(({ callId }) => callId))
    const changes = createChanges(turns, reading.tree)
    const shown = [...newest.values()].reverse().slice(0, checksMax)
    const checks: Check[] = []
    for (const { found, ran, times } of shown) {
      const { end, seq, callId, turn, at, durationMs, exitCode } = ran
      checks.push({
        kind: found.kind,
        command: found.command,
        // Without the end of the command, the output may be incomplete.
        outcome: end !== 'known' && found.outcome === 'passed' ? 'unclear' : found.outcome,
        end,
        seq,
        callId,
        turn,
        at,
        durationMs,
        exitCode,
        times,
        ...(await changes.since(ran.tree)),
        cited: ran.callIds.some((id) => isCited.has(id)),
      })
    }
    const covered = new Set([...newest.values()].flatMap(({ found }) => found.covers))
    return {
      checks,
      more: newest.size - shown.length,
      cited: reading.cited,
      citedMore: reading.citedMore,
      neverRan: project.known.filter(({ kind }) => !covered.has(kind)),
    }
  }

  return {
    async list(taskId) {
      const lastSeq = (await archive.sessionState(taskId))?.seq ?? 0
      const key = `${taskId} ${lastSeq}`
      const known = answers.get(key)
      if (known) return known
      const checks = await answer(taskId, await read(taskId))
      answers.set(key, checks)
      for (const oldest of [...answers.keys()].slice(0, Math.max(0, answers.size - answersMax)))
        answers.delete(oldest)
      return checks
    },
  }
}

/** Returns the words of a text that may be ids, with and without trailing punctuation. */
const wordsOf = (text: string): Set<string> =>
  new Set(text.match(/[\w.:-]{4,}/g)?.flatMap((word) => [word, word.replace(/[.:-]+$/, '')]))

/** Returns a cached comparison of trees with the last one. */
function createChanges(turns: ProjectTurns | null, last: string | null) {
  const known = new Map<string, Promise<Pick<Check, 'state' | 'changed' | 'changedMore'>>>()
  const none = { changed: [], changedMore: 0 }

  async function compare(tree: string): Promise<Pick<Check, 'state' | 'changed' | 'changedMore'>> {
    if (turns === null || last === null) return { state: 'unknown', ...none }
    if (tree === last) return { state: 'fresh', ...none }
    try {
      if ((await turns.missing([tree, last])).length > 0) return { state: 'unknown', ...none }
      const { files } = await turns.diff({ from: tree, to: last, patch: false })
      if (files.length === 0) return { state: 'fresh', ...none }
      const paths = files.map(({ path }) => path)
      return {
        state: 'stale',
        changed: paths.slice(0, changedMax),
        changedMore: Math.max(0, paths.length - changedMax),
      }
    } catch {
      return { state: 'unknown', ...none }
    }
  }

  return {
    since(tree: string | undefined) {
      if (tree === undefined) return Promise.resolve({ state: 'unknown' as const, ...none })
      const comparing = known.get(tree) ?? compare(tree)
      known.set(tree, comparing)
      return comparing
    },
  }
}

async function projectOf(turns: ProjectTurns | null, tree: string | null): Promise<ProjectChecks> {
  const texts = new Map<string, string>()
  if (turns === null || tree === null) return projectChecksOf(new Set(), texts)
  try {
    const root = (await turns.readFolder({ tree, path: '' })) ?? []
    const names = new Set(root.map(({ name }) => name))
    for (const path of projectFiles) {
      if (!names.has(path)) continue
      const file = await turns.readFile({ tree, path, bytesMax: manifestBytesMax })
      if (file && !file.truncated) texts.set(path, file.bytes.toString())
    }
    return projectChecksOf(names, texts)
  } catch {
    // The turn store lacks the tree: only the commands' own output is left.
    return projectChecksOf(new Set(), texts)
  }
}
