/**
 * Maps Claude Code's tools to Shiplog's, so that views, checks and models treat the calls alike. Fields are renamed,
 * but no value is changed or dropped. Tools without a counterpart keep their names.
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { CallKind } from '../../../../shared/agents/agent-records.ts'
import { claudeCodeTools } from '../../../../shared/agents/claude-code-tools.ts'
import type { ToolDetail } from '../../../../shared/agents/tools.ts'
import { editDetail, patchCharsMax, shownPath } from '../edits.ts'
import { planStatusOf } from '../plan-status.ts'
import { asRecord, count, isRecord, records, text } from '../values.ts'

/** Input fields that can serve as title of an unknown tool's call; the first that exists is used. */
const subjects = ['query', 'skill', 'description', 'plan', 'path', 'file_path', 'url', 'pattern']
const subjectCharsMax = 200

interface MappedCall {
  name: string
  input: unknown
  kind: CallKind
  title?: string
}

export function mapCall(name: string, input: unknown): MappedCall {
  const known = Object.hasOwn(claudeCodeTools, name) ? claudeCodeTools[name] : undefined
  if (!isRecord(input)) return { name: known?.name ?? name, input, kind: known?.kind ?? 'other' }
  if (!known) {
    const subject = subjects.map((key) => text(input[key])).find(Boolean)
    const title = subject ? `${name} ${subject.split('\n', 1)[0]?.slice(0, subjectCharsMax)}` : name
    return { name, input, kind: 'other', title }
  }
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => [
    Object.hasOwn(known.fields, key) ? (known.fields[key] ?? key) : key,
    value,
  ])
  return { name: known.name, input: Object.fromEntries(entries), kind: known.kind }
}

/** Results of calls that a user refused, or that were dropped because a call beside them had failed. */
const notTried =
  /^(?:The user doesn't want to (?:proceed with this tool use|take this action)|(?:<tool_use_error>)?Sibling tool call errored)/

/** The structured detail of a result. `structured`: the record's structured result. Null: the text is sufficient. */
export function detailOf(
  name: string,
  input: unknown,
  { isError, output, structured }: { isError: boolean; output: string; structured: unknown },
  cwd: string,
): ToolDetail | null {
  const given = asRecord(input)
  const reported = asRecord(structured)
  if (isError && notTried.test(output)) return { kind: 'not-run' }
  if (name === 'bash') {
    // A background command: the result only reports its start.
    if (text(reported.backgroundTaskId) !== null) return null
    const code = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(output)?.[1]
    const exitCode = code !== undefined ? Number(code) : isError ? null : 0
    // A refused or stopped command has no exit code.
    if (exitCode === null) return null
    return { kind: 'bash', exitCode, timedOut: false, omittedBytes: 0 }
  }
  if (isError) return null
  if (name === 'read_file') {
    const file = asRecord(reported.file)
    if (!isRecord(reported.file)) return null
    return {
      kind: 'read',
      path: text(file.filePath) ?? text(given.path) ?? '',
      lines: count(file.numLines),
      truncated: count(file.totalLines) > count(file.numLines),
    }
  }
  if (name === 'list_files' && Array.isArray(reported.filenames))
    return {
      kind: 'files',
      count: reported.filenames.length,
      truncated: reported.truncated === true,
    }
  if (name === 'search_files' && reported.mode === 'files_with_matches') {
    const files = count(reported.numFiles)
    return { kind: 'matches', count: files, files, truncated: false }
  }
  if (name === 'write_file' || name === 'edit_file') return editOf(given, reported, cwd)
  return null
}

/**
 * Bounds the comparison of dissimilar texts, which is slow. Not by time: importing again, on a busier machine, must have
 * the same result.
 */
const diffLinesMax = 1_000

function editOf(
  input: Record<string, unknown>,
  reported: Record<string, unknown>,
  cwd: string,
): ToolDetail | null {
  const absolute = text(reported.filePath) ?? text(input.path)
  if (absolute === null) return null
  const path = shownPath(absolute, cwd)
  const hunks = records(reported.structuredPatch)
  if (hunks.length > 0) {
    const lines = hunks.flatMap((hunk) => [
      `@@ -${count(hunk.oldStart)},${count(hunk.oldLines)} +${count(hunk.newStart)},${count(hunk.newLines)} @@`,
      ...(Array.isArray(hunk.lines)
        ? hunk.lines.map((line) => text(line) ?? JSON.stringify(line))
        : []),
    ])
    const [from, change] =
      reported.type === 'create'
        ? (['/dev/null', 'created'] as const)
        : ([`a/${path}`, 'changed'] as const)
    return editDetail(path, change, `--- ${from}\n+++ b/${path}\n${lines.join('\n')}\n`)
  }
  const before = text(input.oldText)
  const after = text(input.newText) ?? text(input.content)
  if (after === null || after.length + (before?.length ?? 0) > patchCharsMax) return null
  // The previous content of an overwritten file is unknown.
  if (before === null && reported.type !== undefined && reported.type !== 'create') return null
  if (before === null) return editDetail(path, 'created', patchOfNew(path, after))
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: diffLinesMax,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch ? editDetail(path, 'changed', patch) : null
}

function patchOfNew(path: string, content: string): string {
  const header = `--- /dev/null\n+++ b/${path}\n`
  if (content === '') return header
  const isEnded = content.endsWith('\n')
  const lines = (isEnded ? content.slice(0, -1) : content).split('\n')
  const added = lines.map((line) => `+${line}\n`).join('')
  return `${header}@@ -0,0 +1,${lines.length} @@\n${added}${isEnded ? '' : '\\ No newline at end of file\n'}`
}

/** The plan set by a `TodoWrite` call; null for other calls. */
export function planOf(name: string, input: unknown) {
  if (name !== 'TodoWrite') return null
  const items = records(asRecord(input).todos).flatMap((item) => {
    const content = text(item.content)
    const status = planStatusOf(item.status)
    return content !== null && status ? [{ text: content, status }] : []
  })
  return items.length > 0 ? items : null
}
