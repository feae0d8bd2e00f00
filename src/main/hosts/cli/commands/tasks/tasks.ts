/** `shiplog tasks …`: lists tasks, prints their reports, stops them and applies their changes. */

import {
  type ApplyOutcome,
  appliedFileLine,
  convertedLines,
  type UndoOutcome,
} from '../../../../../shared/agents/tools.ts'
import { recordSourceSchema } from '../../../../../shared/records/exported-tasks.ts'
import { shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import { type TaskStatus, taskStatuses } from '../../../../../shared/records/tasks/task-status.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { notCarriedLines } from '../../../../../shared/text/not-carried.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { CliError, exitCodes, usageError } from '../../exit-codes.ts'
import { projectPath } from '../../paths.ts'
import { taskTreeJson } from '../../task-json.ts'
import { safeLine, safeText } from '../../terminal/safe-text.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { projectAt } from '../project-named.ts'
import { selectionOf } from './change-selection.ts'
import { printTree } from './task-tree.ts'

interface ListOptions extends ParsedOptions {
  project?: string
  status?: string
  source?: string
  all?: boolean
}

export function list(given: ParsedOptions): Action {
  const { project, status, source, all = false } = given as ListOptions
  return async (context) => {
    const query = {
      projectDir: project === undefined ? undefined : await projectPath(project, context.host.cwd),
      status: status === undefined ? undefined : statusOf(status),
      source: recordSourceSchema.optional().parse(source),
      // Imported tasks are archived.
      all: all || (source !== undefined && source !== 'here'),
    }
    return withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { tasks } = await client.tasks.list(query)
      // Without any tasks, the folder may be mistyped and not a project.
      if (tasks.length === 0 && query.projectDir !== undefined)
        await projectAt(client, query.projectDir)
      if (context.json) await context.printJson({ tasks: tasks.map(taskTreeJson) })
      else if (tasks.length > 0) await printTree(context, tasks)
      else await context.say(nothingToList(query))
      return exitCodes.done
    })
  }
}

export function linkPullRequest(id: string, url: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const done = await client.tasks.linkPullRequest({ taskId: id, url })
      if (context.json) await context.printJson(done)
      else await context.say(done.linked ? 'Linked.' : 'It was linked already.')
      return exitCodes.done
    })
}

export function report(id: string, given: ParsedOptions): Action {
  const { run, raw = false } = given as { run?: number; raw?: boolean }
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const found = await client.tasks.report({ taskId: id, run })
      if (context.json) {
        await context.printJson(found)
        return exitCodes.done
      }
      const { title, reportMarkdown } = found
      await context.say(context.err.style('dim', `${safeLine(title)} (run ${found.run})`))
      const text = raw ? reportMarkdown : safeText(reportMarkdown)
      await context.out.write(`${text.trimEnd()}\n`)
      return exitCodes.done
    })
}

export function stop(id: string, { wrapUp = false }: ParsedOptions): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      if (wrapUp) return printWrapUp(context, await client.tasks.wrapUp({ taskId: id }))
      const { stopped, cancelled } = await client.tasks.stop({ taskId: id })
      const lines: string[] = []
      if (stopped.length > 0) lines.push(`Interrupted ${stopped.map(shortId).join(', ')}.`)
      if (cancelled.length > 0)
        lines.push(`Cancelled ${cancelled.map(shortId).join(', ')}, which had not started.`)
      if (context.json) await context.printJson({ stopped, cancelled })
      else await context.say(lines.join(' ') || 'The agent was not running; nothing was stopped.')
      return exitCodes.done
    })
}

export function tryNow(id: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { trying } = await client.tasks.tryNow({ taskId: id })
      if (context.json) await context.printJson({ trying })
      else await context.say(`Trying now: ${trying.map(shortId).join(', ')}.`)
      return exitCodes.done
    })
}

async function printWrapUp(
  context: CliContext,
  { asked, cancelled }: { asked: TaskId[]; cancelled: TaskId[] },
): Promise<number> {
  if (context.json) await context.printJson({ asked, cancelled })
  else await context.say(`Asked ${asked.map(shortId).join(', ')} to report at the next turn.`)
  return exitCodes.done
}

interface ApplyOptions {
  undo?: boolean
  file?: string[]
  hunk?: string[]
}

export function apply(id: string, given: ParsedOptions): Action {
  const { undo = false, file = [], hunk = [] } = given as ApplyOptions
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      if (undo) return printUndone(context, await client.tasks.undoApply({ taskId: id }))
      const isSelective = file.length + hunk.length > 0
      const selection = isSelective ? await selectionOf(client, id, { file, hunk }) : undefined
      const outcome = await client.tasks.applyPatch({ taskId: id, selection })
      if (context.json) await context.printJson(outcome)
      return printApplied(context, outcome)
    })
}

/** Rejects with CliError 5 if files were changed since, which are never overwritten. */
async function printUndone(context: CliContext, outcome: UndoOutcome): Promise<number> {
  if (context.json) await context.printJson(outcome)
  if (outcome.kind === 'changed-since') {
    const { message, paths } = outcome
    throw new CliError(
      exitCodes.refused,
      message,
      paths.map((path) => `  ${path}`),
    )
  }
  if (!context.json)
    await context.say(
      `Undone: ${counted(outcome.files, 'file is', 'files are')} as before the changes were applied.`,
    )
  return exitCodes.done
}

/** Rejects with CliError 5 for a conflict, which changed nothing. */
async function printApplied(context: CliContext, outcome: ApplyOutcome): Promise<number> {
  if (outcome.kind === 'conflict') {
    const { message, paths } = outcome
    throw new CliError(
      exitCodes.refused,
      message,
      paths.map((path) => `  ${path}`),
    )
  }
  if (!context.json) for (const line of linesOf(outcome)) await context.say(line)
  return exitCodes.done
}

function linesOf(outcome: Exclude<ApplyOutcome, { kind: 'conflict' }>): string[] {
  switch (outcome.kind) {
    case 'applied':
      return [
        `Applied: ${counted(outcome.files.length, 'file')} changed, not committed.`,
        ...outcome.files.map((file) => `  ${safeLine(appliedFileLine(file))}`),
        ...convertedLines(outcome).map(safeLine),
        ...notCarriedLines(outcome.notCarried).map(safeLine),
      ]
    case 'nothing-to-apply':
      return ['Nothing to apply: no files were changed.']
    case 'already-applied':
      return ['Its changes are there already.']
  }
}

function statusOf(text: string): TaskStatus | 'running' {
  const statuses = [...taskStatuses, 'running'] as const
  const status = statuses.find((known) => known === text)
  if (status) return status
  throw usageError(`There is no status "${text}". It is one of: ${statuses.join(', ')}.`)
}

function nothingToList(query: {
  projectDir?: string
  status?: string
  source?: string
  all: boolean
}): string {
  if (query.projectDir ?? query.status ?? query.source) return 'No such tasks.'
  return query.all
    ? 'There are no tasks yet. Try `shiplog demo`.'
    : 'There are no tasks. `shiplog tasks list --all` shows the archived ones; `shiplog demo` makes some.'
}
