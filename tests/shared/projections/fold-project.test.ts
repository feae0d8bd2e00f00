/** What the ledger's events make of a project that has moved, or whose repository is another one. */
import { describe, expect, it } from 'vitest'
import { newUpdateId, type TaskId } from '../../../src/shared/records/ids.ts'
import {
  isOtherRepository,
  isSameProject,
  type ProjectIdentity,
} from '../../../src/shared/records/projects/project-identity.ts'
import { testLedger } from '../../tasks/agent-history/ledger-of.ts'

const identity = { rootCommits: ['a1'], remote: 'github.com/harbour/lights', within: '' }

function knownProject(over: { dir?: string; identity?: ProjectIdentity } = {}) {
  const ledger = testLedger()
  const { projectId, happen, state } = ledger
  const from = over.dir ?? '/home/ada/lights'
  happen({ type: 'project.added', projectId, name: 'lights', dir: from, git: true, identity })
  const work = (path: string, isolation: 'worktree' | 'in-place'): TaskId => {
    const taskId = ledger.ask({
      isolation,
      options: { agentsAtOnce: 3, keep: false, env: ['DEPLOY_KEY'] },
    })
    const place = { branch: null, baseCommit: null, baseBranch: null }
    happen({
      type: 'workspace.created',
      workspaceId: taskId,
      kind: 'root',
      isolation,
      path,
      ...place,
    })
    return taskId
  }
  const move = (dir: string) =>
    happen({
      type: 'project.moved',
      projectId,
      name: 'lamps',
      from,
      dir,
      identity: over.identity ?? identity,
    })
  return { ...ledger, work, move, project: () => state.projects.get(projectId), from }
}

describe('a project that has moved', () => {
  it('keeps its id and its tasks, in place and in worktrees', () => {
    const { work, move, project, state, projectId } = knownProject()
    const inPlace = work('/home/ada/lights', 'in-place')
    const worktree = work('worktrees/lights/one', 'worktree')
    const beside = work('/home/ada/lights-too', 'in-place')
    move('/srv/lamps')
    expect(project()).toMatchObject({ id: projectId, name: 'lamps', dir: '/srv/lamps', git: true })
    const placeOf = (id: TaskId) => {
      const task = state.tasks.get(id)
      return [task?.projectDir, task?.workspace?.path]
    }
    expect(placeOf(inPlace)).toEqual(['/srv/lamps', '/srv/lamps'])
    expect(placeOf(worktree)).toEqual(['/srv/lamps', '/data/worktrees/lights/one'])
    expect(placeOf(beside)).toEqual(['/srv/lamps', '/home/ada/lights-too'])
  })

  it('moves with the working tree that contains its folder', () => {
    const within = { ...identity, within: 'packages/lamp' }
    const dir = '/home/ada/lights/packages/lamp'
    const { work, move, state, happen } = knownProject({ dir, identity: within })
    const taskId = work(dir, 'in-place')
    happen({
      type: 'files.update-started',
      updateId: newUpdateId(),
      taskId,
      reason: 'apply',
      commit: 'c0ffee',
      files: 1,
      dir,
      root: '/home/ada/lights',
    })
    move('/srv/lights/packages/lamp')
    const task = state.tasks.get(taskId)
    expect(task?.workspace?.path).toBe('/srv/lights/packages/lamp')
    expect(task?.fileUpdates).toMatchObject([
      { dir: '/srv/lights/packages/lamp', root: '/srv/lights' },
    ])
  })

  it('has no permission of its old folder, and names the variables that it had', () => {
    const { work, move, project, projectId, state, happen } = knownProject()
    const taskId = work('/home/ada/lights', 'in-place')
    happen({ type: 'project.setup-trusted', projectId, configSha256: 'ab12' })
    happen({ type: 'project.git-config-allowed', projectId, sha256: 'cd34' })
    const files = [{ path: '.mcp.json', sha256: 'ef56' }]
    happen({ type: 'project.agent-config-allowed', projectId, files })
    expect(project()).toMatchObject({ agentConfigSha256s: ['ef56'] })
    const environment = { allowed: ['NPM_TOKEN'], only: null }
    happen({ type: 'project.environment-set', projectId, environment })
    move('/srv/lamps')
    expect(state.trustedSetups.size).toBe(0)
    expect(project()).not.toHaveProperty('gitConfigSha256')
    expect(project()).not.toHaveProperty('agentConfigSha256s')
    expect(project()).not.toHaveProperty('environment')
    expect(state.tasks.get(taskId)?.options).toEqual({ agentsAtOnce: 3, keep: false })
    expect(project()?.revokedVariables).toEqual(['DEPLOY_KEY', 'NPM_TOKEN'])
    happen({ type: 'project.environment-set', projectId, environment })
    expect(project()).toMatchObject({ environment })
    expect(project()).not.toHaveProperty('revokedVariables')
  })

  it('passes on to its agents no variables beyond those before, and none of an allowed list', () => {
    const { move, project, projectId, happen } = knownProject()
    const environment = { allowed: [], only: ['JAVA_HOME'] }
    happen({ type: 'project.environment-set', projectId, environment })
    move('/srv/lamps')
    expect(project()?.environment).toEqual({ allowed: [], only: [] })
    expect(project()?.revokedVariables).toEqual(['JAVA_HOME'])
  })
})

