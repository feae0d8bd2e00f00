/** The contract as calls of the services. No decisions are made here. */

import { createRouterClient } from '@orpc/server'
import type { AgentChoice } from '../../shared/agents/agent-specs.ts'
import { isWiderMode, type PermissionMode } from '../../shared/agents/permission-modes.ts'
import type { PermissionQuestions } from '../../shared/agents/permissions.ts'
import type {
  ModelDefaults,
  ModelTest,
  ProviderEntry,
  ProviderState,
} from '../../shared/agents/provider-settings.ts'
import type { AppInfo } from '../../shared/contract/app.ts'
import type { CallContext } from '../../shared/contract/grants.ts'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { FailureError } from '../../shared/failure.ts'
import { isWiderBudget } from '../../shared/records/budgets.ts'
import { type ProjectId, resolveId, type TaskId } from '../../shared/records/ids.ts'
import type { Transcripts } from '../archive/transcripts.ts'
import type { TurnFiles } from '../archive/turn-files.ts'
import type { Checks } from '../checks/checks.ts'
import type { Doctor } from '../doctor/doctor.ts'
import type { ExportService } from '../export/export-service.ts'
import type { ImportService } from '../imports/import-service.ts'
import type { SessionImports } from '../imports/session-imports.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log/log.ts'
import type { Retention } from '../retention/retention.ts'
import type { FileAuthorsReader } from '../review/file-authors.ts'
import type { SearchService } from '../search/search-service.ts'
import type { TranscriptFinder } from '../search/transcript-finder.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AgentHistory } from '../tasks/agent-history/agent-history.ts'
import type { Demo } from '../tasks/demo.ts'
import type { LimitSettingsStore } from '../tasks/limits/settings.ts'
import type { TaskService } from '../tasks/task-service.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import { type AgentCalls, agentAnswers } from './agent-answers.ts'
import { createImplementer } from './implementer.ts'
import { ledgerFeed } from './ledger-feed.ts'
import { permissionsFeed } from './permissions-feed.ts'
import { refuseToDecide } from './refuse-to-decide.ts'
import { searchAnswers } from './search-answers.ts'
import { sessionFeed } from './session-feed.ts'
import { sessionsFeed } from './sessions-feed.ts'

/** What the contract says of models. */
interface ModelCalls {
  providers: {
    list(): ProviderState[]
    save(entry: ProviderEntry, key: string | null | undefined): Promise<void>
    remove(name: string): Promise<void>
    defaults(): ModelDefaults
    setDefaults(change: Partial<ModelDefaults>): Promise<void>
  }
  list(provider: string): Promise<string[]>
  test(asked: {
    model: string
    baseUrl?: string | undefined
    keyEnv?: string | undefined
  }): Promise<ModelTest>
}

interface RouterDependencies {
  agentHistory: Pick<AgentHistory, 'makePlanningFolder' | 'planning'>
  ledger: Ledger
  sessions: Sessions
  tasks: TaskService
  transcripts: Transcripts
  turnFiles: TurnFiles
  checks: Pick<Checks, 'list'>
  fileAuthors: FileAuthorsReader
  workspaces: WorkspaceService
  demo: Demo
  permissions: PermissionQuestions
  limitSettings: Pick<LimitSettingsStore, 'current' | 'save'>
  agents: AgentCalls
  models: ModelCalls
  retention: Retention
  search: Pick<SearchService, 'find' | 'state' | 'tools' | 'tasksUsing'>
  finder: Pick<TranscriptFinder, 'find' | 'filter'>
  exports: ExportService
  imports: ImportService & SessionImports
  doctor: Pick<Doctor, 'check'>
  info: () => AppInfo
  log: Pick<Log, 'warning' | 'error'>
  pickFolder: () => Promise<string | null>
  /** Returns false if the host has no windows. */
  openWindow: (place: { taskId: TaskId; seq?: number | undefined }) => boolean
  openFolder: (path: string, opener: 'editor' | 'file-manager') => Promise<void>
}

export type ShiplogRouter = ReturnType<typeof createRouter>

