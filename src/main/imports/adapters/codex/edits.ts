/** File changes, as reported by Codex after a patch, else parsed from the patch. */
import type { ToolDetail } from '../../../../shared/agents/tools.ts'
import { editDetail, patchCharsMax, shownPath } from '../edits.ts'
import { asRecord, isRecord, text } from '../values.ts'

export type Edit = Extract<ToolDetail, { kind: 'edit' }>

/** Parses `changes` by path: `{type: add | delete, content}` or `{type: update, unified_diff, move_path}`. */
export function reportedEdits(changes: unknown, cwd: string): Edit[] {
  if (!isRecord(changes)) return []
  return Object.entries(changes).flatMap(([absolute, given]): Edit[] => {
    const change = asRecord(given)
    const path = shownPath(text(change.move_path) ?? absolute, cwd)
    const from = shownPath(absolute, cwd)
    const content = text(change.content)
    const diff = text(change.unified_diff)
    if (change.type === 'update' && diff !== null)
      return [editDetail(path, 'changed', `--- a/${from}\n+++ b/${path}\n${diff}`)]
    if (change.type === 'add' && content !== null)
      return [editDetail(path, 'created', wholeFile(path, content, '+'))]
    if (change.type === 'delete')
      return [editDetail(path, 'changed', wholeFile(path, content ?? '', '-'))]
    return []
  })
}

function wholeFile(path: string, content: string, sign: '+' | '-'): string {
  const lines = content.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const range = lines.length === 0 ? '0,0' : `1,${lines.length}`
  const [names, hunk] =
    sign === '+'
      ? [`--- /dev/null\n+++ b/${path}`, `@@ -0,0 +${range} @@`]
      : [`--- a/${path}\n+++ /dev/null`, `@@ -${range} +0,0 @@`]
  const body = lines.map((line) => `${sign}${line}\n`).join('')
  const last = content === '' || content.endsWith('\n') ? '' : '\\ No newline at end of file\n'
  return lines.length === 0 ? `${names}\n` : `${names}\n${hunk}\n${body}${last}`
}

const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/**
 * Parses the text of a patch. Codex patches have no line numbers, so a diff is produced only for new files; for others
 * only the numbers of added and deleted lines are known.
 */
export function patchEdits(patch: string, cwd: string): Edit[] {
  const edits: Edit[] = []
  let open: { action: string; path: string; added: string[]; deletions: number } | null = null
  const close = (): void => {
    if (!open) return
    const path = shownPath(open.path, cwd)
    const counts = { additions: open.added.length, deletions: open.deletions }
    edits.push(
      open.action === 'Add'
        ? editDetail(path, 'created', wholeFile(path, `${open.added.join('\n')}\n`, '+'))
        : { kind: 'edit', path, change: 'changed', ...counts, patch: null },
    )
  }
  for (const line of patch.slice(0, patchCharsMax * 5).split('\n')) {
    const [, action, path] = header.exec(line.trimEnd()) ?? []
    if (action !== undefined && path !== undefined) {
      close()
      open = { action, path, added: [], deletions: 0 }
    } else if (line.startsWith('+')) open?.added.push(line.slice(1))
    else if (open && line.startsWith('-')) open.deletions++
  }
  close()
  return edits
}

/** The patch in an `apply_patch` call, or in a command that runs it; null: none. */
export function patchOf(name: string, input: unknown): string | null {
  const given = asRecord(input)
  const holder =
    name === 'apply_patch'
      ? (text(input) ?? text(given.text) ?? text(given.input) ?? text(given.patch))
      : name === 'bash'
        ? text(given.command)
        : null
  const start = holder?.indexOf('*** Begin Patch') ?? -1
  if (holder === null || start === -1) return null
  // A command that only prints or writes a patch does not apply it.
  if (name === 'bash' && !/^\s*(?:cd [^\n;&|]+ && )?apply_?patch\b/.test(holder)) return null
  const end = holder.indexOf('*** End Patch', start)
  return holder.slice(start, end === -1 ? undefined : end)
}
