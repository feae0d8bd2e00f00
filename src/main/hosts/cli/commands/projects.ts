/** `shiplog projects`: the projects, and what the agents of one get of the person's environment (K2). */
import { shortId } from '../../../../shared/ids.ts'
import {
  defaultEnvironment,
  type Project,
  type ProjectEnvironment,
} from '../../../../shared/tasks.ts'
import type { CliContext } from '../context.ts'
import { exitCodes, usageError } from '../exit-codes.ts'
import { projectPath } from '../paths.ts'
import type { Action, ParsedOptions } from '../program.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { renderTable } from '../terminal/table.ts'
import { withShiplog } from '../with-shiplog.ts'
import { projectMeant, projectNamed } from './project-named.ts'

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
      const rows = projects.map(({ id, name, dir }) => [shortId(id), safeLine(name), safeLine(dir)])
      const columns = [{ title: 'ID' }, { title: 'NAME' }, { title: 'FOLDER', shrinks: true }]
      await context.out.write(renderTable(columns, rows, context.out))
      return exitCodes.done
    })
}

/** Takes a project off the list: `text` is its id, or its folder. */
export function remove(text: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const project = await projectMeant(client, text, context.host.cwd)
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

/** Prints what is set; with an option, sets it first. */
export function environment(given: ParsedOptions): Action {
  const { project: folder, pass, only, reset = false } = given as EnvironmentOptions
  if (folder === undefined) throw usageError('Name the project with --project DIR.')
  if (reset && (pass || only))
    throw usageError('--reset undoes --pass and --only: give it alone, or leave it out.')
  return async (context) => {
    const dir = await projectPath(folder, context.host.cwd)
    return withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const project = await projectNamed(client, dir)
      const before = project.environment ?? defaultEnvironment
      const wanted = reset
        ? defaultEnvironment
        : { allowed: pass ?? before.allowed, only: only ?? before.only }
      if (reset || pass || only)
        await client.projects.setEnvironment({
          projectId: project.id,
          environment: wanted,
          shown: before,
        })
      await print(context, project, wanted)
      return exitCodes.done
    })
  }
}

async function print(
  context: CliContext,
  { id, name, dir }: Project,
  { allowed, only }: ProjectEnvironment,
): Promise<void> {
  if (context.json) {
    await context.printJson({ project: { id, name, dir }, environment: { allowed, only } })
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
}