export function createRouter(deps: RouterDependencies) {
  const { ledger, sessions, tasks, transcripts, workspaces, retention, permissions, models } = deps
  const { turnFiles } = deps
  const { projects, records } = workspaces
  const { os, withContractErrors } = createImplementer(deps)

  /** The id that matches a text: a whole one, or a unique prefix (S1). */
  function taskId(text: string, what: 'task' | 'workspace' = 'task'): TaskId {
    const found = resolveId(text, ledger.state.tasks.keys())
    if (found.kind === 'found') return found.id
    if (found.kind === 'not-found') throw new FailureError({ kind: 'not-found', what, id: text })
    throw new FailureError({ kind: 'ambiguous', what, id: text, candidates: found.candidates })
  }

  /** Throws FailureError where it is outside of the caller's scope (A5). */
  function inScope(asked: { taskId: string; requestingWorkspaceId?: TaskId }): TaskId {
    const id = taskId(asked.taskId)
    records.checkScope(id, asked.requestingWorkspaceId)
    return id
  }

  /** Only a person gives an agent more than its project has. */
  function refuseWiderMode(
    mode: PermissionMode | undefined,
    projectId: ProjectId,
    { grant }: CallContext,
  ): void {
    const isWider = mode !== undefined && isWiderMode(mode, permissions.modeOf(projectId))
    if (isWider && grant !== 'decide') refuseToDecide(deps.info())
  }

  return os.router({
    app: {
      info: os.app.info.handler(() => deps.info()),
      sandbox: os.app.sandbox.handler(() => workspaces.sandboxes.support()),
      pickFolder: os.app.pickFolder.handler(async () => ({ dir: await deps.pickFolder() })),
      openWindow: os.app.openWindow.handler(({ input }) => ({ opened: deps.openWindow(input) })),
    },
    projects: {
      list: os.projects.list.handler(() => ({ projects: projects.list() })),
      add: os.projects.add.handler(({ input }) => projects.add(input.dir)),
      remove: os.projects.remove.handler(async ({ input }) => {
        await projects.remove(input.projectId)
        return {}
      }),
      setup: os.projects.setup.handler(({ input }) => projects.setup(input.projectId)),
      setSandbox: os.projects.setSandbox.handler(async ({ input }) => {
        await projects.setSandbox(input.projectId, input.sandbox)
        return {}
      }),
      setEnvironment: os.projects.setEnvironment.handler(async ({ input }) => {
        await projects.setEnvironment(input.projectId, input.environment, input.shown)
        return {}
      }),
      trustSetup: os.projects.trustSetup.handler(async ({ input }) => {
        await projects.trustSetup(input.projectId, input.configSha256)
        return {}
      }),
      planning: os.projects.planning.handler(({ input }) =>
        deps.agentHistory.planning(input.projectId),
      ),
      makePlanning: os.projects.makePlanning.handler(async ({ input }) => {
        await deps.agentHistory.makePlanningFolder(input.projectId)
        return {}
      }),
      startDemo: os.projects.startDemo.handler(({ input }) => deps.demo.start(input.dir)),
    },
    tasks: {
      start: os.tasks.start.handler(async ({ input, context }) => {
        // Which of the person's variables an agent gets, they decide themselves (K2).
        const isLarger =
          input.budget !== undefined &&
          isWiderBudget(input.budget, deps.limitSettings.current().budget)
        if (
          (input.env?.length || isLarger || needsDecision(input.agent)) &&
          context.grant !== 'decide'
        )
          refuseToDecide(deps.info())
        refuseWiderMode(input.permissions, input.projectId, context)
        return { taskId: await tasks.start(input) }
      }),
      prompt: os.tasks.prompt.handler(async ({ input }) => {
        const { prompt, images } = input
        if (input.atNextTurn) await tasks.followUps.steer(input.taskId, prompt, images)
        else await tasks.followUps.prompt(input.taskId, prompt, images)
        return {}
      }),
      startWaiting: os.tasks.startWaiting.handler(async ({ input }) => {
        await tasks.followUps.startWaiting(taskId(input.taskId))
        return {}
      }),
      withdrawPrompt: os.tasks.withdrawPrompt.handler(async ({ input }) => {
        await tasks.followUps.withdraw(taskId(input.taskId), input.promptId)
        return {}
      }),
      stop: os.tasks.stop.handler(({ input }) =>
        tasks.stop(taskId(input.taskId), { kind: 'stopped', by: 'person' }),
      ),
      wrapUp: os.tasks.wrapUp.handler(({ input }) => tasks.wrapUp(taskId(input.taskId))),
      compact: os.tasks.compact.handler(({ input }) => tasks.compact(taskId(input.taskId))),
      wake: os.tasks.wake.handler(async ({ input }) => {
        await tasks.sleeping.wakeNow(taskId(input.taskId))
        return {}
      }),
      cancelSleep: os.tasks.cancelSleep.handler(async ({ input }) => {
        await tasks.sleeping.cancel(taskId(input.taskId))
        return {}
      }),
      setBudget: os.tasks.setBudget.handler(async ({ input }) => {
        await tasks.limits.setBudget(taskId(input.taskId), input.budget)
        return {}
      }),
      list: os.tasks.list.handler(({ input }) => ({ tasks: tasks.list(input) })),
      report: os.tasks.report.handler(({ input }) => tasks.report(taskId(input.taskId), input)),
      applyPatch: os.tasks.applyPatch.handler(({ input }) =>
        workspaces.apply(taskId(input.taskId), input.selection),
      ),
      undoApply: os.tasks.undoApply.handler(({ input }) =>
        workspaces.undoApply(taskId(input.taskId)),
      ),
      planResume: os.tasks.planResume.handler(async ({ input }) => ({
        candidates: await tasks.resuming.plan(input.selector),
      })),
      resume: os.tasks.resume.handler(({ input, context }) => {
        // What they had is not compared: only a person gives them another mode.
        if (input.permissions && context.grant !== 'decide') refuseToDecide(deps.info())
        return tasks.resuming.resume(input)
      }),
      resumeEnded: os.tasks.resumeEnded.handler(async ({ input }) => ({
        ended: await tasks.resuming.ended(input.taskIds),
      })),
      restart: os.tasks.restart.handler(({ input }) =>
        tasks.restarting.restart(taskId(input.taskId)),
      ),
      continueFrom: os.tasks.continueFrom.handler(async ({ input, context }) => {
        const from = taskId(input.taskId)
        const { projectId } = ledger.state.tasks.get(from) ?? {}
        if (projectId) refuseWiderMode(input.permissions, projectId, context)
        const isDecision = input.keyEnv !== undefined || (input.agent && needsDecision(input.agent))
        if (isDecision && context.grant !== 'decide') refuseToDecide(deps.info())
        return { taskId: await tasks.continueFrom(from, input) }
      }),
      setNextRun: os.tasks.setNextRun.handler(async ({ input }) => {
        await tasks.setNextRun(taskId(input.taskId), input)
        return {}
      }),
      abandon: os.tasks.abandon.handler(async ({ input }) => {
        await tasks.abandon(taskId(input.taskId), { kind: 'abandoned' })
        return {}
      }),
      changedFileDiff: os.tasks.changedFileDiff.handler(async ({ input }) => ({
        patch: await tasks.resuming.changedFileDiff(taskId(input.taskId), input),
      })),
      rename: os.tasks.rename.handler(async ({ input }) => {
        await tasks.rename(taskId(input.taskId), input.title)
        return {}
      }),
      linkPullRequest: os.tasks.linkPullRequest.handler(async ({ input, context }) => ({
        linked: await tasks.linkPullRequest(
          taskId(input.taskId),
          input.url,
          // A caller with no more than that grant may be a user's terminal or an agent's shell.
          context.grant === 'decide' ? 'person' : 'command',
        ),
      })),
      retry: os.tasks.retry.handler(async ({ input }) => {
        await tasks.retry(taskId(input.taskId))
        return {}
      }),
    },
    permissions: {
      list: os.permissions.list.handler(() => ({ questions: permissions.pending() })),
      answer: os.permissions.answer.handler(async ({ input }) => {
        await permissions.answer(input.id, input.decision)
        return {}
      }),
      settings: os.permissions.settings.handler(({ input }) => permissions.settings(input.scope)),
      setSettings: os.permissions.setSettings.handler(({ input }) =>
        permissions.setSettings(input.scope, input.settings, input.before),
      ),
    },
    limits: {
      settings: os.limits.settings.handler(() => deps.limitSettings.current()),
      setSettings: os.limits.setSettings.handler(async ({ input }) => {
        await deps.limitSettings.save(input)
        return {}
      }),
    },
    models: {
      providers: os.models.providers.handler(() => ({
        providers: models.providers.list(),
        ...models.providers.defaults(),
      })),
      saveProvider: os.models.saveProvider.handler(async ({ input: { key, ...entry } }) => {
        await models.providers.save(entry, key)
        return {}
      }),
      removeProvider: os.models.removeProvider.handler(async ({ input }) => {
        await models.providers.remove(input.name)
        return {}
      }),
      setDefaults: os.models.setDefaults.handler(async ({ input }) => {
        await models.providers.setDefaults(input)
        return {}
      }),
      list: os.models.list.handler(async ({ input }) => ({
        models: await models.list(input.provider),
      })),
      test: os.models.test.handler(({ input }) => models.test(input)),
    },
    agents: agentAnswers(os, deps.agents, ({ grant }) => {
      if (grant !== 'decide') refuseToDecide(deps.info())
    }),
    transcripts: {
      page: os.transcripts.page.handler(({ input }) => transcripts.page(inScope(input), input)),
      outline: os.transcripts.outline.handler(({ input }) =>
        transcripts.outline(inScope(input), input),
      ),
      timeline: os.transcripts.timeline.handler(({ input }) =>
        transcripts.timeline(inScope(input), input),
      ),
      stateAt: os.transcripts.stateAt.handler(({ input }) =>
        transcripts.stateAt(inScope(input), input.seq),
      ),
      value: os.transcripts.value.handler(({ input }) => transcripts.value(inScope(input), input)),
      find: os.transcripts.find.handler(({ input, signal }) =>
        withContractErrors('find', deps.finder.find(inScope(input), input, signal)),
      ),
      filter: os.transcripts.filter.handler(({ input, signal }) =>
        deps.finder.filter(inScope(input), input.filter, signal),
      ),
      entries: os.transcripts.entries.handler(({ input }) =>
        transcripts.entries(inScope(input), input.seqs),
      ),
      image: os.transcripts.image.handler(async ({ input }) => {
        const { mediaType, data } = await records.image(inScope(input), input.sha256)
        return { mediaType, data: Buffer.from(data).toString('base64') }
      }),
    },
    review: {
      authors: os.review.authors.handler(({ input }) =>
        deps.fileAuthors.authors(taskId(input.workspaceId, 'workspace'), input),
      ),
    },
    turnFiles: {
      folder: os.turnFiles.folder.handler(({ input }) => turnFiles.folder(inScope(input), input)),
      file: os.turnFiles.file.handler(({ input }) => turnFiles.file(inScope(input), input)),
      diff: os.turnFiles.diff.handler(({ input }) => turnFiles.diff(inScope(input), input)),
    },
    workspace: {
      getSubagentTranscript: os.workspace.getSubagentTranscript.handler(({ input }) => {
        const id = inScope(input)
        const at = input.last ? 'end' : { seq: input.fromSeq ?? 1 }
        return transcripts.page(id, { at, limit: input.limit, previews: false })
      }),
      readOutput: os.workspace.readOutput.handler(({ input }) =>
        records.outputPart(taskId(input.taskId), input),
      ),
      listTranscripts: os.workspace.listTranscripts.handler(async ({ input }) => ({
        transcripts: await records.listTranscripts(input),
      })),
      list: os.workspace.list.handler(async ({ input }) => ({
        workspaces: await workspaces.list(input.archived),
      })),
      remove: os.workspace.remove.handler(async ({ input }) => ({
        removed: await workspaces.remove(taskId(input.workspaceId, 'workspace'), {
          discardUnknownWorktree: input.discardUnknownWorktree,
        }),
      })),
      leftovers: os.workspace.leftovers.handler(async ({ input }) => ({
        leftovers: await workspaces.leftovers(taskId(input.workspaceId, 'workspace')),
      })),
      restore: os.workspace.restore.handler(({ input }) =>
        retention.restore(taskId(input.workspaceId, 'workspace')),
      ),
      trash: os.workspace.trash.handler(async ({ input }) => ({
        trashed: await workspaces.trash(taskId(input.workspaceId, 'workspace')),
      })),
      untrash: os.workspace.untrash.handler(async ({ input }) => {
        await workspaces.untrash(taskId(input.workspaceId, 'workspace'))
        return {}
      }),
      compareTarget: os.workspace.compareTarget.handler(({ input }) =>
        workspaces.compareTarget(taskId(input.workspaceId, 'workspace')),
      ),
      diff: os.workspace.diff.handler(({ input }) =>
        workspaces.diff(taskId(input.workspaceId, 'workspace'), input),
      ),
      findFiles: os.workspace.findFiles.handler(async ({ input }) => {
        const dir =
          'projectId' in input
            ? projects.known(input.projectId).dir
            : workspaces.folderOf(taskId(input.workspaceId, 'workspace'))
        return { files: await workspaces.findFiles(dir, input.query, input.limit) }
      }),
      openFolder: os.workspace.openFolder.handler(async ({ input }) => {
        await deps.openFolder(
          workspaces.folderOf(taskId(input.workspaceId, 'workspace')),
          input.with,
        )
        return {}
      }),
    },
    retention: {
      settings: os.retention.settings.handler(() => retention.settings()),
      setSettings: os.retention.setSettings.handler(({ input }) => retention.setSettings(input)),
      preview: os.retention.preview.handler(({ input }) => retention.preview(input.settings)),
      sweep: os.retention.sweep.handler(({ input }) => retention.sweep(input)),
      trash: os.retention.trash.handler(() => retention.trash()),
      openTrash: os.retention.openTrash.handler(async ({ input }) => {
        await deps.openFolder(await retention.trashFolderOf(input.name), 'file-manager')
        return {}
      }),
      restoreTrashed: os.retention.restoreTrashed.handler(({ input }) =>
        retention.restoreTrashed(input.names),
      ),
      deleteTrashed: os.retention.deleteTrashed.handler(({ input }) =>
        retention.deleteTrashed(input.names),
      ),
      deleteTranscripts: os.retention.deleteTranscripts.handler(({ input }) =>
        retention.deleteTranscripts(input.taskIds.map((id) => taskId(id))),
      ),
      receipts: os.retention.receipts.handler(() => retention.receipts()),
      receipt: os.retention.receipt.handler(({ input }) => retention.receipt(input.receiptId)),
      undo: os.retention.undo.handler(({ input }) =>
        retention.undo(input.receiptId, input.taskId ? taskId(input.taskId) : undefined),
      ),
      pin: os.retention.pin.handler(async ({ input }) => {
        await retention.pin(taskId(input.taskId), input.pinned)
        return {}
      }),
    },
    checks: { list: os.checks.list.handler(({ input }) => deps.checks.list(inScope(input))) },
    search: searchAnswers(os, deps.search),
    exports: {
      preview: os.exports.preview.handler(({ input: { taskId: text, ...request }, signal }) =>
        deps.exports.preview(taskId(text), request, signal),
      ),
      read: os.exports.read.handler(({ input: { taskId: text, ...request }, signal }) =>
        withContractErrors('export', deps.exports.read(taskId(text), request, signal)),
      ),
      importFile: os.exports.importFile.handler(async ({ input }) => ({
        sessions: await deps.imports.importFile(input.path),
      })),
    },
    imports: {
      scan: os.imports.scan.handler(async ({ input, signal }) => ({
        sources: await deps.imports.scan(input, signal),
      })),
      run: os.imports.run.handler(({ input, signal }) =>
        withContractErrors('import', deps.imports.run(input, signal)),
      ),
      details: os.imports.details.handler(async ({ input }) => ({
        details: await deps.imports.details(taskId(input.taskId)),
      })),
    },
    doctor: { check: os.doctor.check.handler(({ input }) => deps.doctor.check(input)) },
    feed: {
      sessions: os.feed.sessions.handler(({ signal }) =>
        withContractErrors('sessions', sessionsFeed({ sessions, ledger }, signal)),
      ),
      ledger: os.feed.ledger.handler(({ lastEventId, signal }) =>
        withContractErrors(
          'ledger',
          ledgerFeed(
            { ledger, activity: tasks.activity, usage: tasks.limits.usage },
            lastEventId,
            signal,
          ),
        ),
      ),
      permissions: os.feed.permissions.handler(({ signal }) =>
        withContractErrors('permissions', permissionsFeed(permissions, signal)),
      ),
      session: os.feed.session.handler(({ input, lastEventId, signal }) =>
        withContractErrors(
          'session',
          sessionFeed(
            { sessions, records },
            taskId(input.workspaceId, 'workspace'),
            lastEventId,
            signal,
          ),
        ),
      ),
      resumePlan: os.feed.resumePlan.handler(({ input }) =>
        withContractErrors('resumePlan', tasks.resuming.planned(input.selector)),
      ),
    },
  })
}

/**
 * Which variable holds a key (K2), a command, which runs without a question, and the mode of an agent, in which it may
 * do more than others, are decided by the user.
 */
const needsDecision = (agent: AgentChoice): boolean =>
  (agent.kind === 'model' && agent.keyEnv !== undefined) ||
  (agent.kind === 'acp' &&
    (agent.command !== undefined || agent.mode !== undefined || agent.options !== undefined))

/** The same contract without a wire: for the command line, which runs in this process. */
export function createInProcessClient(router: ShiplogRouter): ShiplogClient {
  // The user's own command: the user made its decisions.
  return createRouterClient(router, { context: { grant: 'decide' } satisfies CallContext })
}
