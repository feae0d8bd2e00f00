/** Answers of the tools that read the log, as bounded text that identifies each place by task and entry. */
import { toolDetailSchema } from '../../shared/agents/tools.ts'
import { readPages } from '../../shared/async/read-pages.ts'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { type SearchHit, unmatchedFilterText } from '../../shared/contract/search.ts'
import { createTranscriptMarkdown } from '../../shared/projections/transcript/transcript-markdown.ts'
import { formatCause } from '../../shared/records/causes.ts'
import type { Entry } from '../../shared/records/entries.ts'
import { shortId, type TaskId } from '../../shared/records/ids.ts'
import type { TaskStatus } from '../../shared/records/tasks/task-status.ts'
import type { Task, TaskTree } from '../../shared/records/tasks/tasks.ts'
import { counted } from '../../shared/text/counted.ts'

/** The calling agent's task, which may read only its sub-agents (A5); undefined: everything. */
export type Scope = TaskId | undefined

/** Limit for one answer: about 10,000 tokens, few enough to keep the question in a model's focus. */
const answerCharsMax = 40_000
/** Entries read at once while a transcript is scanned. */
const pageEntries = 500

const scoped = (scope: Scope) => (scope === undefined ? {} : { requestingWorkspaceId: scope })

const linkOf = (taskId: string, seq?: number | null): string =>
  `shiplog://task/${taskId}${seq == null ? '' : `?seq=${seq}`}`

