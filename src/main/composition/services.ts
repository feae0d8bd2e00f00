/** Creates the services of a data directory, and connects them with each other. */

import { randomUUID } from 'node:crypto'
import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import { openAgentStore } from '../agents/acp/installed/agent-store.ts'
import { createFindProgram, type FindProgram } from '../agents/acp/process/find-program.ts'
import { isPriceKnown } from '../agents/model/price-known.ts'
import { createModelSettings } from '../agents/providers/model-settings.ts'
import { demoContent } from '../agents/scripted/demo/index.ts'
import { createDiscardUnfinished } from '../agents/tools/files/discard-unfinished.ts'
import { createToolRunner } from '../agents/tools/tool-runner.ts'
import { createDoctor } from '../doctor/doctor.ts'
import { shellGitEnvironment } from '../git/index.ts'
import { createReportedCommits } from '../imports/reported-commits.ts'
import { createSessionImports } from '../imports/session-imports.ts'
import { openWatchedImport } from '../imports/watch/watched-import.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createOpenedLogs } from '../opened-logs/opened-logs.ts'
import { type Custody, createCustody } from '../processes/custody.ts'
import { ownIdentity } from '../processes/identity.ts'
import { systemSandbox } from '../processes/sandbox/index.ts'
import { createGithubCli } from '../publish/github-cli.ts'
import { createPublishService } from '../publish/publish-service.ts'
import { createRouter, type ShiplogRouter } from '../rpc/router.ts'
import { createRunRegistry } from '../runs/run-registry.ts'
import { openFolder } from '../system/open-folder.ts'
import { createDemo } from '../tasks/demo.ts'
import {
  createDrift,
  createFindObstacle,
  createRestoreWorkingDir,
  needsRestore,
} from '../tasks/drift/index.ts'
import { openLimitSettings } from '../tasks/limits/settings.ts'
import { createRunStopper } from '../tasks/run-stopper.ts'
import { createTaskService, type TaskService } from '../tasks/task-service.ts'
import { createTurnStore, type TurnStore } from '../turn-store/turn-store.ts'
import { createWorkspaceService, type WorkspaceService } from '../workspaces/workspace-service.ts'
import { openAgentHistory } from './agent-history.ts'
import { createDrivers, installedAgents, openPermissions, recordForAgents } from './agents.ts'
import { createAppInfo } from './app-info.ts'
import { createFoundation, type Foundation } from './foundation.ts'
import type { ServicesOptions } from './options.ts'
import { createReaders } from './reading.ts'
import { openRetention } from './retention.ts'

export type Services = Awaited<ReturnType<typeof createServices>>

