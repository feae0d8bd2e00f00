/** Creates the services of a data directory, and connects them with each other. */

import type { AskedQuestion } from '../shared/agents/permissions.ts'
import type { AppInfo, LeaseInfo } from '../shared/contract/app.ts'
import { createKeyedMutex } from '../shared/keyed-mutex.ts'
import { clockAhead } from '../shared/projections/ledger/ledger-clock.ts'
import { createAllowConfiguration } from './agents/acp/configuration/allow-configuration.ts'
import { createAcpDriver } from './agents/acp/driver.ts'
import { createFindProgram, type FindProgram } from './agents/acp/find-program.ts'
import {
  type AgentStore,
  agentSettingsOf,
  openAgentStore,
} from './agents/acp/installed/agent-store.ts'
import { createInstalledAgents } from './agents/acp/installed/installed-agents.ts'
import { createToolServers } from './agents/acp/mcp/tool-servers.ts'
import { createOpenTaskTools, offeredPresets } from './agents/acp/task-tools.ts'
import { builtInSource } from './agents/definitions/definition.ts'
import { createDefinitions } from './agents/definitions/index.ts'
import { createModelDriver } from './agents/model/driver.ts'
import type { ProjectFacts } from './agents/model/instructions.ts'
import { isPriceKnown } from './agents/model/price-known.ts'
import { createPermissions } from './agents/permissions/permissions.ts'
import { openPermissionStore } from './agents/permissions/store.ts'
import type { Keychain } from './agents/providers/key-store.ts'
import { createModelSettings } from './agents/providers/model-settings.ts'
import { demoContent } from './agents/scripted/demo/index.ts'
import { createScriptedDriver } from './agents/scripted/driver.ts'
import { createDiscardUnfinished } from './agents/tools/files/discard-unfinished.ts'
import { createFilesInside } from './agents/tools/inside/index.ts'
import { createToolRunner } from './agents/tools/tool-runner.ts'
import { createTranscripts } from './archive/transcripts.ts'
import { createTurnFiles } from './archive/turn-files.ts'
import { createChecks } from './checks/checks.ts'
import { createDoctor } from './doctor/doctor.ts'
import { createDiskSource } from './export/disk-source.ts'
import { createExportService } from './export/export-service.ts'
import { createGit, type Git, shellGitEnvironment } from './git/index.ts'
import { recordAnswer } from './hosts/mcp/record-tools.ts'
import { createImportService } from './imports/import-service.ts'
import { createSessionImports } from './imports/session-imports.ts'
import type { Lease } from './lease/held-lease.ts'
import type { LeaseHolder } from './lease/lease-holder.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Log } from './log/log.ts'
import type { Notices } from './notices.ts'
import { openFolder } from './open-folder.ts'
import { openTerminal } from './open-terminal.ts'
import { type Custody, createCustody } from './processes/custody.ts'
import { ownIdentity } from './processes/identity.ts'
import { type Sandbox, systemSandbox } from './processes/sandbox/index.ts'
import { formatSweep } from './retention/format-sweep.ts'
import { createRetention } from './retention/retention.ts'
import { settingsFromEnvironment } from './retention/settings.ts'
import { createFileAuthors } from './review/file-authors.ts'
import { createInProcessClient, createRouter, type ShiplogRouter } from './rpc/router.ts'
import { createRunRegistry } from './runs/run-registry.ts'
import { createSearchService } from './search/search-service.ts'
import { createTranscriptFinder } from './search/transcript-finder.ts'
import { agentEnvironment, isSecret } from './secrets/agent-environment.ts'
import { maskEntry } from './secrets/mask-records.ts'
import type { LearningMasker } from './secrets/masker.ts'
import { layoutOf } from './sessions/session-files.ts'
import { createSessions } from './sessions/sessions.ts'
import { createAgentHistory } from './tasks/agent-history/agent-history.ts'
import { createDemo } from './tasks/demo.ts'
import { createDrift, createFindObstacle, createRestoreWorkingDir } from './tasks/drift/index.ts'
import { openLimitSettings } from './tasks/limits/settings.ts'
import { createRunStopper } from './tasks/run-stopper.ts'
import { createTaskService } from './tasks/task-service.ts'
import { createStoresOf } from './turn-store/places.ts'
import { createTurnStore } from './turn-store/turn-store.ts'
import { version } from './version.ts'
import { createAllowedConfiguration } from './workspaces/allowed-configuration.ts'
import { createWorkspaceService } from './workspaces/workspace-service.ts'
import { ownerOfWorktree } from './workspaces/worktree-roots.ts'

