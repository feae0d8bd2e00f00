/** The contract's answers about the app and its projects. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import type { Happenings } from './happenings.ts'
import { dataDir, type Memory } from './memory.ts'

const os = implement(contract)

export function appAnswers() {
  return {
    info: os.app.info.handler(() => ({
      version: '0.1.0',
      dataDir,
      host: 'web' as const,
      platform: 'linux',
      canPickFolder: false,
      lease: {
        pid: 4711,
        host: 'web' as const,
        hostName: 'here',
        endpoint: true,
        since: '2026-11-21T08:00:00.000Z',
      },
      notices: [],
      logFile: '/data/logs/shiplog.log',
      agents: [{ kind: 'scripted' as const, name: 'Scenario file', available: true, why: null }],
    })),
    pickFolder: os.app.pickFolder.handler(() => ({ dir: null })),
  }
}

export function projectAnswers(deps: { memory: Memory; happenings: Happenings }) {
  const { ledger, record } = deps.memory
  const { project, start } = deps.happenings
  return {
    list: os.projects.list.handler(() => ({ projects: [...ledger.projects.values()] })),
    add: os.projects.add.handler(({ input, errors }) => {
      if (input.dir.includes('missing'))
        throw errors.INVALID({
          message: `${input.dir} is not a directory. Give the folder of a project.`,
          data: { field: 'dir' },
        })
      return project(input.dir, !input.dir.includes('plain'))
    }),
    remove: os.projects.remove.handler(({ input }) => {
      record({ type: 'project.removed', projectId: input.projectId })
      return {}
    }),
    setup: os.projects.setup.handler(() => ({
      setup: 'npm ci --no-audit',
      copy: ['.env'],
      env: [],
      git: null,
      configSha256: 'a'.repeat(64),
      trusted: false,
    })),
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
    startDemo: os.projects.startDemo.handler(() => {
      const added = project(`${dataDir}/demo/harbour-lights`, true)
      return { project: added, taskId: start(added.id, 'Light the harbour', 'lead') }
    }),
  }
}
