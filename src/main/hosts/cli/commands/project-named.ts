/** Finds the project that a user names. */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { resolveId } from '../../../../shared/records/ids.ts'
import type { Project } from '../../../../shared/records/projects/projects.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { projectPath } from '../paths.ts'
import { safeLine } from '../terminal/safe-text.ts'

/** `text` is an id, a unique prefix of one, or a folder. Rejects with CliError: 3 for none, 4 for several. */
export async function findProject(
  client: ShiplogClient,
  text: string,
  cwd: string,
): Promise<Project> {
  const { projects } = await client.projects.list()
  const found = resolveId(
    text,
    projects.map(({ id }) => id),
  )
  if (found.kind === 'ambiguous') {
    throw new CliError(exitCodes.ambiguous, `${text} matches more than one project.`, [
      'Candidates:',
      ...found.candidates.map((id) => `  ${id}`),
    ])
  }
  const named = found.kind === 'found' && projects.find(({ id }) => id === found.id)
  return named || projectAt(client, await projectPath(text, cwd))
}

/** `dir` is from `projectPath`. Rejects with CliError 3 if it is not a project. */
export async function projectAt(client: ShiplogClient, dir: string): Promise<Project> {
  const { projects } = await client.projects.list()
  const project = projects.find((one) => one.dir === dir)
  if (project) return project
  throw new CliError(exitCodes.notFound, `${safeLine(dir)} is not a project of Shiplog.`, [
    '  shiplog projects list      lists the projects',
    '  shiplog projects add DIR   adds one, or finds one that was moved',
  ])
}