export interface OpenShiplogOptions {
  dataDir: string
  host: 'desktop' | 'web' | 'cli'
  /** Where this process can be reached; what lease.json names. */
  endpoint?: string | null
  /** The system's folder dialog, where the host has one. */
  pickFolder?: () => Promise<string | null>
  /** Opens a transcript in a window of its own, where the host has windows. */
  openWindow?: (place: { taskId: string; seq?: number | undefined }) => void
  agentsAtOnce?: number
  /** What encrypts keys of providers with one of the system's. Without it they are in a file of this user's. */
  keychain?: Keychain
  /** Whether a person can be asked, for a permission or more budget; without it, by the app and not by a command. */
  canAsk?: (question?: AskedQuestion) => boolean
  /** Sandboxes for commands; the system's own unless given. */
  findSandbox?: () => Promise<Sandbox>
  /** Whether expired transcripts go to the trash once it is open; without it, by the app and not by a command. */
  sweepAtStart?: boolean
}

/** What is opened before the services. */
interface OpenedFirst {
  lease: Lease
  notices: Notices
  secrets: LearningMasker
  log: Log
}

export type ServicesOptions = OpenShiplogOptions & OpenedFirst

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
    stopper,
    onSettled: notices.settled,
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
  const tasks = createTaskService({
    ...common,
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
      filesOfGit: (dir, { signal }) => git.listFiles(dir, { signal, withDeleted: true }),
      record: {
        isOffered: (taskId) => {
          const root = ledger.state.tasks.get(ledger.state.tasks.get(taskId)?.rootId ?? taskId)
          return root?.options.readsRecord ?? false
        },
        answer: (name, input, { taskId, signal }) =>
          recordAnswer(name, input, {
            client: createInProcessClient(router),
            scope: taskId,
            signal,
          }),
      },
    }),
    discardUnfinished,
    permissions,
    custody,
    secrets,
    process: await ownIdentity(),
    drift: {
      find: createDrift({ state: ledger.state, git, records: workspaces.records }),
      obstacle: createFindObstacle({
        state: ledger.state,
        git,
        workingDirs: workspaces.workingDirs,
      }),
      restore: createRestoreWorkingDir({
        state: ledger.state,
        git,
        records: workspaces.records,
        workingDirs: workspaces.workingDirs,
        turnStore,
      }),
    },
    agentsAtOnce,
  })
  const info = (): AppInfo => ({
    version,
    dataDir: options.dataDir,
    host,
    platform: process.platform,
    canPickFolder: pickFolder !== undefined,
    lease: leaseInfo(options.lease.holder),
    notices: secrets.value(notices.list()),
    logFile: log.file,
    agents: [
      { kind: 'scripted', name: 'Scenario', available: true, why: null },
      { kind: 'model', name: 'Model', ...models.availability() },
    ],
  })
  const doctor = createDoctor({
    ...common,
    turnStore,
    workspaces,
    running: tasks.running,
    healed: notices.putRight,
  })
  const retention = await openRetention(common, { workspaces, notices })
  const history = createHistory(common, { workspaces, notices })
  const archive = workspaces.records
  const search = createSearchService({ ...common, archive, file: layout.searchIndex })
  const finder = createTranscriptFinder({ archive, indexFile: layout.searchIndex })
  const transcripts = createTranscripts(workspaces.records)
  const exports = createExportService({
    source: createDiskSource({ state: ledger.state, archive }),
    turns: transcripts.rangeOfTurns,
    maskKnown: secrets.text,
    version,
    clock,
  })
  const importsOneAtATime = createKeyedMutex()
  const router: ShiplogRouter = createRouter({
    agentHistory: history,
    ledger,
    sessions,
    tasks,
    transcripts,
    checks: createChecks({ state: ledger.state, archive, turnStore }),
    fileAuthors: createFileAuthors({
      ...{ state: ledger.state, archive, turnStore },
      diff: workspaces.diff,
    }),
    turnFiles: createTurnFiles({ state: ledger.state, archive, turnStore, git }),
    workspaces,
    demo: createDemo({ content: demoContent, git, layout, workspaces, tasks }),
    permissions,
    limitSettings,
    agents: createInstalledAgents({
      ...{ store: agentStore, find, custody, version, now: clock, hostEnv: process.env, isSecret },
      environment: (passes) => agentEnvironment(process.env, { allowed: passes, only: null }).env,
      openTerminal: (command) =>
        openTerminal(command, {
          find: async (program) => (await find(program, process.env.PATH ?? ''))?.file ?? null,
        }),
      onWarning: notices.warning,
    }),
    models,
    retention,
    search,
    finder,
    exports,
    imports: {
      ...createImportService({ ledger, layout, archive, oneAtATime: importsOneAtATime }),
      ...createSessionImports({ ledger, layout, clock, oneAtATime: importsOneAtATime }),
    },
    doctor: {
      // What is on its way to the trash is neither here nor there.
      check: (request) => retention.settled().then(() => doctor.check(request)),
    },
    info,
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
    search,
    finder,
    turnStore,
    discardUnfinished,
  }
}

