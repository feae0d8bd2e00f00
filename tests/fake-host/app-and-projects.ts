/** The answers about the app, its projects and the doctor. */
import type { ProjectSetup } from '../../src/shared/contract/projects.ts'
import { invalid, refused } from '../../src/shared/failure.ts'
import { tasksInUse } from '../../src/shared/projections/ledger/project-use.ts'
import { type ProjectId, shortId } from '../../src/shared/records/ids.ts'
import {
  defaultEnvironment,
  isSameEnvironment,
} from '../../src/shared/records/projects/projects.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import { counted } from '../../src/shared/text/counted.ts'
import type { Happenings } from './happenings.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export function appAnswers(os: Implementer, { given, state }: Memory) {
  const { dataDir } = state
  return {
    info: os.app.info.handler(() => ({
      version: '0.1.0',
      dataDir,
      host: 'desktop' as const,
      platform: 'linux',
      canPickFolder: true,
      lease: {
        pid: 4711,
        host: 'desktop' as const,
        hostName: 'robins-laptop',
        endpoint: true,
        since: '2026-11-20T08:02:00.000Z',
      },
      notices: [],
      logFile: `${dataDir}/logs/shiplog.log`,
      agents: [{ kind: 'scripted' as const, name: 'Scripted', available: true, why: null }],
      ...given.info,
    })),
    sandbox: os.app.sandbox.handler(
      () => given.sandbox ?? { program: 'bubblewrap' as const, why: null },
    ),
    pickFolder: os.app.pickFolder.handler(() => ({ dir: '/home/robin/api' })),
    openWindow: os.app.openWindow.handler(() => ({ opened: true })),
  }
}

export function doctorAnswers(os: Implementer, { given, state }: Memory) {
  return {
    check: os.doctor.check.handler(({ input }) => {
      if (input.repair && [...state.tasks.values()].some(({ status }) => isRunning(status)))
        refused(
          'running',
          'Agents are running. Repair after they have finished, or stop them first.',
        )
      return given.examination ?? { ok: true, checked: 12, problems: [], notes: [] }
    }),
  }
}

export function projectAnswers(
  os: Implementer,
  { memory, happenings }: { memory: Memory; happenings: Happenings },
) {
  const { given, state, record, project } = memory
  /** Projects with a `.planning/`. */
  const planned = new Set<ProjectId>()

  /** The folder's name says what is there: "missing" nothing, "plain" no repository. */
  function add(dir: string): ProjectId {
    if (!dir.startsWith('/'))
      invalid(
        'dir',
        `${dir} is not an absolute path. Enter it from the root, such as /home/robin/${dir}.`,
      )
    if (dir.includes('missing')) invalid('dir', `${dir} does not exist. Give the path of a folder.`)
    const there = [...state.projects.values()].find((one) => one.dir === dir)
    return there?.id ?? happenings.addProject(dir, !dir.includes('plain'))
  }

  function setupOf(id: ProjectId): ProjectSetup {
    const known = project(id)
    const nothing = { setup: null, copy: [], env: [], git: null, configSha256: null }
    const asked = given.setup?.(known) ?? nothing
    const sha256 = asked.configSha256
    const ofGit = known.gitConfigSha256 === sha256 ? null : asked.git
    const asksNothing = asked.setup === null && asked.env.length === 0
    const isTrusted = asksNothing || state.trustedSetups.get(id) === sha256
    return { ...asked, git: ofGit, trusted: isTrusted && ofGit === null }
  }

  return {
    list: os.projects.list.handler(() => ({ projects: [...state.projects.values()] })),
    add: os.projects.add.handler(({ input }) => project(add(input.dir))),
    remove: os.projects.remove.handler(({ input: { projectId } }) => {
      const { name } = project(projectId)
      const inUse = tasksInUse(state, projectId)
      if (inUse.length > 0) {
        const names = inUse.map(({ id, title }) => `"${title}" (${shortId(id)})`).join(', ')
        refused(
          'in-use',
          `${name} still has ${counted(inUse.length, 'workspace')} in use: ${names}. Remove them first.`,
        )
      }
      record({ type: 'project.removed', projectId })
      return {}
    }),
    setup: os.projects.setup.handler(({ input }) => setupOf(input.projectId)),
    trustSetup: os.projects.trustSetup.handler(({ input: { projectId, configSha256 } }) => {
      const asked = setupOf(projectId)
      if (asked.configSha256 !== configSha256)
        refused(
          'setup-changed',
          "The project's requests (.shiplog/project.yaml, .git/config) have changed since they were shown. Review them again.",
        )
      record({ type: 'project.setup-trusted', projectId, configSha256 })
      if (asked.git) record({ type: 'project.git-config-allowed', projectId, sha256: configSha256 })
      return {}
    }),
    setEnvironment: os.projects.setEnvironment.handler(({ input }) => {
      const { projectId, environment, shown } = input
      const { name, environment: present = defaultEnvironment } = project(projectId)
      if (shown && !isSameEnvironment(present, shown))
        refused(
          'settings-changed',
          `The settings of ${name} were changed elsewhere since they were shown. Review them again.`,
        )
      record({ type: 'project.environment-set', projectId, environment })
      return {}
    }),
    setSandbox: os.projects.setSandbox.handler(({ input: { projectId, sandbox } }) => {
      if (project(projectId).sandbox !== sandbox)
        record({ type: 'project.sandbox-set', projectId, sandbox })
      return {}
    }),
    planning: os.projects.planning.handler(({ input: { projectId } }) => ({
      dir: `${project(projectId).dir}/.planning`,
      state: planned.has(projectId) ? ('used' as const) : ('missing' as const),
    })),
    createPlanning: os.projects.createPlanning.handler(({ input: { projectId } }) => {
      project(projectId)
      planned.add(projectId)
      return {}
    }),
    startDemo: os.projects.startDemo.handler(({ input }) => {
      const projectId = add(input.dir ?? `${state.dataDir}/demo`)
      const taskId = happenings.createTask({ projectId, title: 'Demo' })
      happenings.begin(taskId, 'onStart')
      return { project: project(projectId), taskId }
    }),
  }
}