it('is added again with its id and identity, and without what was allowed for it', () => {
  const { project, projectId, state, happen, from } = knownProject()
  happen({ type: 'project.setup-trusted', projectId, configSha256: 'ab12' })
  happen({ type: 'project.git-config-allowed', projectId, sha256: 'cd34' })
  happen({ type: 'project.removed', projectId })
  expect(project()).toBeUndefined()
  expect(state.removedProjects.get(projectId)).toMatchObject({ identity })
  happen({ type: 'project.added', projectId, name: 'lights', dir: from, git: true, identity })
  expect(project()).not.toHaveProperty('gitConfigSha256')
  expect(state.trustedSetups.size).toBe(0)
})

describe('a project that is identified', () => {
  it('keeps its permissions if it is the same repository, and loses them if it is another one', () => {
    const { project, projectId, state, happen } = knownProject()
    happen({ type: 'project.setup-trusted', projectId, configSha256: 'ab12' })
    const now = { ...identity, remote: null }
    happen({ type: 'project.identified', projectId, git: true, identity: now, replaced: false })
    expect(project()?.identity).toEqual(now)
    expect(state.trustedSetups.get(projectId)).toBe('ab12')
    const other = { ...now, rootCommits: ['b2'] }
    happen({ type: 'project.identified', projectId, git: true, identity: other, replaced: true })
    expect(project()?.identity).toEqual(other)
    // Without Git it is known by what it was last.
    happen({ type: 'project.identified', projectId, git: false, replaced: false })
    expect(project()).toMatchObject({ git: false, identity: other })
    expect(state.trustedSetups.size).toBe(0)
  })
})

const lights = { rootCommits: ['a1'], remote: 'github.com/harbour/lights', within: '' }

describe('two folders', () => {
  it.each<[string, Partial<ProjectIdentity>, Partial<ProjectIdentity>, boolean]>([
    ['with the same root commit and remote', {}, {}, true],
    ['with the same remote and another root commit', {}, { rootCommits: ['b2'] }, false],
    ['with the same root commit and another remote', {}, { remote: 'shed/lights' }, false],
    ['one of them without a remote', {}, { remote: null }, false],
    ['two folders of one repository', { within: 'a' }, { within: 'b' }, false],
    ['one that merged another history in', {}, { rootCommits: ['a1', 'b2'] }, true],
    ['the full and the shallow clone', {}, { rootCommits: [] }, true],
    ['two shallow clones', { rootCommits: [] }, { rootCommits: [] }, true],
    ['shallow clones of two', { rootCommits: [] }, { rootCommits: [], remote: 'shed/x' }, false],
    ['both without a remote', { remote: null }, { remote: null }, true],
    [
      'both without a remote, one with another history merged in',
      { remote: null },
      { remote: null, rootCommits: ['a1', 'b2'] },
      false,
    ],
  ])('%s', (_, one, other, same) => {
    expect(isSameProject({ ...lights, ...one }, { ...lights, ...other })).toBe(same)
    expect(isSameProject({ ...lights, ...other }, { ...lights, ...one })).toBe(same)
  })
})

describe('in one folder there is another repository', () => {
  it.each<[string, Partial<ProjectIdentity>, Partial<ProjectIdentity>, boolean]>([
    ['when the root commit is another one', {}, { rootCommits: ['b2'] }, true],
    ['not when the remote was changed', {}, { remote: 'shed/lights' }, false],
    ['not when it is a shallow clone of the same by now', {}, { rootCommits: [] }, false],
    [
      'when it is a shallow clone from elsewhere',
      {},
      { rootCommits: [], remote: 'shed/lights' },
      true,
    ],
    ['when nothing could be the same', { rootCommits: [] }, { remote: null }, true],
  ])('%s', (_, known, found, other) => {
    expect(isOtherRepository({ ...lights, ...known }, { ...lights, ...found })).toBe(other)
  })
})