type Foundation = ReturnType<typeof createFoundation>

/** What every service is built on: the ledger, Git, the sessions and where they are. */
function createFoundation(
  ledger: Ledger,
  { dataDir, notices, secrets, log, lease }: ServicesOptions,
) {
  const clock = Date.now
  const onIgnored = (what: string, error: unknown) => log.warning('ignored', { what, error })
  const layout = layoutOf(dataDir)
  const git = createGit({
    ceilings: [layout.dataDir],
    storesOf: createStoresOf(ledger.state, layout),
    isAllowed: (sha256) =>
      [...ledger.state.projects.values()].some((project) => project.gitConfigSha256 === sha256),
    isClockTrusted: () => clockAhead(ledger.state.clock, clock()) === null,
    worktrees: {
      dir: layout.worktrees,
      ownerOf: (root) => ownerOfWorktree(ledger.state.tasks.values(), root),
      onRepaired: (root) =>
        notices.warning(
          `Git’s own files of the worktree ${root} were gone or damaged, and were written again.`,
        ),
    },
  })
  const sessions = createSessions({
    onOpened: ({ id, healed, damage }) => {
      const title = ledger.state.tasks.get(id)?.title ?? id
      notices.sessionOpened({ id, title, healed, damage })
    },
    onListenerError: notices.listenerFailed,
    prepare: (entry) => maskEntry(secrets, entry),
    isDisplaced: lease.isLost,
    onIgnored,
  })
  return { ledger, git, layout, sessions, clock, onProblem: notices.problem, onIgnored }
}

type Workspaces = ReturnType<typeof createWorkspaceService>

async function openPermissions(
  { ledger, layout, clock }: Foundation,
  deps: {
    workspaces: Workspaces
    canAsk: NonNullable<OpenShiplogOptions['canAsk']>
    notices: Notices
  },
) {
  const { workspaces, canAsk, notices } = deps
  return createPermissions({
    store: await openPermissionStore(layout.permissions),
    clock,
    canAsk,
    taskOf: (taskId) => ledger.state.tasks.get(taskId),
    projectOf: workspaces.projects.known,
    setUpOf: async (projectId) => {
      if (!workspaces.projects.known(projectId).git) return null
      // A configuration that can't be used makes no worktree; making one reports why.
      const found = await workspaces.projects.setup(projectId).catch(() => null)
      return found?.setup ?? null
    },
    onWarning: notices.warning,
  })
}

