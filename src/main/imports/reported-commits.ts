/**
 * Commits that other tools attribute to an imported session. They are unverified hints: a repository may contain any
 * text in the notes.
 */
import { isAbsolute } from 'node:path'
import type { ReportedCommit } from '../../shared/contract/imports.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { asRecord, isRecord, parseJson, text } from './adapters/values.ts'

/** A commit with its notes and checkpoints; see src/main/git/repository/commit-reports.ts. */
interface CommitReport {
  commit: string
  atMs: number
  subject: string
  note: string | null
  checkpoints: string[]
}

export interface ReportedCommits {
  /** Resolves with an empty list if there are no hints or the repository can't be read. */
  reported(
    taskId: TaskId,
    signal?: AbortSignal,
  ): Promise<{ commits: ReportedCommit[]; moreCommits: number }>
}

/** Limits of the lists; further items are only counted. */
const commitsMax = 50
const filesMax = 100
const charsMax = 500

export function createReportedCommits(deps: {
  state: LedgerState
  readReports(dir: string, signal: AbortSignal | undefined): Promise<CommitReport[]>
}): ReportedCommits {
  return {
    async reported(taskId, signal) {
      const task = deps.state.tasks.get(taskId)
      const root = task && deps.state.tasks.get(task.rootId)
      const session = root?.importedFrom?.originalId
      const dir = root?.projectDir
      if (!session || !dir || !isAbsolute(dir)) return { commits: [], moreCommits: 0 }
      // A missing folder, a folder outside a repository, or one that Git refuses has no hints.
      const reports = await deps.readReports(dir, signal).catch(() => [])
      const commits = reports.flatMap((report) => reportsOf(report, session))
      const shown = commits.slice(0, commitsMax)
      return { commits: shown, moreCommits: commits.length - shown.length }
    },
  }
}

/** Extracts the parts of a report that refer to one session. `session`: the id that its tool assigned. */
export function reportsOf(
  { commit, atMs, subject, note, checkpoints }: CommitReport,
  session: string,
): ReportedCommit[] {
  const about = {
    commit,
    subject: bounded(subject),
    at: new Date(Number.isFinite(atMs) ? Math.min(Math.max(atMs, 0), 8e15) : 0).toISOString(),
  }
  const noted = note === null ? null : notedBy(note, session)
  const checkpoint = checkpoints.map((one) => checkpointOf(one, session)).find(Boolean)
  return [
    ...(noted ? [{ by: 'git-ai' as const, ...about, ...noted }] : []),
    ...(checkpoint ? [{ by: 'entire' as const, ...about, ...checkpoint }] : []),
  ]
}

type Reported = Pick<ReportedCommit, 'agent' | 'files' | 'moreFiles'>

/** Parses a Git AI note: paths, indented lines of each author below them, `---`, and JSON with the authors. */
function notedBy(note: string, session: string): Reported | null {
  const [, head, json] = /^([\s\S]*?)(?:^|\n)---\n([\s\S]*)$/.exec(note) ?? []
  const metadata = asRecord(parseJson(json ?? ''))
  const authors = new Map<string, string | null>()
  for (const [key, given] of [
    ...Object.entries(asRecord(metadata.sessions)),
    ...Object.entries(asRecord(metadata.prompts)),
  ]) {
    const { tool, id, model } = asRecord(asRecord(given).agent_id)
    if (id === session) authors.set(key, agentText(text(tool), text(model)))
  }
  if (authors.size === 0) return null
  const files = new Map<string, string[]>()
  let path = ''
  for (const line of (head ?? '').split('\n')) {
    const [, key, ranges] = /^ {2}(\S+) ([\d,-]+)$/.exec(line) ?? []
    if (key === undefined || ranges === undefined) path = line.replace(/^"(.*)"$/, '$1')
    else if (authors.has(key.split('::', 1)[0] ?? ''))
      files.set(path, [...(files.get(path) ?? []), ranges])
  }
  const [agent = null] = authors.values()
  return {
    agent,
    ...shownFiles([...files].map(([name, ranges]) => ({ path: name, lines: ranges.join(',') }))),
  }
}

/** Parses the metadata of a session in a checkpoint of entire. */
function checkpointOf(json: string, session: string): Reported | null {
  const metadata = parseJson(json)
  if (!isRecord(metadata)) return null
  const { session_id, session_ids, agent, files_touched } = metadata
  const ids = [session_id, ...(Array.isArray(session_ids) ? session_ids : [])]
  // Older versions prefix the id with the date.
  if (!ids.some((id) => id === session || text(id)?.endsWith(`-${session}`))) return null
  const touched = Array.isArray(files_touched)
    ? files_touched.flatMap((one) => text(one) ?? [])
    : []
  return {
    agent: agentText(text(agent), null),
    ...shownFiles(touched.map((path) => ({ path, lines: null }))),
  }
}

const agentText = (tool: string | null, model: string | null): string | null =>
  tool === null && model === null ? null : bounded([tool, model].filter(Boolean).join(', '))

const shownFiles = (files: ReportedCommit['files']): Pick<Reported, 'files' | 'moreFiles'> => ({
  files: files
    .slice(0, filesMax)
    .map(({ path, lines }) => ({ path: bounded(path), lines: lines && bounded(lines) })),
  moreFiles: Math.max(0, files.length - filesMax),
})

const bounded = (value: string): string =>
  (value.length > charsMax ? `${value.slice(0, charsMax - 1)}…` : value).toWellFormed()
