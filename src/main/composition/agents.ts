/** Creates the drivers of all agent kinds and their permissions. */

import { createAllowConfiguration } from '../agents/acp/configuration/allow-configuration.ts'
import { createProjectConfiguration } from '../agents/acp/configuration/project-configuration.ts'
import { createAcpDriver } from '../agents/acp/driver.ts'
import { type AgentStore, agentSettingsOf } from '../agents/acp/installed/agent-store.ts'
import { createInstalledAgents } from '../agents/acp/installed/installed-agents.ts'
import type { ToolServers } from '../agents/acp/mcp/tool-servers.ts'
import type { FindProgram } from '../agents/acp/process/find-program.ts'
import { createOpenTaskTools, offeredPresets } from '../agents/acp/task-tools.ts'
import { builtInSource } from '../agents/definitions/definition.ts'
import { createDefinitions } from '../agents/definitions/index.ts'
import { createModelDriver } from '../agents/model/driver.ts'
import type { ProjectFacts } from '../agents/model/instructions.ts'
import { createPermissions } from '../agents/permissions/permissions.ts'
import { openPermissionStore } from '../agents/permissions/store.ts'
import type { createModelSettings } from '../agents/providers/model-settings.ts'
import { createScriptedDriver } from '../agents/scripted/driver.ts'
import { createFilesInside } from '../agents/tools/inside/index.ts'
import type { RecordReader } from '../agents/tools/record-tools.ts'
import { toolShell } from '../agents/tools/shell/shell-program.ts'
import { type Git, isRepository } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Custody } from '../processes/custody.ts'
import { recordAnswer } from '../record-tools/record-tools.ts'
import { createInProcessClient, type ShiplogRouter } from '../rpc/router.ts'
import { agentEnvironment, isSecret } from '../secrets/agent-environment.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import { openTerminal } from '../system/open-terminal.ts'
import { version } from '../version.ts'
import { createAllowedConfiguration } from '../workspaces/allowed-configuration.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { Foundation } from './foundation.ts'
import type { Notices } from './notices.ts'
import type { OpenShiplogOptions } from './options.ts'

export async function openPermissions(
  { ledger, layout, clock }: Foundation,
  deps: {
    workspaces: WorkspaceService
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
      // Without a usable configuration no worktree is created; creating one reports the reason.
      const found = await workspaces.projects.setup(projectId).catch(() => null)
      return found?.setup ?? null
    },
    shell: toolShell,
    dataDir: layout.dataDir,
    onWarning: notices.warning,
  })
}

export function createDrivers(
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
    inside: createFilesInside(),
    mask: secrets,
    onNotice: notices.warning,
    resolveModel: models.providers.resolve,
    isSetUp: async () => true,
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
      mask: secrets,
      custody,
      version,
      find,
      hostEnv: process.env,
      definitions,
      settings: agentSettingsOf(agentStore),
      allowConfiguration: createAllowConfiguration({
        allowedIn: createAllowedConfiguration(ledger).ofTask,
        ...configurationReading(git),
      }),
      openTools: createOpenTaskTools({
        servers: toolServers(),
        definitions,
        isInstalled,
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

/** Loaded with the first installed agent that runs, because the MCP server takes 40 MB of memory. */
function toolServers(): ToolServers {
  let servers: Promise<ToolServers> | null = null
  const load = async () =>
    (await import('../agents/acp/mcp/tool-servers.ts')).createToolServers({ version })
  return {
    async open(offer) {
      servers ??= load()
      return (await servers).open(offer)
    },
  }
}

const configurationReading = (git: Git) => ({
  listFiles: async (dir: string) => (await git.listFiles(dir, {})) ?? [],
  isRepository,
  isSecret,
})

/** Creates the service that finds, checks and sets up the installed agents of this machine. */
export function installedAgents(
  { git, ledger, clock, layout }: Foundation,
  deps: {
    agentStore: AgentStore
    find: FindProgram
    custody: Custody
    workspaces: WorkspaceService
    notices: Notices
  },
) {
  const { agentStore, find, custody, workspaces, notices } = deps
  const hostEnv = process.env
  const onPath = (program: string) => find(program, hostEnv.PATH ?? '')
  const agents = createInstalledAgents({
    store: agentStore,
    find,
    custody,
    scratchParent: layout.scratch,
    version,
    now: clock,
    hostEnv,
    isSecret,
    environment: (passes) =>
      agentEnvironment(hostEnv, { allowed: passes(hostEnv), only: null }).env,
    openTerminal: (command) =>
      openTerminal(command, { find: async (program) => (await onPath(program))?.file ?? null }),
    onWarning: notices.warning,
  })
  const configuration = createProjectConfiguration({
    ...configurationReading(git),
    agentOf: agents.agentOf,
    dirOf: (projectId) => workspaces.projects.known(projectId).dir,
    allowedIn: createAllowedConfiguration(ledger).inProject,
  })
  return { ...agents, configuration }
}

/** The log reader for trees with that permission. `router` is called only after the services are connected. */
export const recordForAgents = (ledger: Ledger, router: () => ShiplogRouter): RecordReader => ({
  isOffered: (taskId) => {
    const { tasks } = ledger.state
    return tasks.get(tasks.get(taskId)?.rootId ?? taskId)?.options.readsRecord ?? false
  },
  answer: (name, input, { taskId, signal }) =>
    recordAnswer(name, input, { client: createInProcessClient(router()), scope: taskId, signal }),
})

async function projectFacts(git: Git, cwd: string, signal: AbortSignal): Promise<ProjectFacts> {
  if (!(await git.isInRepository(cwd)))
    return { branch: null, isClean: null, files: null, topLevel: null }
  const [branch, isClean, files, topLevel] = await Promise.all([
    git.currentBranch(cwd, { signal }),
    git.isClean(cwd, { signal }),
    git.listFiles(cwd, { signal }),
    git.topLevel(cwd, { signal }),
  ])
  return { branch, isClean, files, topLevel }
}
