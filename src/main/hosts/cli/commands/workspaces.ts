/** `shiplog workspaces …`: lists, compares, removes and restores the workspaces of agents. */
import { join } from 'node:path'
import { totalBytes } from '../../../../shared/collections/total-bytes.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { KeptLeftovers, WorkspaceDiff } from '../../../../shared/contract/workspace.ts'
import { resolveId, shortId, type TaskId } from '../../../../shared/records/ids.ts'
import { canStillRun } from '../../../../shared/records/tasks/task-status.ts'
import { counted } from '../../../../shared/text/counted.ts'
import type { Action, ParsedOptions } from '../action.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { ledgerSnapshot } from '../follow/follow-trees.ts'
import type { Output } from '../terminal/output.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import { renderTable } from '../terminal/table.ts'
import { ago, commandLines, size, statusWording } from '../terminal/wording.ts'
import { withShiplog } from '../with-shiplog.ts'

export function list(given: ParsedOptions): Action {
  const archived = given.archived === true
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { workspaces } = await client.workspace.list({ archived })
      if (context.json) {
        await context.printJson({ workspaces })
        return exitCodes.done
      }
      if (workspaces.length === 0) {
        await context.say(archived ? 'No workspace is archived.' : 'There are no workspaces.')
        return exitCodes.done
      }
      const now = context.host.now()
      const rows = workspaces.map((one) => {
        const { sign, word, style } = statusWording[one.status]
        return [
          { text: `${sign} ${word}`, style },
          safeLine(one.title),
          shortId(one.id),
          one.branch ?? '',
          size(one.bytes),
          ago(one.createdAt, now),
          one.pending === null ? '' : `removal pending: ${safeLine(one.pending.error)}`,
          archived ? '' : safeLine(one.path),
        ]
      })
      await context.out.write(renderTable(listColumns, rows, context.out))
      return exitCodes.done
    })
}

const listColumns = [
  { title: 'STATUS' },
  { title: 'TASK', shrinks: true },
  { title: 'ID' },
  { title: 'BRANCH', shrinks: true },
  { title: 'SIZE', align: 'right' as const },
  { title: 'MADE', align: 'right' as const },
  { title: 'NOTE' },
  { title: 'FOLDER' },
]

export function diff(id: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const found = await client.workspace.diff({ workspaceId: id })
      if (context.json) await context.printJson(found)
      else await printDiff(context, found)
      return exitCodes.done
    })
}

async function printDiff(context: CliContext, found: WorkspaceDiff): Promise<void> {
  const { files, patch, truncated, target } = found
  if (files.length === 0) return context.say('No files were changed.')
  const additions = files.reduce((sum, file) => sum + (file.additions ?? 0), 0)
  const deletions = files.reduce((sum, file) => sum + (file.deletions ?? 0), 0)
  const onto = target.branch === null ? target.path : `${target.path} (${target.branch})`
  await context.say(
    `${counted(files.length, 'file')} changed, +${additions} −${deletions}; would be applied to ${safeLine(onto)}`,
  )
  await context.out.write(context.out.isTTY ? colored(patch, context.out) : patch)
  if (truncated) await context.warn('The diff is cut here; --json lists every file.')
}

function colored(patch: string, out: Output): string {
  return safeText(patch)
    .split('\n')
    .map((line) => {
      if (/^(diff |index |--- |\+\+\+ )/.test(line)) return out.style('bold', line)
      if (line.startsWith('@@')) return out.style('cyan', line)
      if (line.startsWith('+')) return out.style('green', line)
      if (line.startsWith('-')) return out.style('red', line)
      return line
    })
    .join('\n')
}

export function remove(id: string, given: ParsedOptions): Action {
  const discardUnknownWorktree = given.discardUnknownWorktree === true
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { removed } = await client.workspace.remove({ workspaceId: id, discardUnknownWorktree })
      const { leftovers } =
        removed.length > 0
          ? await client.workspace.leftovers({ workspaceId: id })
          : { leftovers: [] }
      if (context.json) await context.printJson({ removed, leftovers })
      else if (removed.length === 0) await context.say(await whyNothingWasRemoved(client, id))
      else {
        await context.say(
          `Archived and removed ${counted(removed.length, 'workspace')}: ${removed.map(shortId).join(', ')}. Reports and transcripts are kept.`,
        )
        for (const line of leftoverLines(leftovers)) await context.say(line)
        for (const line of await afterRemoval(client, removed, leftovers)) await context.say(line)
      }
      return exitCodes.done
    })
}

/** A worktree that was no longer Shiplog's can't be restored: its files are all that there is. */
async function whereDiscarded(
  client: ShiplogClient,
  leftovers: KeptLeftovers[],
): Promise<string[]> {
  const kept = leftovers.filter(({ files }) => files > 0)
  if (kept.length === 0) return []
  const [{ dataDir }, { trashTtlDays, trashBytesMax }] = await Promise.all([
    client.app.info(),
    client.retention.settings(),
  ])
  const within = `within ${counted(trashTtlDays, 'day')}${trashBytesMax === null ? '' : ', or one day if the trash is full'}`
  return [
    `They can't be restored into a worktree. Copy what you need from there ${within}:`,
    ...kept.map(({ name }) => `  ${safeLine(join(dataDir, 'trash', name))}`),
  ]
}

