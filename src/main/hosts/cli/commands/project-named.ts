/** The project that `--project` names. */
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import type { Project } from '../../../../shared/tasks.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { safeLine } from '../terminal/safe-text.ts'

/** `dir`: from `projectPath`. Refused with 3 when it is no project. */
export async function projectNamed(client: ShiplogClient, dir: string): Promise<Project> {
  const { projects } = await client.projects.list()
  const project = projects.find((one) => one.dir === dir)
  if (project) return project
  throw new CliError(exitCodes.notFound, `${safeLine(dir)} is not a project of Shiplog.`, [
    '  shiplog projects list   lists the projects',
  ])
}