function createDrivers(
  { git, ledger }: Foundation,
  deps: {
    models: Awaited<ReturnType<typeof createModelSettings>>
    secrets: LearningMasker
    notices: Notices
    custody: Custody
    find: FindProgram
    agentStore: AgentStore
  },
) {
  const { models, secrets, notices, custody, find, agentStore } = deps
  const isInstalled = async (command: string) =>
    (await find(command, process.env.PATH ?? '')) !== null
  const definitions = createDefinitions({
    ...{ inside: createFilesInside(), mask: secrets, onNotice: notices.warning },
    ...{ resolveModel: models.providers.resolve, isSetUp: async () => true },
    subAgentModel: () => null,
  })
  const model = createModelDriver({
    access: { keys: models.providers, contextWindow: models.contextWindow },
    resolve: models.providers.resolve,
    providerNames: () => models.providers.list().map(({ name }) => name),
    subAgentModel: () => models.providers.defaults().subAgentModel,
    otherAgents: () => offeredPresets(isInstalled),
    facts: (cwd, signal) => projectFacts(git, cwd, signal),
    mask: secrets,
    onNotice: notices.warning,
  })
  return {
    scripted: createScriptedDriver(secrets),
    model,
    acp: createAcpDriver({
      ...{ custody, version, find, hostEnv: process.env, definitions },
      settings: agentSettingsOf(agentStore),
      allowConfiguration: createAllowConfiguration({
        allowed: createAllowedConfiguration(ledger),
        listFiles: async (dir) => (await git.listFiles(dir, {})) ?? [],
        isSecret,
      }),
      openTools: createOpenTaskTools({
        servers: createToolServers({ version }),
        ...{ definitions, isInstalled },
      }),
      async onModel({ name, model: own, source }, dir) {
        const named =
          own ?? (source === builtInSource ? models.providers.defaults().subAgentModel : null)
        if (named === null) return null
        const prepared = await model.prepare({ kind: 'model', model: named, agent: name }, dir)
        const { state } = await model.check(prepared.spec, {
          read: async (file) => prepared.files.find((one) => one.name === file)?.text ?? '',
        })
        return state === 'ready' ? prepared : null
      },
      onNotice: notices.warning,
    }),
  }
}

async function openRetention(
  common: Foundation,
  { workspaces, notices }: { workspaces: Workspaces; notices: Notices },
) {
  const retention = await createRetention({
    ...common,
    override: settingsFromEnvironment(process.env),
    workspaces,
    onSwept: (sweep) =>
      notices.swept(
        formatSweep(sweep, retention.settings()),
        sweep.removed.some((item) => item.kind === 'transcript')
          ? (sweep.receipt ?? undefined)
          : undefined,
      ),
    onUndone: notices.withdraw,
    onSettingsLost: notices.settingsLost,
    onClockAhead: notices.clockAhead,
    onClockConfirmed: notices.clockConfirmed,
  })
  return retention
}

function createHistory(
  common: Foundation,
  { workspaces, notices }: { workspaces: Workspaces; notices: Notices },
) {
  return createAgentHistory({
    ...common,
    changedPaths: async ({ id }) => (await workspaces.diff(id)).files.map(({ path }) => path),
    reportedResults: async ({ id, trashed }) => {
      if (trashed) return null
      const found = await workspaces.records.findReport(id)
      return found.kind === 'found' ? found.taskResults : null
    },
    onNotice: notices.warning,
  })
}

async function projectFacts(git: Git, cwd: string, signal: AbortSignal): Promise<ProjectFacts> {
  if (!(await git.isInRepository(cwd))) return { branch: null, isClean: null, files: null }
  const [branch, isClean, files] = await Promise.all([
    git.currentBranch(cwd, { signal }),
    git.isClean(cwd, { signal }),
    git.listFiles(cwd, { signal }),
  ])
  return { branch, isClean, files }
}

const leaseInfo = ({ pid, host, hostName, endpoint, acquiredAt }: LeaseHolder): LeaseInfo => ({
  pid,
  host,
  hostName,
  endpoint: endpoint !== null,
  since: new Date(acquiredAt).toISOString(),
})