/**
 * Returns lines about the interrupted sub-agents in the archive, and the command that restores the workspace, or where
 * its files are.
 */
async function afterRemoval(
  client: ShiplogClient,
  removed: TaskId[],
  leftovers: KeptLeftovers[],
): Promise<string[]> {
  const state = await ledgerSnapshot(client)
  const tasks = removed.flatMap((id) => state.tasks.get(id) ?? [])
  const waiting = tasks.filter((task) => task.parentId !== null && task.status === 'interrupted')
  const named = waiting.map(({ id, title }) => `${safeLine(title)} (${shortId(id)})`).join(', ')
  const [top] = tasks.toSorted((a, b) => a.depth - b.depth)
  if (top?.patch === 'failed') return whereDiscarded(client, leftovers)
  const isRestorable = top && (top.parentId === null || canStillRun(top.status))
  return [
    ...(waiting.length > 0
      ? [`Interrupted, and can be resumed only once they are restored: ${named}.`]
      : []),
    ...(isRestorable
      ? commandLines([[`shiplog workspaces restore ${shortId(top.id)}`, 'restores it']])
      : []),
  ]
}

/** Returns lines about the files that no patch contains, and the deleted folders. */
function leftoverLines(leftovers: KeptLeftovers[]): string[] {
  const lines: string[] = []
  const kept = leftovers.filter(({ files }) => files > 0)
  if (kept.length > 0) {
    const files = kept.reduce((sum, one) => sum + one.files, 0)
    const bytes = totalBytes(kept)
    lines.push(
      `${counted(files, 'file')} (${size(bytes)}) that no patch contains ${files === 1 ? 'is' : 'are'} in the trash: ${kept.map(({ name }) => name).join(', ')}.`,
    )
  }
  const folders = leftovers.flatMap(({ recreatable }) => recreatable)
  if (folders.length > 0) {
    const named = folders.slice(0, foldersNamedMax).map((one) => `${one.path} (${one.madeBy})`)
    const more = folders.length > named.length ? ` and ${folders.length - named.length} more` : ''
    lines.push(safeLine(`Deleted folders that can be recreated: ${named.join('; ')}${more}.`))
  }
  return lines
}

const foldersNamedMax = 5

async function whyNothingWasRemoved(client: ShiplogClient, id: string): Promise<string> {
  const { tasks } = await ledgerSnapshot(client)
  const found = resolveId(id, tasks.keys())
  const task = found.kind === 'found' ? tasks.get(found.id) : undefined
  if (!task) return 'There was nothing to remove.'
  const name = `${safeLine(task.title)} (${shortId(task.id)})`
  if (task.trashed) return `${name} is in the trash already; nothing was removed.`
  if (task.archived) return `${name} is in the archive already; nothing was removed.`
  return `${name} has no workspace; nothing was removed.`
}

export function restore(id: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { restored: ids, left } = await client.workspace.restore({ workspaceId: id })
      const { workspaces } = await client.workspace.list({ archived: false })
      const restored = workspaces.find((one) => one.id.startsWith(id.trim().toLowerCase()))
      if (context.json) {
        const subAgents = ids.filter((one) => one !== restored?.id)
        await context.printJson({ restored, subAgents, left })
        return exitCodes.done
      }
      await context.say(
        ids.length === 0
          ? 'It is in the archive again.'
          : `Restored${restored ? ` to ${safeLine(restored.path)}` : ''}.`,
      )
      for (const line of await interruptedLines(client, ids)) await context.say(line)
      for (const { taskId, title, why } of left) {
        await context.warn(
          `${safeLine(title)} could not be restored, and is still in the archive. ${safeLine(why)}`,
        )
        const again = `shiplog workspaces restore ${shortId(taskId)}`
        for (const line of commandLines([[again, 'tries it again']])) await context.say(line)
      }
      return exitCodes.done
    })
}

/** Returns the command that resumes the restored agents; empty if none was interrupted. */
async function interruptedLines(client: ShiplogClient, ids: TaskId[]): Promise<string[]> {
  const state = await ledgerSnapshot(client)
  const [first, ...others] = ids
    .flatMap((id) => state.tasks.get(id) ?? [])
    .filter(({ status }) => status === 'interrupted')
  if (!first) return []
  const resume = `shiplog tasks resume ${shortId(first.id)}`
  return others.length === 0
    ? commandLines([[resume, `resumes "${safeLine(first.title)}"`]])
    : commandLines([[`${resume} --tree`, `resumes ${others.length + 1} interrupted agents`]])
}

/** Requires `--yes`, as the only action. */
export function deleteArchived(id: string, given: ParsedOptions): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      if (given.yes !== true) {
        await context.say(
          'This moves the archived workspace, its reports and its transcripts to the trash. Add --yes to do it.',
        )
        return exitCodes.refused
      }
      const { trashed } = await client.workspace.trash({ workspaceId: id })
      if (context.json) await context.printJson({ trashed })
      else if (trashed.length === 0) await context.say(await whyNothingWasRemoved(client, id))
      else {
        await context.say(
          `Moved to the trash: ${counted(trashed.length, 'task')}. \`shiplog workspaces restore ${safeLine(id)}\` brings them back.`,
        )
      }
      return exitCodes.done
    })
}
