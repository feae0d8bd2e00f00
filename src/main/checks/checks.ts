/**
 * The checks that an agent ran, found in its transcript: for each command its newest run, and whether the files are
 * still those that it ran on. No model judges it. Reads only.
 */

import { toolDetailSchema } from '../../shared/agents/tools.ts'
import type { Check, TaskChecks } from '../../shared/contract/checks.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { readPages } from '../../shared/read-pages.ts'
import type { Entry, ToolCallEntry, ToolResultEntry } from '../../shared/records/entries.ts'
import type { TaskId, ToolCallId } from '../../shared/records/ids.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { ProjectTurns, TurnStore } from '../turn-store/turn-store.ts'
import { type ProjectChecks, projectChecksOf, projectFiles } from './project-checks.ts'
import { checksIn, type FoundCheck } from './recognise.ts'

export interface Checks {
  /** Throws FailureError as `ArchiveReader.transcriptPage`. */
  list(taskId: TaskId): Promise<TaskChecks>
}

const pageEntries = 500
/** Commands in one answer: more are no list that anybody reads. */
const checksMax = 50
/** Names of changed files in one answer; the others are counted. */
const changedMax = 20
/** Answers for finished transcripts that are kept. */
const answersMax = 50
/** No manifest is larger. */
const manifestBytesMax = 1 << 20

interface RanCall {
  call: ToolCallEntry
  result: ToolResultEntry
  command: string
}

interface Reading {
  calls: RanCall[]
  /** The files at the end. */
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
    const begun = new Map<ToolCallId, ToolCallEntry>()
    const reading: Reading = { calls: [], tree: null }
    const pages = readPages(1, (fromSeq) =>
      archive.transcriptPage(taskId, { fromSeq, limit: pageEntries, previews: true }),
    )
    for await (const { entries } of pages) for (const entry of entries) addTo(reading, begun, entry)
    return reading
  }

  async function answer(taskId: TaskId, reading: Reading): Promise<TaskChecks> {
    const projectId = state.tasks.get(taskId)?.projectId
    const turns = projectId === undefined ? null : turnStore.open(projectId)
    const project = await projectOf(turns, reading.tree)
    const newest = new Map<string, { found: FoundCheck; ran: RanCall; times: number }>()
    for (const ran of reading.calls) {
      const run = {
        command: ran.command,
        exitCode: exitCodeOf(ran.result),
        output: ran.result.output,
      }
      for (const found of checksIn(run, project.scripts)) {
        const times = (newest.get(found.command)?.times ?? 0) + 1
        // The newest stands last.
        newest.delete(found.command)
        newest.set(found.command, { found, ran, times })
      }
    }
    const report = await archive.findReport(taskId)
    const reportText = report.kind === 'found' ? report.report.reportMarkdown : ''
    const changes = createChanges(turns, reading.tree)
    const shown = [...newest.values()].reverse().slice(0, checksMax)
    const checks: Check[] = []
    for (const { found, ran, times } of shown) {
      const { call, result } = ran
      checks.push({
        kind: found.kind,
        command: found.command,
        outcome: found.outcome,
        seq: call.seq,
        callId: call.callId,
        turn: call.turn,
        at: result.at,
        durationMs: result.durationMs,
        exitCode: exitCodeOf(result),
        times,
        ...(await changes.since(result.tree)),
        cited: reportText.includes(call.callId),
      })
    }
    const covered = new Set([...newest.values()].flatMap(({ found }) => found.covers))
    return {
      checks,
      more: newest.size - shown.length,
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

function addTo(reading: Reading, begun: Map<ToolCallId, ToolCallEntry>, entry: Entry): void {
  if ('tree' in entry && entry.tree !== undefined) reading.tree = entry.tree
  if (entry.type === 'tool-call' && entry.name === 'bash') begun.set(entry.callId, entry)
  if (entry.type !== 'tool-result') return
  const call = begun.get(entry.callId)
  begun.delete(entry.callId)
  const command = call && commandOf(call)
  if (call && command) reading.calls.push({ call, result: entry, command })
}

/** Null for one that runs in the background: its result says nothing yet. */
function commandOf({ input }: ToolCallEntry): string | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null
  const { command, background } = input
  return typeof command === 'string' && background !== true ? command : null
}

function exitCodeOf({ detail }: ToolResultEntry): number | null {
  const parsed = toolDetailSchema.safeParse(detail)
  return parsed.success && parsed.data.kind === 'bash' ? parsed.data.exitCode : null
}

/** Which files changed from a tree to the last one; each pair is compared once. */
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
    // The turn store lacks the tree: what the commands say themselves is all there is.
    return projectChecksOf(new Set(), texts)
  }
}