export async function searchText(
  client: ShiplogClient,
  asked: { query: string; isPattern?: boolean; limit: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> {
  const { query, isPattern = false, limit, scope } = asked
  const answer = await client.search.find(
    { query, limit, isPattern, wait: true, ...scoped(scope) },
    { signal },
  )
  const lines = answer.hits.map(hitText)
  if (lines.length === 0) lines.push('No matches.', ...answer.unmatched.map(unmatchedFilterText))
  if (answer.more) lines.push(`There are more matches than these ${answer.hits.length}.`)
  if (answer.expired > 0)
    lines.push(`${counted(answer.expired, 'expired transcript')} could not be searched.`)
  return lines.join('\n')
}

const hitText = ({ kind, tool, seq, at, taskId, title, snippet }: SearchHit): string => {
  const what = tool === null ? kind : `${kind} of ${tool}`
  return `- ${what} in “${title}” (${shortId(taskId)}), ${new Date(at).toISOString()}\n  ${linkOf(taskId, seq)}\n  ${snippet}`
}

export async function tasksText(
  client: ShiplogClient,
  asked: { status?: TaskStatus | 'running'; project?: string; limit: number; scope: Scope },
): Promise<string> {
  const { status, project, limit, scope } = asked
  const shown = (await tasksInScope(client, scope)).filter(
    ({ task }) =>
      (status === undefined || hasStatus(task, status)) &&
      (project === undefined || task.projectDir.toLowerCase().includes(project.toLowerCase())),
  )
  if (shown.length === 0) return 'No such tasks.'
  const lines = shown.slice(0, limit).map(({ task, depth }) => {
    const { id, title, agent, createdAt, endedAt, archived, hasReport, runs } = task
    const facts = [
      `created ${createdAt}`,
      ...(endedAt === null ? [] : [`ended ${endedAt}`]),
      counted(runs.length, 'run'),
      ...(hasReport ? ['report'] : []),
      ...(archived ? ['archived'] : []),
    ]
    return `${'  '.repeat(depth)}- ${shortId(id)} ${task.status}: ${title} (${agent}; ${facts.join(', ')})`
  })
  if (shown.length > limit) lines.push(`${shown.length - limit} more are not shown.`)
  return lines.join('\n')
}

const hasStatus = ({ status }: Task, asked: TaskStatus | 'running'): boolean =>
  asked === 'running' ? status === 'spawned' || status === 'resumed' : status === asked

/** The tasks in a scope with their depth: roots newest first, each followed by its sub-agents. */
async function tasksInScope(
  client: ShiplogClient,
  scope: Scope,
): Promise<{ task: Task; depth: number }[]> {
  const { tasks } = await client.tasks.list({ all: true })
  const walk = (trees: TaskTree[], depth: number): { task: Task; depth: number }[] =>
    trees.flatMap(({ children, ...task }) => [{ task, depth }, ...walk(children, depth + 1)])
  const newest = tasks.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  return walk(scope === undefined ? newest : (treeOf(tasks, scope)?.children ?? []), 0)
}

function treeOf(trees: readonly TaskTree[], id: TaskId): TaskTree | undefined {
  for (const tree of trees) {
    const found = tree.id === id ? tree : treeOf(tree.children, id)
    if (found) return found
  }
  return undefined
}

export async function transcriptText(
  client: ShiplogClient,
  asked: { task: string; seq?: number; turn?: number; limit: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> {
  const { task, seq = 1, turn, limit, scope } = asked
  const at = turn === undefined ? { seq } : { turn }
  const page = await client.transcripts.page(
    { taskId: task, at, limit, previews: true, ...scoped(scope) },
    { signal },
  )
  const { taskId, entries, total, nextSeq, damage, partial, expired } = page
  if (expired) return `The transcript of ${shortId(taskId)} has expired and is no longer kept.`
  const markdown = createTranscriptMarkdown()
  let text = ''
  let last = 0
  let isFull = false
  for (const entry of entries) {
    const more = markdown.add([entry])
    if (text.length + more.length > answerCharsMax && last > 0) {
      isFull = true
      break
    }
    text += more
    last = entry.seq
  }
  const hasMore = isFull || nextSeq !== null
  if (!isFull) text += markdown.end({ cut: hasMore, partial: hasMore ? null : partial })
  if (text === '')
    return `No entry from ${turn === undefined ? seq : `turn ${turn}`} on: there are ${total}.`
  const ending = [
    `Entries ${entries[0]?.seq ?? 0} to ${last} of ${total} of ${linkOf(taskId)}.`,
    ...(hasMore ? [`Read on with seq ${last + 1}.`] : []),
    ...(damage.length > 0 ? [`${counted(damage.length, 'place')} of the file can't be read.`] : []),
  ]
  const cut = text.length > answerCharsMax
  return `${cut ? `${text.slice(0, answerCharsMax)}\n… (cut: read_entry has it whole)` : text}\n\n${ending.join(' ')}`
}

export async function entryJson(
  client: ShiplogClient,
  asked: { task: string; seq: number; offset: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> {
  const { task, seq, offset, scope } = asked
  const part = await client.transcripts.value(
    { taskId: task, seq, at: [], offset, bytesMax: answerCharsMax, ...scoped(scope) },
    { signal },
  )
  return part.nextOffset === null
    ? part.text
    : `${part.text}\n\n${part.total} bytes in all; continue with offset ${part.nextOffset}.`
}

export async function reportText(
  client: ShiplogClient,
  asked: { task: string; run?: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> {
  const { task, run, scope } = asked
  const report = await client.tasks.report({ taskId: task, run, ...scoped(scope) }, { signal })
  const { taskId, title, reportMarkdown, createdAt } = report
  const text =
    reportMarkdown.length > answerCharsMax
      ? `${reportMarkdown.slice(0, answerCharsMax)}\n… (cut)`
      : reportMarkdown
  const { checks } = await client.checks.list({ taskId, ...scoped(scope) }, { signal })
  const checked = checks.map(
    ({ kind, command, outcome, state, seq }) =>
      `- ${kind} ${outcome}: ${command} (${stateTexts[state]}; ${linkOf(taskId, seq)})`,
  )
  return [
    `# ${title}\n*Run ${report.run} of ${linkOf(taskId)}, ${createdAt}*`,
    text,
    ...(checked.length > 0 ? [`Checks that it ran:\n${checked.join('\n')}`] : []),
  ].join('\n\n')
}

const stateTexts = {
  fresh: 'on the files that were delivered',
  stale: 'files changed since',
  unknown: 'its files were not recorded',
}

export async function failedTasks(
  client: ShiplogClient,
  { limit, scope }: { limit: number; scope: Scope },
): Promise<string> {
  const failed = (await tasksInScope(client, scope))
    .map(({ task }) => task)
    .filter(({ status }) => status === 'failed' || status === 'interrupted')
    .toSorted((a, b) => (b.endedAt ?? b.createdAt).localeCompare(a.endedAt ?? a.createdAt))
  if (failed.length === 0) return 'No task failed or was interrupted.'
  const lines = failed
    .slice(0, limit)
    .map(
      ({ id, status, title, endedAt, cause }) =>
        `- ${shortId(id)} ${status}: ${title} (${endedAt ?? 'no end'})${cause === null ? '' : `: ${formatCause(cause)}`}\n  ${linkOf(id)}`,
    )
  if (failed.length > limit) lines.push(`${failed.length - limit} more are not shown.`)
  return lines.join('\n')
}

export const failedCalls = (
  client: ShiplogClient,
  { task, limit, scope }: { task: string; limit: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> =>
  searchText(client, { query: `is:error task:${quoted(task)}`, limit, scope }, signal)

export const tasksThatTouched = (
  client: ShiplogClient,
  { path, limit, scope }: { path: string; limit: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> =>
  searchText(
    client,
    { query: `file:${quoted(path)}`, limit: Math.min(limit, searchedMax), scope },
    signal,
  )

/** Maximum number of hits of one search. */
const searchedMax = 200

const quoted = (value: string): string => `"${value.replaceAll('"', '')}"`

export async function filesTouched(
  client: ShiplogClient,
  { task, limit, scope }: { task: string; limit: number; scope: Scope },
  signal: AbortSignal,
): Promise<string> {
  const recorded: TouchedFiles = new Map()
  const edited: TouchedFiles = new Map()
  let hasSnapshots = false
  let taskId = task
  let more = 0
  const pages = readPages(1, (seq) =>
    client.transcripts.page(
      { taskId: task, at: { seq }, limit: pageEntries, ...scoped(scope) },
      { signal },
    ),
  )
  for await (const page of pages) {
    taskId = page.taskId
    for (const entry of page.entries) {
      for (const path of pathsOf(entry)) add(recorded, path, entry.seq)
      const path = editedPathOf(entry)
      if (path !== null) add(edited, path, entry.seq)
      if (entry.type !== 'workspace-snapshot') continue
      hasSnapshots = true
      more += entry.changedMore
    }
  }
  // Without snapshots, as in a session of another tool, only its edit calls are known.
  const files = hasSnapshots ? recorded : new Map([...edited, ...recorded])
  if (files.size === 0)
    return hasSnapshots ? 'No file was changed.' : `No call edited a file. ${notRecorded}`
  const sorted = [...files].toSorted(([a], [b]) => a.localeCompare(b))
  const lines = sorted
    .slice(0, limit)
    .map(([path, { first, last }]) =>
      first === last ? `- ${path}: entry ${first}` : `- ${path}: entries ${first} to ${last}`,
    )
  if (sorted.length > limit) lines.push(`${sorted.length - limit} more are not shown.`)
  if (more > 0) lines.push(`${counted(more, 'more change')} were not recorded by path.`)
  if (!hasSnapshots) lines.push(notRecorded)
  return `${counted(files.size, 'file')} changed in ${linkOf(taskId)}:\n${lines.join('\n')}`
}

const notRecorded =
  'Its working directory was not recorded: files that commands changed are not listed.'

type TouchedFiles = Map<string, { first: number; last: number }>

function add(files: TouchedFiles, path: string, seq: number): void {
  files.set(path, { first: files.get(path)?.first ?? seq, last: seq })
}

/** The path of the file that a call edited; null if it edited none. */
function editedPathOf(entry: Entry): string | null {
  if (entry.type !== 'tool-result') return null
  const { data } = toolDetailSchema.safeParse(entry.detail)
  return data?.kind === 'edit' && data.change !== 'unchanged' ? data.path : null
}

/** Snapshots compare the whole working directory, so files changed by commands are included. */
const pathsOf = (entry: Entry): string[] =>
  entry.type === 'workspace-snapshot'
    ? entry.changed
    : entry.type === 'file-history-snapshot'
      ? [entry.path]
      : []
