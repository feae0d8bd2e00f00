/** The contract's answers about the app and its projects. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import type { TaskId } from '../../../src/shared/ids.ts'
import type { Happenings } from './happenings.ts'
import { type Memory, startedAt } from './memory.ts'

const os = implement(contract)

export function appAnswers({ endpoints }: Memory) {
  return {
    info: os.app.info.handler(() => ({
      version: '0.0.0',
      dataDir: '/data',
      host: 'cli' as const,
      platform: 'linux',
      canPickFolder: false,
      lease: {
        pid: 4711,
        host: 'cli' as const,
        hostName: 'here',
        endpoint: endpoints.at(-1) != null,
        since: new Date(startedAt).toISOString(),
      },
      notices: [],
      logFile: '/data/logs/shiplog.log',
      agents: [{ kind: 'scripted' as const, name: 'Scripted agent', available: true, why: null }],
    })),
    pickFolder: os.app.pickFolder.handler(() => ({ dir: null })),
  }
}

export function projectAnswers(deps: {
  memory: Memory
  happenings: Happenings
  begin: (rootId: TaskId) => void
}) {
  const { state, setups, record, project } = deps.memory
  const { addProject, createTask } = deps.happenings
  const { begin } = deps
  return {
    list: os.projects.list.handler(() => ({ projects: [...state.projects.values()] })),
    add: os.projects.add.handler(({ input, errors }) => {
      const known = [...state.projects.values()].find((one) => one.dir === input.dir)
      if (known) return known
      if (input.dir.includes('missing')) {
        throw errors.INVALID({
          message: `${input.dir} does not exist. Give the path of a folder.`,
          data: { field: 'dir' },
        })
      }
      const id = addProject(input.dir, !input.dir.includes('plain'))
      if (input.dir.includes('with-setup'))
        setups.set(id, { setup: deps.memory.brought.setup, sha256: 'a1' })
      return project(id)
    }),
    remove: os.projects.remove.handler(({ input }) => {
      record({ type: 'project.removed', projectId: input.projectId })
      return {}
    }),
    setup: os.projects.setup.handler(({ input }) => {
      const config = setups.get(input.projectId)
      return {
        setup: config?.setup ?? null,
        copy: config ? deps.memory.brought.copy : [],
        env: [],
        git: null,
        configSha256: config?.sha256 ?? null,
        trusted: !config || state.trustedSetups.get(input.projectId) === config.sha256,
      }
    }),
    setEnvironment: os.projects.setEnvironment.handler(({ input }) => {
      record({ type: 'project.environment-set', ...input })
      return {}
    }),
    trustSetup: os.projects.trustSetup.handler(({ input }) => {
      record({ type: 'project.setup-trusted', ...input })
      return {}
    }),
    planning: os.projects.planning.handler(() => ({
      dir: '/code/api/.planning',
      state: 'missing' as const,
    })),
    makePlanning: os.projects.makePlanning.handler(() => ({})),
    startDemo: os.projects.startDemo.handler(({ input }) => {
      const projectId = addProject(input.dir ?? '/data/demo')
      const taskId = createTask({ projectId, title: 'Demo' })
      begin(taskId)
      return { project: project(projectId), taskId }
    }),
  }
}