export async function createServices(ledger: Ledger, options: ServicesOptions) {
  const { host, pickFolder, openWindow, agentsAtOnce, notices, secrets, log } = options
  const { canAsk = () => host !== 'cli' } = options
  const common = createFoundation(ledger, options)
  const { git, layout, sessions, clock } = common
  const runs = createRunRegistry()
  const stopper = createRunStopper({ ledger, runs })
  const custody = createCustody(layout.running, secrets.text)
  const turnStore = createTurnStore(common)
  const discardUnfinished = createDiscardUnfinished()
  const workspaces = createWorkspaceService({
    ...common,
    custody,
    turnStore,
    stopper,
    onSettled: notices.settled,
    onRolledForward: notices.rolledForward,
    onProjectNotice: notices.project,
    onWarning: notices.warning,
    secrets,
    hostEnv: process.env,
    shellGit: shellGitEnvironment({ ceilings: [layout.dataDir] }),
    findSandbox: options.findSandbox ?? systemSandbox,
  })
  for (const { id } of workspaces.projects.list()) await workspaces.environments.learn(id)
  const permissions = await openPermissions(common, { workspaces, canAsk, notices })
  const models = await createModelSettings({
    files: layout,
    keychain: options.keychain ?? null,
    env: process.env,
    usesEnvironment: host === 'cli',
    mask: secrets.text,
    learn: secrets.learn,
    onWarning: notices.warning,
  })
  const find = createFindProgram()
  const agentStore = await openAgentStore(layout.installedAgents)
  const limitSettings = await openLimitSettings(layout.limits, notices.warning)
  const opened = createOpenedLogs({
    dir: layout.openedLogs,
    openHost: options.openAnother,
    newId: randomUUID,
  })
  const sessionImports = createSessionImports({
    ledger,
    layout,
    clock,
    oneAtATime: createKeyedMutex(),
    transcriptFile: workspaces.records.transcriptFile,
  })
  const watchedImport = await openWatchedImport({
    path: layout.imports,
    watch: sessionImports.watch,
    clock,
    onLost: notices.warning,
  })
  const readers = createReaders(common, { workspaces, turnStore, secrets })
  const tasks = createTaskService({
    ...common,
    editedFiles: ({ id }) => sessionImports.editedFiles(id),
    canAskForBudget: () => canAsk(),
    hasPrice: isPriceKnown,
    defaultLimits: limitSettings.current,
    onNotice: notices.warning,
    turnStore,
    workspaces,
    runs,
    drivers: createDrivers(common, { models, secrets, notices, custody, find, agentStore }),
    runTool: createToolRunner({
      custody,
      dataDir: layout.dataDir,
      filesOfGit: (dir, { signal }) => git.listFiles(dir, { signal, withDeleted: true }),
      record: recordForAgents(ledger, () => router),
    }),
    discardUnfinished,
    permissions,
    custody,
    secrets,
    process: await ownIdentity(),
    drift: driftOf(common, workspaces, turnStore),
    agentsAtOnce,
  })
  const doctor = createDoctor({
    ...common,
    turnStore,
    workspaces,
    running: tasks.running,
    healed: notices.startRepairs,
  })
  const retention = await openRetention(common, { workspaces, notices })
  const history = openAgentHistory(common, { workspaces, notices })
  const agents = installedAgents(common, { agentStore, find, custody, workspaces, notices })
  const router: ShiplogRouter = createRouter({
    agentHistory: history,
    ledger,
    sessions,
    tasks,
    ...readers,
    publish: publishing(common, { workspaces, tasks, custody, find }),
    workspaces,
    demo: createDemo({
      content: demoContent,
      git,
      layout,
      workspaces,
      tasks,
      obstacle: async (id) => (await agents.list()).find((one) => one.id === id)?.why ?? null,
    }),
    permissions,
    limitSettings,
    agents,
    models,
    retention,
    imports: {
      ...sessionImports,
      watched: watchedImport,
      ...createReportedCommits({
        state: ledger.state,
        readReports: (dir, signal) => git.commitReports({ dir, signal }),
      }),
    },
    opened,
    doctor: {
      // Waits for a running sweep, because a file being moved would appear missing.
      check: (request) => retention.settled().then(() => doctor.check(request)),
    },
    info: createAppInfo(options, models.availability),
    log,
    pickFolder: pickFolder ?? (async () => null),
    openWindow(place) {
      openWindow?.(place)
      return openWindow !== undefined
    },
    openFolder,
  })

  return {
    ...common,
    router,
    workspaces,
    tasks,
    doctor,
    retention,
    history,
    search: readers.search,
    finder: readers.finder,
    turnStore,
    discardUnfinished,
    opened,
    watchedImport,
  }
}

function driftOf(
  { ledger: { state }, git }: Foundation,
  { records, workingDirs }: WorkspaceService,
  turnStore: TurnStore,
): Parameters<typeof createTaskService>[0]['drift'] {
  const deps = { state, git, records, workingDirs, turnStore }
  return {
    find: createDrift(deps),
    obstacle: createFindObstacle(deps),
    restore: createRestoreWorkingDir(deps),
    needsRestore: (task) => needsRestore(deps, task),
  }
}

function publishing(
  { ledger, git }: Foundation,
  deps: { workspaces: WorkspaceService; tasks: TaskService; custody: Custody; find: FindProgram },
) {
  const { workspaces, tasks, custody, find } = deps
  return createPublishService({
    tasks: ledger.state.tasks,
    git,
    exclusively: workspaces.exclusively,
    gh: createGithubCli({
      custody,
      hostEnv: process.env,
      find: () => find('gh', process.env.PATH ?? ''),
    }),
    linkPullRequest: (taskId, url) => tasks.linkPullRequest(taskId, url, 'person'),
  })
}
