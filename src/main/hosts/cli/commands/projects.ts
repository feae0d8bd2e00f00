/** `shiplog projects`: lists, adds and removes projects, and sets the environment and sandbox of their agents (K2). */

import { shortId } from '../../../../shared/records/ids.ts'
import { isSameProject } from '../../../../shared/records/projects/project-identity.ts'
import {
  defaultEnvironment,
  type Project,
  type ProjectEnvironment,
} from '../../../../shared/records/projects/projects.ts'
import {
  formatRunSandbox,
  type SandboxSetting,
  type SandboxSupport,
  sandboxLabels,
} from '../../../../shared/records/projects/sandbox.ts'
import { listed } from '../../../../shared/text/counted.ts'
import type { Action, ParsedOptions } from '../action.ts'
import type { CliContext } from '../context.ts'
import { exitCodes, usageError } from '../exit-codes.ts'
import { projectPath } from '../paths.ts'
import { safeLine, safePath } from '../terminal/safe-text.ts'
import { renderTable } from '../terminal/table.ts'
import { withShiplog } from '../with-shiplog.ts'
import { findProject, projectAt } from './project-named.ts'

interface EnvironmentOptions extends ParsedOptions {
  project?: string
  pass?: string[]
  only?: string[]
  reset?: boolean
}

export function list(): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { projects } = await client.projects.list()
      if (context.json) {
        await context.printJson({ projects })
        return exitCodes.done
      }
      const rows = projects.map(({ id, name, dir }) => [shortId(id), safeLine(name), safePath(dir)])
      const columns = [{ title: 'ID' }, { title: 'NAME' }, { title: 'FOLDER', shrinks: true }]
      await context.out.write(renderTable(columns, rows, context.out))
      return exitCodes.done
    })
}

/** Adds a folder. A notice reports if a project was moved there. */
export function add(folder: string): Action {
  return async (context) => {
    const dir = await projectPath(folder, context.host.cwd)
    return withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { projects: before } = await client.projects.list()
      const project = await client.projects.add({ dir })
      if (context.json) {
        await context.printJson({ project })
        return exitCodes.done
      }
      const known = before.find(({ id }) => id === project.id)
      const named = `${safeLine(project.name)} (${safePath(project.dir)})`
      if (known === undefined)
        await context.say(`Added ${named}.${ofSameRepository(project, before)}`)
      else if (known.dir === project.dir) await context.say(`${named} is a project already.`)
      return exitCodes.done
    })
  }
}

/** Reports a second clone, because the agents of the first one are not listed there. */
function ofSameRepository({ identity }: Project, others: readonly Project[]): string {
  const same = others.filter(
    (one) => identity && one.identity && isSameProject(identity, one.identity),
  )
  if (same.length === 0) return ''
  return ` It has the same repository as ${listed(same.map(({ dir }) => safePath(dir)))}, and is a project of its own.`
}

/** Removes a project from the list. `text` is its id or its folder. */
export function remove(text: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const project = await findProject(client, text, context.host.cwd)
      const { id, name, dir } = project
      await client.projects.remove({ projectId: id })
      if (context.json) await context.printJson({ removed: { id, name, dir } })
      else
        await context.say(
          `Removed ${safeLine(name)} (${safeLine(dir)}) from the list, with its settings. Its folder, its branches and what is in the archive are kept.`,
        )
      return exitCodes.done
    })
}

/** Prints the environment of a project's agents. With an option, sets it first. */
export function environment(given: ParsedOptions): Action {
  const { project: folder, pass, only, reset = false } = given as EnvironmentOptions
  if (folder === undefined) throw usageError('Name the project with --project DIR.')
  if (reset && (pass || only))
    throw usageError('--reset undoes --pass and --only: give it alone, or leave it out.')
  return async (context) => {
    const dir = await projectPath(folder, context.host.cwd)
    return withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const project = await projectAt(client, dir)
      const before = project.environment ?? defaultEnvironment
      const wanted = reset
        ? defaultEnvironment
        : { allowed: pass ?? before.allowed, only: only ?? before.only }
      const isChanged = Boolean(reset || pass || only)
      if (isChanged)
        await client.projects.setEnvironment({
          projectId: project.id,
          environment: wanted,
          shown: before,
        })
      await print(context, project, wanted, isChanged ? [] : (project.revokedVariables ?? []))
      return exitCodes.done
    })
  }
}

/** Prints the sandbox setting and what this system supports. With `--set`, sets it first. */
export function sandbox(given: ParsedOptions): Action {
  const { project: folder, set } = given as ParsedOptions & {
    project?: string
    set?: SandboxSetting
  }
  if (folder === undefined) throw usageError('Name the project with --project DIR.')
  return async (context) => {
    const dir = await projectPath(folder, context.host.cwd)
    return withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { id, name, sandbox: before = 'off' } = await projectAt(client, dir)
      if (set) await client.projects.setSandbox({ projectId: id, sandbox: set })
      const setting = set ?? before
      const support = await client.app.sandbox()
      if (context.json)
        await context.printJson({ project: { id, name, dir }, sandbox: { setting, ...support } })
      else await context.out.write(`${safeLine(name)}: ${sandboxLine(setting, support)}\n`)
      return exitCodes.done
    })
  }
}

function sandboxLine(setting: SandboxSetting, { program, why }: SandboxSupport): string {
  if (setting === 'off')
    return program
      ? `${sandboxLabels.off}. With --set they run in one (${program}).`
      : `${sandboxLabels.off}, and this system has none: ${safeLine(why ?? '')}.`
  return `${safeLine(formatRunSandbox({ setting, program, why }))}.`
}

async function print(
  context: CliContext,
  { id, name, dir }: Project,
  { allowed, only }: ProjectEnvironment,
  revoked: readonly string[],
): Promise<void> {
  if (context.json) {
    await context.printJson({ project: { id, name, dir }, environment: { allowed, only }, revoked })
    return
  }
  const names = (list: readonly string[]) => list.map(safeLine).join(', ')
  const { write } = context.out
  if (only === null) {
    await write(`Agents of ${safeLine(name)} get your environment variables except secrets.\n`)
    if (allowed.length > 0) await write(`Secrets that are passed on: ${names(allowed)}\n`)
  } else {
    await write(
      `Agents of ${safeLine(name)} get what every program needs, such as PATH and HOME, and only: ${names([...new Set([...only, ...allowed])]) || '(nothing else)'}\n`,
    )
  }
  if (revoked.length > 0)
    await context.say(
      `Since it moved, or its repository was replaced, they no longer get what you allowed before: ${names(revoked)}. Name them with --pass or --only to pass them on again.`,
    )
}
