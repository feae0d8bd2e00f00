/** `shiplog tasks continue`: starts a new root that continues a task or an imported session. */
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import { resolveId, shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import type { Project } from '../../../../../shared/records/projects/projects.ts'
import type { Isolation } from '../../../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../../../shared/records/tasks/tasks.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { CliError, exitCodes, usageError } from '../../exit-codes.ts'
import { ledgerSnapshot } from '../../follow/follow-trees.ts'
import { projectPath } from '../../paths.ts'
import { withHint } from '../../resume/error-hints.ts'
import { withOtherAgents } from '../../resume/other-agents.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { type CliSession, runsAgents, withShiplog } from '../../with-shiplog.ts'
import { type AgentFlags, chosenAgent, startIn, withDefaultModel } from '../agents/agent-run.ts'
import { keyEnvOf } from '../agents/key-env.ts'
import { modeOf, type PermissionsFlag } from '../agents/permissions-flag.ts'
import { reportRun } from '../agents/report-run.ts'
import { allowSetup, trustNewRoot } from '../trust.ts'

interface ContinueFlags extends AgentFlags {
  at?: number
  project?: string
  isolation?: Isolation
  permissions?: PermissionsFlag
  trust?: boolean
}

/** Follows the new root as `agent run` does. */
export function continueFrom([id = '', prompt]: string[], given: ParsedOptions): Action {
  const {
    at,
    permissions,
    trust = false,
    project: folder,
    isolation,
    ...flags
  } = given as ContinueFlags
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const { tasks, projects } = await ledgerSnapshot(client)
      const found = resolveId(id, tasks.keys())
      const from = found.kind === 'found' ? tasks.get(found.id) : undefined
      const startTask = async (place?: { projectId: Project['id']; isolation: Isolation }) => {
        const agentChoice = await agentOf(client, { from, prompt, flags, context })
        const { taskId } = await session.starting(
          () =>
            withHint(client, 'continue', id, () =>
              client.tasks.continueFrom({
                taskId: id,
                prompt,
                at,
                permissions: modeOf(permissions),
                ...agentChoice,
                ...(place && { place }),
              }),
            ),
          (started) => [started.taskId],
        )
        return taskId
      }
      if (from?.imported) {
        const wanted = { at, folder, isolation: isolation ?? ('in-place' as const), trust }
        const taskId = await continueImported(context, session, from, {
          ...wanted,
          prompt,
          startTask: (place) =>
            isAnother(flags, from)
              ? startTask(place)
              : withOtherAgents(client, from, () => startTask(place)),
        })
        return reportRun(context, session, taskId)
      }
      if (folder !== undefined || isolation !== undefined)
        throw usageError('--project and --isolation are for imported sessions: omit them.')
      const project = from && projects.get(from.projectId)
      if (project && (from?.isolation === 'worktree' || (at !== undefined && project.git)))
        await allowSetup(context, session, project, trust)
      if (project && trust) await trustNewRoot(session, project)
      return reportRun(context, session, await startTask())
    })
}

/** Whether the flags name another agent than that of the continued task. */
const isAnother = (flags: AgentFlags, from: Task | undefined): boolean =>
  flags.agent !== undefined ||
  flags.command !== undefined ||
  flags.scenario !== undefined ||
  flags.baseUrl !== undefined ||
  (flags.model !== undefined && from !== undefined && from.spec.kind !== 'model')

/** Resolves with the agent of the new root. Absent fields are those of the continued task. */
async function agentOf(
  client: ShiplogClient,
  {
    from,
    prompt,
    flags,
    context,
  }: {
    from: Task | undefined
    prompt: string | undefined
    flags: AgentFlags
    context: CliContext
  },
) {
  if (!isAnother(flags, from))
    return { model: flags.model, keyEnv: keyEnvOf(flags.keyEnv, context) }
  const chosen = await chosenAgent(prompt || from?.prompt || '', flags, context)
  return { agent: await withDefaultModel(client, chosen) }
}

/**
 * Prints where the session continues and what changed there since. Rejects with CliError 5 if no project is known for its
 * folder.
 */
async function continueImported(
  context: CliContext,
  session: CliSession,
  from: Task,
  wanted: {
    at: number | undefined
    folder: string | undefined
    isolation: Isolation
    trust: boolean
    prompt: string | undefined
    startTask(place: { projectId: Project['id']; isolation: Isolation }): Promise<TaskId>
  },
): Promise<TaskId> {
  const { client } = session
  const { at, folder, isolation, trust, startTask } = wanted
  const id = shortId(from.id)
  if (!wanted.prompt?.trim())
    throw usageError(
      `Say what to do next: shiplog tasks continue ${id} "PROMPT". It was imported, so it has no assignment of Shiplog's to repeat.`,
    )
  const start = async (project: Project) => {
    const query = { taskId: from.id, at, projectId: project.id }
    const { places } = await client.tasks.continuation(query)
    const place = places.find((one) => one.kind === 'project' && one.projectId === project.id)
    await context.say(`Continuing in ${safeLine(project.dir)}.`)
    for (const line of place?.drift ?? []) await context.say(`  ${safeLine(line)}`)
    if (isolation === 'worktree') await allowSetup(context, session, project, trust)
    if (trust) await trustNewRoot(session, project)
    return startTask({ projectId: project.id, isolation })
  }
  if (folder !== undefined)
    return startIn(client, await projectPath(folder, context.host.cwd), start)
  const { places, recordedDir, dirExists, problem } = await client.tasks.continuation({
    taskId: from.id,
    at,
  })
  const [best] = places
  if (best?.kind === 'project') {
    const { projects } = await client.projects.list()
    const project = projects.find((one) => one.id === best.projectId)
    if (project) return start(project)
  }
  const commandWith = (dir: string) => `  shiplog tasks continue ${id} "PROMPT" --project ${dir}`
  throw new CliError(
    exitCodes.refused,
    problem ??
      (dirExists
        ? `The session worked in ${safeLine(recordedDir)}, which is no project of Shiplog yet.`
        : `The session worked in ${safeLine(recordedDir) || 'a folder that it did not record'}, which is gone.`),
    places.length > 0
      ? [
          ...places.map(({ dir, kind }) =>
            kind === 'folder'
              ? `${commandWith(safeLine(dir))}   adds it and continues there`
              : `${commandWith(safeLine(dir))}   continues in a project with the same repository`,
          ),
        ]
      : [`${commandWith('DIR')}   continues in another folder`],
  )
}
